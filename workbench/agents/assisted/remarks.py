"""A model's remark on an evidence item: its own words, not checked, and no evidence."""

import re
from collections.abc import Sequence

from workbench.agents.assisted.claims import noted
from workbench.agents.assisted.results import ERROR, REFUSED, Result
from workbench.agents.ports import Ports
from workbench.model.assisted import Annotation
from workbench.model.assisted_events import Annotated
from workbench.model.citation import Citation

MOST = 6
"""Remarks on one item."""
_TAG = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")


async def remark(
    ports: Ports, identifier: str, tags: Sequence[str], text: str, citations: tuple[Citation, ...]
) -> Result:
    """Note it at an item that is there, or say why not."""
    mine = [one for one in ports.state.assisted.annotations if one.evidence == identifier]
    if len(mine) >= MOST:
        return Result(f"{identifier} has {MOST} remarks already", REFUSED)
    why = noted(text, citations)
    if not why.text:
        return Result("not taken: it says nothing", REFUSED)
    if any(one.why.text == why.text for one in mine):
        return Result(f"{identifier} says so already", ERROR)
    words = tuple(dict.fromkeys(tag for tag in tags if _TAG.fullmatch(tag)))
    await ports.record(Annotated(annotation=Annotation(evidence=identifier, tags=words, why=why)))
    return Result(f"noted at {identifier}")
