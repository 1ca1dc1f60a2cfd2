"""The results as JUnit XML, as continuous integration reads them."""

import re
from xml.etree import ElementTree

from workbench.evaluate.records import Results, Verdict

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
        message = f"{one.verdict}: {one.said}, expected {one.expected}"
        told = ElementTree.SubElement(case, kinds[one.verdict], message=_clean(message))
        told.text = _clean("\n".join(one.notes))


def _clean(text: str) -> str:
    """Without the characters that XML 1.0 cannot hold."""
    return _NOT_XML.sub("?", text)
