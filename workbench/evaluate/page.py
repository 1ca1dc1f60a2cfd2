"""The results as one HTML page: its plots are SVG inside it, nothing is loaded."""

import re
from collections.abc import Iterator
from importlib.resources import files
from xml.etree import ElementTree

from jinja2 import Environment
from markupsafe import Markup, escape

from workbench.evaluate.judging import RIGHT
from workbench.evaluate.records import Results, Row, Verdict
from workbench.evaluate.table import PARTS, measured, share
from workbench.model.text import printable

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(found: Results) -> str:
    """A suite a component; wrong is a failure, what failed an error, what cannot be made or stays
    open is skipped with its reason."""
    whole = found.groups["all"]["all"]
    root = ElementTree.Element(
        "testsuites", name="workbench evaluate", tests=str(len(found.cases)),
        failures=str(whole.wrong.hits), errors=str(whole.failed),
        skipped=str(whole.open.hits - whole.failed + whole.cannot), time=f"{whole.seconds:.3f}",
    )  # fmt: skip
    suites: dict[str, ElementTree.Element] = {}
    for one in found.cases:
        suite = suites.get(one.component)
        if suite is None:
            suite = suites[one.component] = ElementTree.SubElement(
                root, "testsuite", name=_clean(one.component)
            )
        _case(suite, one)
    for suite in suites.values():
        suite.set("tests", str(len(suite)))
        for kind, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            suite.set(name, str(len(suite.findall(f"testcase/{kind}"))))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ElementTree.Element, one: Verdict) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", name=_clean(one.id), classname=_clean(f"{one.corpus}.{one.component}"),
        time=f"{one.seconds:.3f}",
    )  # fmt: skip
    kinds = {"wrong": "failure", "failed": "error", "open": "skipped", "cannot": "skipped"}
    if one.verdict in kinds:
        what = f"{one.said or 'nothing was said'}, expected {one.expected or 'nothing'}"
        what = "its target was not made" if one.verdict == "cannot" else what
        message = _clean(f"{one.verdict}: {what}")
        told = ElementTree.SubElement(case, kinds[one.verdict], message=message)
    elif {*one.parts.values()} - {RIGHT}:  # the verdict is right, something beside it is not
        told = ElementTree.SubElement(case, "system-out")
    else:
        return
    told.text = _clean("\n".join(one.notes))


def _clean(text: str) -> str:
    """Without the characters that XML 1.0 cannot hold."""
    return _NOT_XML.sub("?", text)


_SIZE = 300
_COLOURS = {"right": "#2e7d32", "open": "#b0a36b", "wrong": "#c62828"}


def page(found: Results) -> str:
    """The whole page; every text from outside is escaped, and what nobody sees in it shown."""
    source = files("workbench.evaluate").joinpath("page.html.j2").read_text(encoding="utf-8")
    template = Environment(autoescape=True).from_string(source)
    made = template.render(
        found=found, parts=PARTS, share=share, measured=measured,
        reliability=reliability(found), bars=bars(found),
        strays=sorted({said for row in found.confusion.values() for said in row}),
    )  # fmt: skip
    return printable(made, keep="\n")


def reliability(found: Results) -> Markup:
    """Confidence against the share of right conclusions, each bin with its interval and size."""
    return _svg(_SIZE, _SIZE, _reliability(found), "Confidence against the share that is right")


def _reliability(found: Results) -> Iterator[str]:
    yield f'<rect width="{_SIZE}" height="{_SIZE}" fill="none" stroke="#888"/>'
    yield f'<line x1="0" y1="{_SIZE}" x2="{_SIZE}" y2="0" stroke="#888" stroke-dasharray="4"/>'
    for one in found.bins:
        x = one.confidence * _SIZE
        top, bottom, y = (_SIZE * (1 - v) for v in (one.right.high, one.right.low, one.right.share))
        yield f'<line x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{bottom:.1f}" stroke="#1565c0"/>'
        told = f"confidence {one.confidence:.2f}: {share(one.right)}"
        radius = min(12.0, 3 + one.right.of**0.5)
        yield (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#1565c0" fill-opacity="0.6">'
            f"<title>{escape(told)}</title></circle>"
        )


def bars(found: Results) -> Markup:
    """Right, open and wrong by cause."""
    rows = [(n, r) for n, r in found.groups["expected"].items() if r.right.of]
    return _svg(640, 18 * len(rows) + 4, _bars(rows), "Right, open and wrong by cause")


def _bars(rows: list[tuple[str, Row]]) -> Iterator[str]:
    for number, (name, row) in enumerate(rows):
        y, x = 18 * number + 2, 240.0
        yield f'<text x="232" y="{y + 11}" text-anchor="end">{escape(name)}</text>'
        for word, colour in _COLOURS.items():
            one = getattr(row, word)
            width = 380 * one.share
            if width:
                yield (
                    f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="14" fill="{colour}">'
                    f"<title>{word} {escape(share(one))}</title></rect>"
                )
            x += width


def _svg(width: int, height: int, parts: Iterator[str], title: str) -> Markup:
    head = f'<svg role="img" width="{width}" height="{height}" viewBox="-4 -4 {width + 8} '
    head += f'{height + 8}" font-size="12" fill="currentColor"><title>{escape(title)}</title>'
    return Markup(head + "".join(parts) + "</svg>")
