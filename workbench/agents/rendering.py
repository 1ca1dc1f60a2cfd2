"""The report in the form that was asked for."""

from collections.abc import Mapping

from workbench.agents.report_markdown import render_markdown
from workbench.model.report import Report, to_json

FORMATS = ("md", "html", "json")


def render(report: Report, texts: Mapping[str, str], format: str) -> str:
    """The report as ``md``, ``html`` or ``json``; ``texts`` holds the stored text of each evidence
    item by id. Raises `ValueError` for any other format."""
    match format:
        case "json":
            return to_json(report)
        case "md":
            return render_markdown(report, texts)
        case "html":
            from workbench.agents.report_html import render_html

            return render_html(report, texts)
        case _:
            raise ValueError(f"unknown format {format!r}: use one of {', '.join(FORMATS)}")
