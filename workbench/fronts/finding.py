"""``workbench search``: the evidence of one session or of all, by words, each hit with its line."""

from contextlib import aclosing
from pathlib import Path

from msgspec import Struct

from workbench.delivery import deliver, say
from workbench.engine.finding import Hit, find, folders_of
from workbench.llm.here import models_here
from workbench.llm.port import Models
from workbench.model.models import ModelWish
from workbench.model.text import json_text, printable
from workbench.settings import Settings
from workbench.store.catalog import find_session
from workbench.store.search import TOP_K


class Wanted(Struct, frozen=True, kw_only=True):
    """What is looked for, in one session or in all, and how the hits are printed."""

    text: str
    session_id: str | None = None
    limit: int = TOP_K
    format: str = "text"


async def search(base: Path, wanted: Wanted, settings: Settings, wish: ModelWish) -> int:
    """Print the hits, the best first; 0 when there are some, else 1. A session that cannot all be
    searched is named on stderr. Raises `StoreError` for an unknown session and `TierMissing`."""
    one = wanted.session_id
    folders = [find_session(base, one)] if one is not None else folders_of(base)
    hits: tuple[Hit, ...] = ()

    async def models() -> Models | None:
        return await models_here(settings, wish, base)

    async with aclosing(find(folders, wanted.text, wanted.limit, models)) as searched:
        async for found in searched:
            if found.session_id and found.trouble:
                say(f"{found.session_id} cannot all be searched: {found.trouble}")
            elif not found.session_id:
                hits = found.hits[: wanted.limit]
                if found.trouble:
                    say(found.trouble)
    if wanted.format == "json":
        deliver(json_text(hits), None)
    else:
        for hit in hits:
            where = f"{hit.session_id} {hit.citation} {hit.command}"
            deliver(printable(f"{where}: {hit.text}"), None)
        if not hits:
            say("nothing was found")
    return 0 if hits else 1
