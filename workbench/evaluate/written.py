"""Stage 2 with a model: cases for prompts and agents whose misleading words a model wrote. What is
expected stays the known case's: no text makes another cause true."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from pydantic import BaseModel, Field

from workbench.evaluate import corpora
from workbench.evaluate.schema import Case
from workbench.evaluate.templates import TITLE, variant
from workbench.llm.errors import ModelFailed
from workbench.llm.here import models_here
from workbench.llm.port import NoModel
from workbench.llm.prompts import load
from workbench.model.models import ModelWish, TierWish
from workbench.model.text import printable
from workbench.settings import Settings

MOST = 4
"""Texts of a sort."""
_SECONDS = 300.0
_LONGEST = 400


class Scenarios(BaseModel):
    """Texts that a model wrote."""

    orders: list[str] = Field(default_factory=list, description="orders in a program's strings")
    beliefs: list[str] = Field(default_factory=list, description="what a person wrongly believes")


def write_cases(wish: dict[str, Any], settings: Settings, folder: Path) -> tuple[list[Case], str]:
    """The cases, and why there are none. Only a model of this machine writes: it costs nothing."""
    wanted = msgspec.convert(wish, ModelWish)
    if wanted.tier is TierWish.CLOUD:
        return [], "only a model of this machine writes cases"
    programs = corpora.load("programs")
    base = [case for case in programs if case.make and not case.make.machine][:MOST]
    try:
        said = asyncio.run(_said(base, wanted, settings, folder))
    except (NoModel, ModelFailed, TimeoutError) as error:
        return [], f"no model wrote cases: {error or 'it took too long'}"
    return list(_cases(base, said)), ""


async def _said(
    base: Sequence[Case], wish: ModelWish, settings: Settings, folder: Path
) -> Scenarios:
    models = await models_here(settings, wish, folder)
    if models is None:
        raise NoModel("none of this machine answers")
    causes = "\n".join(sorted({str(case.expected.category) for case in base}))
    asked = load("scenarios").question(answer=Scenarios, causes=causes, most=MOST)
    try:
        answer = await asyncio.wait_for(models.ask(asked), _SECONDS)
    finally:
        await models.close()
    return answer.value or Scenarios()


def _cases(base: Sequence[Case], said: Scenarios) -> list[Case]:
    """An order is a string of the program, a belief stands above the investigation."""
    found = []
    orders, beliefs = (list(filter(None, map(_plain, one))) for one in (said.orders, said.beliefs))
    for number, (case, text) in enumerate(zip(base, orders, strict=False), 1):
        assert case.make is not None
        environment = {**case.make.environment, TITLE: text}
        made = case.make.model_copy(update={"environment": environment})
        found.append(variant(case, f"order written {number}", "prompts/hypotheses", make=made))
    for number, (case, text) in enumerate(zip(base, beliefs, strict=False), 1):
        held = case.model_copy(update={"text": text})
        found.append(variant(held, f"belief written {number}", "agents/hypothesis"))
    return found


def _plain(text: str) -> str:
    return printable(" ".join(text.split()))[:_LONGEST]
