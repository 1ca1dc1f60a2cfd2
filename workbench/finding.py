"""``workbench search``: the evidence of one session or of all, by words, each hit with its line."""

from contextlib import aclosing
from pathlib import Path

from workbench.delivery import deliver, say
from workbench.engine.finding import Hit, find, folders_of
from workbench.model.text import printable
from workbench.sessions import print_json
from workbench.store.catalog import find_session


async def search(base: Path, text: str, session_id: str | None, limit: int, format: str) -> int:
    """Print the hits, the best first; 0 when there are some, else 1. A session that cannot be
    searched is named on stderr. Raises `StoreError` for an unknown session."""
    folders = [find_session(base, session_id)] if session_id is not None else folders_of(base)
    hits: list[Hit] = []
    async with aclosing(find(folders, text, limit)) as searched:
        async for found in searched:
            hits += found.hits
            if found.trouble:
                say(f"{found.session_id} is not searched: {found.trouble}")
    hits = sorted(hits, key=lambda hit: hit.score)[:limit]
    if format == "json":
        print_json(hits)
    else:
        for hit in hits:
            where = f"{hit.session_id} {hit.citation} {hit.command}"
            deliver(printable(f"{where}: {hit.text}"), None)
    return 0 if hits else 1
