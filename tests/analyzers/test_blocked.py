"""Processes that stand in calls which something outside of them must end."""

import pytest

from analyzers.base import Document
from analyzers.patterns.waiting import BLOCKED_ON_IO
from analyzers.registry import analyze
from workbench.model.citation import Citation
from workbench.model.facts import FactBook, Process
from workbench.model.hypothesis import Status, Verdict


def verdict(*threads: str) -> Verdict:
    lines = [f"{len(threads)} threads"]
    lines += [f"thread {tid}: {text}" for tid, text in enumerate(threads, 41)]
    waits = analyze(Document("E2", "@locks", "dump", "\n".join(lines) + "\n")).facts
    process = Process(
        cite=Citation("E1", 1), pid=41, command_line=None, executable="/srv/a", arch="x86_64",
        os="Linux", threads=tuple(range(41, 41 + len(threads))), snapshot=True,
    )  # fmt: skip
    return BLOCKED_ON_IO.evaluate(FactBook([process, *waits]))


WRITE = "io in write; file descriptor 4"
CHILD = "child in wait4; process 77"
JOIN = "waits for join 0x7f4091e9a910 in futex; thread to end 41 (a thread of this process)"


@pytest.mark.parametrize(
    ("threads", "said"),
    [
        ((WRITE,), "`write`, on file descriptor 4"),
        (("io in flock; file descriptor 3", JOIN), "`flock`, on file descriptor 3"),
        ((CHILD,), "`wait4`, for process 77"),
        (("child in waitid",), "`waitid`."),
    ],
)
def test_nothing_goes_on_before_the_call_returns(threads: tuple[str, ...], said: str) -> None:
    found = verdict(*threads)
    assert (found.status, found.confidence) == (Status.CONFIRMED, 0.6)
    told = " ".join(claim.text for claim in found.claims)
    for part in said.rstrip(".").split(", "):
        assert part.strip("`").removeprefix("for ").removeprefix("on ") in told
    assert "data" not in told  # a write waits for room, flock(2) for a lock
    assert found.missing


@pytest.mark.parametrize(
    "threads",
    [
        ("io in accept; file descriptor 3",),
        ("io in poll",),
        (WRITE, "sleep in clock_nanosleep"),
        (WRITE, "waits for condition 0x404050 in futex"),
        (WRITE, "other in pause"),
    ],
)
def test_what_may_be_all_that_it_should_do_stays_open(threads: tuple[str, ...]) -> None:
    assert verdict(*threads).status is Status.INCONCLUSIVE


def test_a_child_is_named_in_advice_and_statement() -> None:
    (advice,) = verdict(CHILD).recommendations
    assert "child process" in advice
