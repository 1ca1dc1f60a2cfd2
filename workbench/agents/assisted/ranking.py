"""A model's order of places that words found, where no vectors say which is nearest in meaning."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec import Struct
from pydantic import Field

from workbench.agents.assisted.answers import Loose
from workbench.llm.contents import ALL
from workbench.llm.fences import Fenced, as_data, kinds_in
from workbench.llm.port import Models, NoModel, Question
from workbench.llm.prompts import load
from workbench.model.models import Content

T = TypeVar("T")
MOST = 20
"""Places that are ordered; those after them keep theirs."""
_LONGEST = 400
"""Characters of a place that are shown."""
_SECONDS = 30.0


class Ranking(Loose):
    """The numbers of the places, the best first."""

    order: list[int] = Field(default_factory=list, description="numbers of places, the best first")


class Place(Struct, frozen=True):
    """What a place of the evidence says, and the kinds of content that it may hold."""

    text: str
    contents: Iterable[Content] = ALL


async def ranked(
    models: Models, wanted: str, found: Sequence[T], places: Sequence[Place]
) -> list[T]:
    """``found``, of which each says what stands at the same index of ``places``, in a model's
    order. What it leaves out comes behind, as it was, and a number of none counts for nothing.
    Raises `NoModel` and `ModelFailed`."""
    shown = "\n".join(
        as_data(place.text[:_LONGEST], f"place {number}", place.contents)
        for number, place in enumerate(places[:MOST], 1)
    )
    asked: Question[Ranking] = load("ranking").question(
        answer=Ranking, wanted=wanted, places=Fenced(shown), contents=kinds_in(shown)
    )
    try:
        given = await asyncio.wait_for(models.ask(asked), _SECONDS)
    except TimeoutError as error:
        raise NoModel(f"no order of the places came within {_SECONDS:g} s") from error
    said = given.value.order if given.value is not None else []
    first = [number - 1 for number in dict.fromkeys(said) if 1 <= number <= len(places[:MOST])]
    rest = [number for number in range(len(found)) if number not in first]
    return [found[number] for number in (*first, *rest)]
