"""What experts state is decided by what it says: any other value in its place is not verified."""

import pytest
from msgspec.structs import replace

from analyzers.base import Document
from analyzers.patterns.waitgraph import inferred_waits
from analyzers.registry import analyze
from tests.analyzers.test_managed_patterns import CONSOLE, ENTER, HEAP, POOL, TASK, blocks, stack
from tests.analyzers.test_windbg_causes import CASES
from tests.analyzers.test_windbg_usage import RUNAWAY, STACK
from tests.claims.holding import evidence_of
from workbench.agents import experts
from workbench.claims.book import Book
from workbench.claims.check import check
from workbench.model.claims import Arg, Claim, Outcome
from workbench.model.facts import FactBook

_MONITORS = blocks((603, 0x1DC1D, 0x7F2E90080FB8, "T"), (3, 0x1DC1E, 0x7F2E90080FD0, "U"))
_STACKS = stack(0x1DC1D, ENTER, "A.One()") + stack(0x1DC1E, ENTER, "B.Two()")
_POOLED = POOL.format(t=6, i=0, q=37) + "".join(stack(0x1DC10 + n, TASK, "A.Get()") for n in (1, 2))
TEXTS: dict[str, tuple[str, tuple[str, ...]]] = {
    **{name: ("cdb", texts) for name, (texts, _, _) in CASES.items()},
    "usage": ("cdb", (RUNAWAY, STACK)),
    "monitors": ("dotnet-dump", (_MONITORS, _STACKS)),
    "pool": ("dotnet-dump", (_POOLED,)),
    "heap": ("dotnet-dump", (HEAP.format(count=90000, size=21600000, kind="A.B", all=90179),)),
    "console": ("dotnet", (CONSOLE,)),
}


@pytest.mark.parametrize("name", TEXTS)
def test_no_other_value_would_have_been_verified(name: str) -> None:
    host, given = TEXTS[name]
    facts, texts = FactBook(), {f"E{n}": text for n, text in enumerate(given, 1)}
    for item, text in texts.items():
        facts.add(analyze(Document(item, "(opening)", host, text)).facts)
    book = Book(facts, evidence_of(texts), texts.__getitem__, inferred_waits)
    stated = [claim for proposal in experts.proposals(facts, set())[0]
              for claim in experts.verdict(proposal.category, facts).claims]  # fmt: skip
    assert stated
    done = check(stated, book)
    assert [c.text for c in done if not c.holds] == []
    lies = [replace(c, args=(*c.args[:at], _other(arg), *c.args[at + 1 :]))
            for c in done for at, arg in enumerate(c.args) if arg.name not in _WORDS]  # fmt: skip
    passed = [lie for lie in check(lies, book) if lie.holds and not _elsewhere(lie, done)]
    assert passed == []


_WORDS = frozenset({"how", "category", "lead", "reads"})
"""Constant words of our own code."""


def _other(arg: Arg) -> Arg:
    value = arg.value + 0x5A5A1 if isinstance(arg.value, int) else f"{arg.value} other"
    return replace(arg, value=value, shown="")


def _elsewhere(lie: Claim, truths: tuple[Claim, ...]) -> bool:
    """True where what was to be a lie is another statement that holds."""
    return any(lie.kind == one.kind and {(a.name, a.value) for a in lie.args}
               == {(a.name, a.value) for a in one.args} for one in truths)  # fmt: skip


def test_a_statement_that_says_nothing_is_none() -> None:
    text = POOL.format(t=6, i=0, q=37)
    facts = FactBook(analyze(Document("E1", "threadpool", "dotnet-dump", text)).facts)
    book = Book(facts, evidence_of({"E1": text}), {"E1": text}.__getitem__, inferred_waits)
    (done,) = check([Claim("count", (Arg("total", 6),), by="model")], book)
    assert done.status is Outcome.UNKNOWN
