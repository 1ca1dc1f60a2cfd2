"""The report as one HTML file that needs nothing else: no script, no font, no network."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from workbench.agents.report import excerpts, view
from workbench.agents.report.models import models_table
from workbench.model.report import Report

_TEMPLATES = Path(__file__).parent / "templates"
_CITATION = re.compile(r"(E[1-9][0-9]*)(?::([1-9][0-9]*)(?:-[1-9][0-9]*)?)?")
_CODE = re.compile(r"`([^`]+)`")


def render_html(report: Report, texts: Mapping[str, str]) -> str:
    """The whole report; ``texts`` holds the stored text of each evidence item by id.

    Everything from the dump is escaped by the template; the page's policy forbids scripts and
    any load from elsewhere.
    """
    return _template().render(
        report=report,
        analysis=report.analysis,
        ai=report.analysis.ai_analysis,
        view=view,
        excerpts=excerpts.excerpts(report, texts),
        others=excerpts.uncited(report),
        models=models_table(report),
    )


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True)  # fmt: skip
    environment.filters["prose"] = _prose
    environment.filters["cites"] = _cites
    return environment.get_template("report.html.j2")


def _prose(text: str) -> Markup:
    """Running text: what stands in backticks becomes code, all else is literal."""
    line = view.one_line(text)
    parts: list[Markup] = []
    end = 0
    for match in _CODE.finditer(line):
        parts += [escape(line[end : match.start()]), Markup("<code>{}</code>").format(match[1])]
        end = match.end()
    parts.append(escape(line[end:]))
    return Markup("").join(parts)


def _cites(citations: tuple[str, ...]) -> Markup:
    """Citations as links to the first line that each names."""
    links = []
    for citation in citations:
        match = _CITATION.fullmatch(citation)
        if match is None:
            links.append(Markup("{}").format(citation))
            continue
        target = f"{match[1]}-L{match[2]}" if match[2] else match[1]
        links.append(Markup('<a class="cite" href="#{}">{}</a>').format(target, citation))
    return Markup(" ").join(links)
