"""What a model that reads well says of source, values and memory holds, and a lie in the same words
does not."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from workbench.agents.assisted.claims import hold
from workbench.model.citation import parse_citations
from workbench.model.events import EvidenceRecorded, SessionOpened
from workbench.model.evidence import Evidence, Source
from workbench.model.hypothesis import Claim
from workbench.model.investigation import Investigation
from workbench.model.target import Options, Target, TargetKind

NOW = datetime(2026, 1, 2, tzinfo=UTC)
ITEMS = {
    "E1": (
        "@fault",
        "operand [rax] = 0x4d8312a0: read of 8 bytes, unmapped\n"
        "rax = 0x4d8312a0 was returned by the call to ticket_of at 0x55de146b3219\n"
        "rdi = 0x55de4d8312a0 was passed in as argument 1 of the function at 0x55de146b3159\n",
    ),
    "E2": (
        "bt 64",
        "#0  0x000055de146b3226 in greet (ticket=0) at desk.c:20\n"
        "#1  0x000055de146b32aa in main () at desk.c:33\n",
    ),
    "E3": (
        "list take_ticket",
        "8\tstatic int take_ticket(const char *guest) {\n"
        "9\t    struct stay *s = malloc(sizeof *s);\n"
        "10\t    s->nights = board.used + 100;   /* never a dangling key */\n"
        "11\t    board.slots[board.used] = (int)(long)s;\n"
        "12\t    return board.used++;\n"
        "13\t}\n"
        "14\tstatic void hang_up(struct stay *old) {\n"
        "15\t    hook(25, old, \"late\");\n"
        "16\t    free(old);\n"
        "17\t}\n",
    ),
    "E4": ("print board", "$1 = {slots = {1300435616, 0 <repeats 15 times>}, used = 2}\n"),
    "E5": (
        "print *(struct stay *)0x55de4d8312a0",
        '$2 = {nights = 100, guest = "ada", next = 0x0}\n',
    ),
    "E6": ("x/2gx 0x55de4d8312a0", "0x55de4d8312a0:\t0x0000000000000064\t0x0000000000616461\n"),
    "E7": ("@heap", "main heap 0x55de4d831000-0x55de4d852000: 4 chunks, 3 in use\n"
           "address 0x4d8312a0 (asked for): in no heap: unmapped\n"),
    "E8": ("print meteor", 'No symbol "meteor" in current context.\n'),
    "E9": ("print board.used", "$3 = 2\n"),
    "E11": ("info locals", "old = 0x55de4d8312a0\n"),
    "E10": ("print/x board.slots[0]", "$4 = 0x4d8312a0\n"),
}  # fmt: skip


class Desk:
    """What `hold` needs of the ports."""

    def __init__(self) -> None:
        self.state = Investigation()
        target = Target(path="/x", kind=TargetKind.ELF_CORE, size=1, arch="x86_64", os="linux")
        opened = SessionOpened(session_id="s", target=target, options=Options(), version="1")
        self.state.apply(opened, NOW)
        for name, (command, text) in ITEMS.items():
            item = Evidence(
                id=name, command=command, source=Source.DEBUGGER, intent="", at="", sha256="",
                size=len(text), lines=text.count("\n"), call_hash=name,
                by_model=not command.startswith(("@", "bt")),
            )  # fmt: skip
            self.state.apply(EvidenceRecorded(evidence=item), NOW)

    async def text(self, name: str) -> str:
        return ITEMS[name][1]


async def judged(text: str, citations: str) -> Claim:
    ports: Any = SimpleNamespace(state=(desk := Desk()).state, text=desk.text)
    claim = Claim(text, tuple(parse_citations(citations)), by="model")
    return (await hold(ports, [claim]))[0]


@pytest.mark.parametrize(
    ("text", "citations"),
    [
        # The function of a listing stands in its first line; an operation in the line itself.
        ("`take_ticket` casts the pointer `s` to an int and stores it in `board.slots`.", "E3:4"),
        ("`take_ticket` allocates `s` with malloc.", "E3:2"),
        ("`take_ticket` returns `board.used++`.", "E3:5"),
        ("`hang_up` passes `old` to `hook`.", "E3:8"),
        ("`old` is freed by `hang_up`.", "E3:9"),
        # What was asked of an address is said of that address.
        ('The stay at 0x55de4d8312a0 has `nights` = 100 and its `guest` is "ada".', "E5:1"),
        ("`board.slots[0]` holds 1300435616.", "E4:1"),
        ("`board.used` is 2.", "E9:1"),
        ("0x55de4d8312a0 holds 0x64.", "E6:1"),
        ("0x55de4d8312a0 lies in the main heap 0x55de4d831000-0x55de4d852000.", "E6:1 E7:1"),
        # What one command names, another may have shown.
        ("`board.slots[0]` is 0x4d8312a0.", "E10:1"),
        ("The local variable `old` is 0x55de4d8312a0.", "E11:1"),
        # A word of the program, and how wide a number is.
        ("The slots of `board` keep only 32 bits: `(int)(long)s`.", "E3:4"),
    ],
)
async def test_a_true_sentence_holds(text: str, citations: str) -> None:
    claim = await judged(text, citations)
    assert claim.status == "held", claim.reason


@pytest.mark.parametrize(
    ("text", "citations"),
    [
        ("`take_ticket` stores `guest` in `board.slots`.", "E3:1-4"),
        ("`take_ticket` casts `s->nights` to an int.", "E3:1-4"),
        ("`take_ticket` stores `s` in `board.used`.", "E3:1-4"),
        ("`hang_up` passes `guest` to `hook`.", "E3:1 E3:7-8"),
        ("`guest` is freed by `hang_up`.", "E3:1 E3:7-9"),
        ("`take_ticket` sets `s` to null.", "E3:1-4"),
        ("`take_ticket` left a dangling pointer in `board.slots`.", "E3:3-4"),
        ("`take_ticket` never returns `s`.", "E3:1-5"),
        ('The stay at 0x55de4d8312a0 has the guest "late".', "E5:1 E3:8"),
        ('The stay at 0x4d8312a0 has the guest "ada".', "E5:1 E1:1"),
        ("`board.used` is 100.", "E4:1 E3:3"),
        ("`board.used` is null.", "E9:1 E4:1"),
        ("0x4d8312a0 lies in the main heap.", "E7:1-2"),
        ("`meteor` is no symbol here.", "E8:1"),
    ],
)
async def test_a_lie_in_the_same_words_is_struck(text: str, citations: str) -> None:
    claim = await judged(text, citations)
    assert claim.status == "struck", claim.citations


async def test_only_what_the_sentence_lacks_is_cited_beside() -> None:
    claim = await judged("`take_ticket` allocates `s` with malloc.", "E3:2")
    assert [str(one) for one in claim.citations] == ["E3:2", "E3:1"]
    whole = await judged("`greet` was called by `main`.", "E2:1-2")
    assert [str(one) for one in whole.citations] == ["E2:1-2"]


async def test_another_instruction_than_the_faulting_one_may_be_named() -> None:
    claim = await judged("The crash is at `desk.c:20`, in `greet`.", "E2:1")
    assert "is in greet, not in is" not in claim.reason
