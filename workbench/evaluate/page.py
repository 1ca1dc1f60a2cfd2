"""The results as one HTML page: its plots are SVG inside it, nothing is loaded."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.resources import files
from xml.etree import ElementTree

from jinja2 import Environment
from rich.console import Group
from rich.table import Table
from rich.text import Text

from workbench.evaluate.judging import RIGHT
from workbench.evaluate.records import Estimate, Figure, Results, Row, Verdict
from workbench.model.text import counted, printable

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(found: Results) -> str:
    """A suite a component; wrong is a failure, what failed an error, what cannot be made or stays
    open is skipped with its reason."""
    whole = found.groups["all"]["all"]
    root = ElementTree.Element(
        "testsuites",
        name="workbench evaluate",
        tests=str(len(found.cases)),
        failures=str(whole.wrong.hits),
        errors=str(whole.failed),
        skipped=str(whole.open.hits - whole.failed + whole.cannot),
        time=f"{whole.seconds:.3f}",
    )
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
        suite,
        "testcase",
        name=_clean(one.id),
        classname=_clean(f"{one.corpus}.{one.component}"),
        time=f"{one.seconds:.3f}",
    )
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


def page(found: Results) -> str:
    """The whole page; every text from outside is escaped, and what nobody sees in it shown."""
    source = files("workbench.evaluate").joinpath("page.html.j2").read_text(encoding="utf-8")
    template = Environment(autoescape=True).from_string(source)
    made = template.render(
        found=found,
        parts=PARTS,
        share=share,
        measured=measured,
        causes=[(n, r) for n, r in found.groups["expected"].items() if r.right.of],
        strays=sorted({said for row in found.confusion.values() for said in row}),
    )
    return printable(made, keep="\n")


# The results as tables on a terminal.
PARTS = ("frame", "root category", "severity", "signature", "origin")


def tables(found: Results, by: str = "expected") -> Group:
    """By group, all, what was false, conflicts, calibration, models and time."""
    verdicts = ("right, 95 %", "open", "wrong", "not made", "seconds a case")
    return Group(
        _rows(found, by, verdicts, _cells),
        Text(""),
        _rows(found, by, PARTS, lambda row: [share(row.parts.get(part)) for part in PARTS]),
        *_lines(found),
    )


def share(one: Figure | None) -> str:
    """``12/13 92% (67-99)``; a dash where there is none."""
    if one is None or not one.of:
        return "-"
    return f"{one.hits}/{one.of} {one.share:.0%} ({one.low * 100:.0f}-{one.high * 100:.0f})"


def measured(one: Estimate | None) -> str:
    """``1.48 (1.41-1.55)``; a dash where there is none."""
    if one is None:
        return "-"
    wide = "no interval" if one.low is None else f"{one.low:,.4g}-{one.high:,.4g}"
    return f"{one.value:,.4g} ({wide})"


def _rows(
    found: Results, by: str, columns: Sequence[str], cells: Callable[[Row], Iterable[str]]
) -> Table:
    table = Table(show_edge=False, pad_edge=False)
    table.add_column(by)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for name, one in found.groups[by].items():
        if {*(told := [*cells(one)])} != {"-"}:
            table.add_row(Text(printable(name)), *told)
    table.add_section()
    table.add_row("all", *cells(found.groups["all"]["all"]))
    return table


def _cells(one: Row) -> Iterator[str]:
    yield from map(share, (one.right, one.open, one.wrong))
    yield str(one.cannot)
    yield measured(one.each)


def _lines(found: Results) -> Iterator[Text]:
    yield Text("")
    for one in found.cases:
        if one.verdict in ("wrong", "failed", "cannot") or {*one.parts.values()} - {RIGHT}:
            note = " ".join("; ".join(one.notes).split())[:300]
            yield Text(printable(f"{one.verdict:6} {one.id}: {one.said} {note}"))
    whole = found.groups["all"]["all"]
    yield Text(f"false claims {share(whole.wrong)}; open {share(whole.open)}")
    if found.calibration_error is not None:
        yield Text(f"expected calibration error {measured(found.calibration_error)}")
    for grade, conflicts in found.conflicts.items():
        yield Text(f"{grade} conflicts: {share(conflicts)}")
    for pair, count in found.rivals.items():
        yield Text(f"both confirmed {counted(count, 'time')}: {pair}")
    for model in found.models:
        cost = "price not known" if model.cost_usd is None else f"${model.cost_usd:.4f}"
        yield Text(
            f"{printable(model.name)} ({model.tier}): {model.calls} calls, {model.input_tokens} "
            f"tokens in, {model.output_tokens} out, of these {model.reasoning_tokens} thought, "
            f"{cost}, {model.seconds:.1f} s; of these a case: "
            + ", ".join(f"{word} {measured(one)}" for word, one in model.each.items())
        )
    for name, row in found.bare.items():
        yield Text(f"bare {name} says the same of {share(row.right)}, wrong {share(row.wrong)}")
    times = found.seconds
    yield Text("seconds: " + ", ".join(f"{name} {value:.1f}" for name, value in times.items()))
    if found.to_bare is not None:
        yield Text(f"investigations take {measured(found.to_bare)} of bare gdb")
    for name, value in found.speed.items():
        yield Text(f"{name} {measured(value)}; came out differently {share(found.differing)}")
