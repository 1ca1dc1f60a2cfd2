"""Threads that a question counts by what they do: a word that is not known counts nothing."""

import re

import pytest
from msgspec.structs import replace

from tests.chat.conftest import spoken
from workbench.agents.chat import members
from workbench.agents.chat.asked import read
from workbench.agents.chat.counts import counted
from workbench.agents.chat.looks import (
    heap_probes,
    told_of_blocks,
    told_of_regions,
    told_of_sources,
)
from workbench.agents.chat.meant import known_names
from workbench.agents.chat.members import symbols, wanted
from workbench.agents.chat.stated import stated
from workbench.agents.chat.talk import Talk
from workbench.agents.chat.topics import (
    of_headers,
    of_none_thrown,
    of_null,
    of_owned,
    of_registers,
    of_returns,
    of_the_cause,
    of_the_facts,
    undamaged,
)
from workbench.agents.chat.unknown import unheld
from workbench.agents.chat.values import tries
from workbench.agents.looking import commands as commands_of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Outcome
from workbench.model.critique import Conclusion
from workbench.model.evidence import Evidence, Source
from workbench.model.facts import (
    Chunk,
    FactBook,
    Fault,
    Frame,
    Heap,
    ListFault,
    Locals,
    Lock,
    LockCycle,
    Memory,
    Process,
    Region,
    Register,
    Registers,
    Stack,
    Variable,
    Wait,
)
from workbench.model.investigation import Investigation
from workbench.model.target import Target, TargetKind


def cite(number: int) -> Citation:
    return Citation("E1", number, number)


def wait(thread: int, kind: str, owner: int) -> Wait:
    return Wait(thread=thread, kind=kind, owner=owner, address=thread, cite=cite(thread))


ITEM = Evidence(
    id="E1", command="@locks", source=Source.FILE, intent="", at="", sha256="", size=1, lines=20,
    call_hash="",
)  # fmt: skip
STATE = Investigation(
    evidence={"E1": ITEM},
    facts=FactBook([
        Process(pid=1, command_line=None, executable=None, arch="x86_64", os="linux",
                threads=(1, 2, 3, 4, 5), snapshot=False, cite=cite(10)),
        wait(1, "join", 5), wait(2, "mutex", 3), wait(3, "mutex", 2),
        replace(wait(5, "mutex", 99), name="drawer"),
        Wait(thread=4, kind="other", syscall="tgkill", cite=cite(7)),  # as abort(3) does
        Lock(owner=4, name="queue", cite=cite(8)),
        LockCycle(threads=(2, 3), locks=(2, 3), cite=cite(9)),
        Stack(number=4, thread=4, name=None, cite=cite(11), current=False,
              frames=(Frame(index=0, function="___pthread_mutex_lock", line_no=11),
                      Frame(index=1, function="serve", line_no=12))),
    ])
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("how many threads are there?", 5),
        ("how many threads did the process have when it crashed?", 5),
        ("how many threads hold a mutex?", 3),  # nobody holds what a thread that is gone holds
        ("how many threads have a lock?", 3),
        ("what is the number of threads that own a monitor?", 3),
        ("how many threads are deadlocked?", 2),
        ("how many threads wait for each other?", 2),
        ("how many threads are in the cycle?", 2),
        ("how many threads wait for a mutex?", 3),
        ("how many threads are stuck?", 4),
        ("how many threads want the mutex?", 3),
        ("how many threads want to take a lock?", 3),
        ("how many threads wait for drawer?", 1),
        ("how many threads are sleeping?", 0),
        ("how many threads are in serve?", 1),
        ("how many threads are in pthread_mutex_lock?", 1),
        ("how many threads hold two locks?", None),
        ("how many threads hold no lock?", None),
        ("how many threads hold a file?", None),
        ("how many threads hold a mutex and wait for another?", None),
        ("how many threads are not deadlocked?", None),
        ("how many threads don't wait?", None),
        ("how many threads wait for the printer?", None),
        ("how many threads were created?", None),
        ("how many other threads are there?", None),
        ("how many threads leak memory?", None),
        ("how many threads are in serve and hold a lock?", None),
    ],
)
def test_what_is_counted(question: str, count: int | None) -> None:
    told = list(counted(_talk(question, STATE, {"serve"})))
    assert [one.claim.get("count") for one in told] == ([] if count is None else [count])
    assert all(one.agrees and one.claim.citations for one in told)


def _talk(question: str, state: Investigation, known: set[str]) -> Talk:
    return Talk(state, read(question, known), lambda _: "\n" * 20)


@pytest.mark.parametrize(("thread", "lead"), [(2, "It waits"), (4, "It does not wait")])
def test_a_thread_that_runs_is_not_said_to_wait(thread: int, lead: str) -> None:
    lines = "".join(f"line {number}\n" for number in range(20))
    talk = Talk(STATE, read(f"what does thread {thread} do?", set()), lambda _: lines)
    assert {lead} == {"It waits", "It does not wait"} & {
        one.get("lead") for one in of_the_facts(talk)
    }


@pytest.mark.parametrize(
    ("stated", "agrees"),
    [
        ("three threads wait for a mutex", [True]),
        ("four threads wait for a mutex", [False]),
        ("there are at least 4 threads", [True]),
        ("there were 200 threads", [False]),
        ("there are no 200 threads", []),
        ("200 threads were created", []),
        ("5 threads crashed", []),
        ("there were 5 threads before", []),
    ],
)
def test_a_count_that_is_stated(stated: str, agrees: list[bool]) -> None:
    assert [one.agrees for one in counted(_talk(stated, STATE, set()))] == agrees


def test_which_threads_wait_for_each_other() -> None:
    told = counted(_talk("which threads are deadlocked?", STATE, set()))
    assert [one.claim.get("threads") for one in told] == [None, "2, 3"]


@pytest.mark.parametrize(
    ("question", "told"),
    [("what was the first signal?", ["handled"]), ("which line was it?", [])],
)
def test_a_signal_that_a_handler_caught_is_told_first(question: str, told: list[str]) -> None:
    claim = replace(say("told", (cite(9),), how="handled", name="SIGSEGV"), status=Outcome.VERIFIED)
    state = replace(STATE, conclusion=Conclusion(
        hypothesis="H1", category=Category.WILD_POINTER, confidence=0.9, claims=(claim,),
    ))  # fmt: skip
    claims = of_the_cause(read(question), state)
    assert [one.get("how") for one in claims if "signal" in question] == told


@pytest.mark.parametrize(("thread", "kinds"), [(2, ["cycle"]), (5, [])])
def test_who_waits_outside_of_a_deadlock_is_no_part_of_it(thread: int, kinds: list[str]) -> None:
    state = replace(STATE, conclusion=Conclusion(
        hypothesis="H1", category=Category.DEADLOCK, confidence=0.9,
        claims=(replace(say("cycle", (cite(9),), threads="2, 3"), status=Outcome.VERIFIED),),
    ))  # fmt: skip
    told = stated(_talk(f"is thread {thread} part of the deadlock?", state, set()))
    assert [one.claim.kind for one in told if one.agrees] == kinds


@pytest.mark.parametrize(
    ("question", "null"),
    [
        ("which variable is null?", True),
        ("what was null?", True),
        ("which pointer is a null pointer?", True),
        ("is it null?", False),
        ("what is null terminated here?", False),
    ],
)
def test_which_value_is_null(question: str, null: bool) -> None:
    values = [say("value", (cite(1),), expression=name, value=value)
              for name, value in (("c->user", "(struct user *) 0x0"), ("c", "0x10"))]  # fmt: skip
    claims = tuple(replace(one, status=Outcome.VERIFIED) for one in values)
    state = Investigation(conclusion=Conclusion(
        hypothesis="H1", category=Category.NULL_POINTER_DEREFERENCE, confidence=0.9, claims=claims,
    ))  # fmt: skip
    told = [one.claim.get("expression") for one in of_null(_talk(question, state, set()))]
    assert told == (["c->user"] if null else [])


@pytest.mark.parametrize(
    ("question", "counts"),
    [
        ("how many threads wait for a lock?", [2]),  # the article
        ("how many threads wait for a?", [1]),
        ("how many threads wait for `a`?", [1]),
        ("how many threads wait for a and b?", [1, 1]),
    ],
)
def test_a_lock_may_have_the_name_of_a_word(question: str, counts: list[int]) -> None:
    named = FactBook(replace(wait(n, "mutex", 3 - n), name=" ab"[n]) for n in (1, 2))
    state = Investigation(facts=named, evidence={"E1": ITEM})
    told = counted(_talk(question, state, {"a", "b"}))
    assert [one.claim.get("count") for one in told] == counts


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("is anybody waiting for drawer?", [(5, True)]),
        ("does any thread wait for a join?", [(1, True)]),
        ("is someone waiting for a semaphore?", [(None, False)]),
        ("is anyone waiting for the lamp?", []),
        ("who is anybody waiting for?", []),
        ("does any thread sleep?", [(None, False)]),
        ("who is waiting for drawer?", [(None, True), (5, True)]),
        ("which thread waits for a join?", [(None, True), (1, True)]),
        ("who waits for what?", []),
    ],
)
def test_whether_anybody_waits(question: str, told: list[tuple[int | None, bool]]) -> None:
    found = counted(_talk(question, STATE, {"drawer"}))
    assert [(one.claim.get("thread"), one.agrees) for one in found] == told
    running = replace(STATE.facts.all(Process)[0], threads=(1, 2, 3, 4, 5, 6))  # it may spin
    facts = [running, *(f for f in STATE.facts if not isinstance(f, Process))]
    unsure = Investigation(evidence=STATE.evidence, facts=FactBook(facts))
    assert all(one.agrees for one in counted(_talk(question, unsure, {"drawer"})))


def test_a_container_counts_for_the_member_that_it_is() -> None:
    asked = read("how many stops does the truck have?", {"truck": True})
    target = Target(path="core", kind=TargetKind.ELF_CORE, size=1, arch="x86_64", os="linux")
    state = Investigation(target=target, chosen_debugger="gdb")
    impl = "truck.stops._M_impl"
    inner = "{_M_impl = {_M_start = 0x5010, _M_finish = 0x5028}}"
    load = "{_M_t = {_M_impl = {_M_node_count = 2}}}"
    texts = {
        "truck": f"$1 = {{plate = 101, stops = {inner}, load = {load}}}\n",
        f"{impl}._M_finish - {impl}._M_start": "$2 = 3\n",
    }
    commands = {one: next(tries(one, asked, state)).text for one in texts}
    state.evidence = {one: replace(ITEM, id=one, command=text) for one, text in commands.items()}
    told = [one.claim.text for one in members.stated(Talk(state, asked, texts.__getitem__))]
    assert [text.rpartition(" is ")[2].rstrip(".") for text in told] == ["3"]


@pytest.mark.parametrize(
    ("nouns", "variable"), [("entries", "entry_count"), ("cookies", "ncookies")]
)
def test_a_noun_and_a_variable_are_of_one_thing(nouns: str, variable: str) -> None:
    target = Target(path="core", kind=TargetKind.ELF_CORE, size=1, arch="x86_64", os="linux")
    state = Investigation(target=target, chosen_debugger="gdb")
    (asked,) = members.symbols(read(f"how many {nouns} are there?"), state)
    pattern = asked.text.rpartition(" ")[2].replace("\\(", "(").replace("\\)", ")")
    assert re.fullmatch(pattern.replace("\\?", "?").replace("\\|", "|"), variable)
    assert members._is_count(variable, {members._stem(nouns)})


def test_a_vector_of_the_object_counts() -> None:
    asked = read("how many stops are there?")
    frame = Frame(
        index=0, function="Truck::at", args="this=0x7ffd8", file="a.cpp", line=7, line_no=1
    )
    stack = Stack(number=1, thread=7, name=None, frames=(frame,), current=True, cite=cite(1))
    this = Variable(name="this", value="0x7ffd8", line=1)
    shown = Locals(function="Truck::at", frame=0, variables=(this,), cite=Citation("args", 1, 1))
    target = Target(path="core", kind=TargetKind.ELF_CORE, size=1, arch="x86_64", os="linux")
    state = Investigation(target=target, chosen_debugger="gdb", facts=FactBook([stack, shown]))
    texts = {
        "this": "$1 = (const Truck * const) 0x7ffd8\n",
        "*this": "$2 = {stops = {_M_impl = {_M_start = 0x5010, _M_finish = 0x5028}}}\n",
    }
    commands = {one: next(tries(one, asked, state)).text for one in texts}
    state.evidence = {one: replace(ITEM, id=one, command=text) for one, text in commands.items()}
    args = next(one.text for one in commands_of(state, 7, 0) if "args" in one.text)
    state.evidence["args"] = replace(ITEM, id="args", command=args)
    talk = Talk(state, asked, lambda item: texts.get(item, "\n"))
    inside = "this->stops._M_impl"
    assert f"{inside}._M_finish - {inside}._M_start" in wanted(talk)


@pytest.mark.parametrize(
    ("value", "way", "question", "agrees"),
    [
        ("{_M_t = {_M_impl = {_M_node_count = 2}}}", "._M_t._M_impl._M_node_count",
         "how many entries does load have?", [True]),
        ("(const std::set<int> &) @0x7ffd8: {_M_t = {_M_impl = {_M_node_count = 2}}}",
         "._M_t._M_impl._M_node_count", "is load empty?", [False]),
        ("alloc::vec::Vec<i64> {buf: RawVec<i64> {cap: 4}, len: 2}", ".len",
         "how many elements does load have?", [True]),
        ("{items = 0x0, len = 24}", ".len", "does load have 3 entries?", []),  # the program's own
    ],
)  # fmt: skip
def test_what_a_container_counts(value: str, way: str, question: str, agrees: list[bool]) -> None:
    asked = read(question, {"load": True})
    target = Target(path="core", kind=TargetKind.ELF_CORE, size=1, arch="x86_64", os="linux")
    state = Investigation(target=target, chosen_debugger="gdb")
    texts = {"load": f"$1 = {value}\n", f"load{way}": "$2 = 2\n"}
    commands = {one: next(tries(one, asked, state)).text for one in texts}
    state.evidence = {one: replace(ITEM, id=one, command=text) for one, text in commands.items()}
    found = list(members.stated(Talk(state, asked, texts.__getitem__)))
    assert [one.agrees for one in found] == agrees
    assert all(one.claim.text == f"`load{way}` is 2." for one in found)


@pytest.mark.parametrize(
    ("question", "agrees"),
    [
        ("is c->state LOADED?", [True]),
        ("is c->state FIRST?", [True]),
        ("is c->state FREE?", [False]),
        ("is c->state GONE?", []),
        ("is c->seat null?", [False]),
        ("is c->owner null?", [True]),
        ("is c->state STEP?", []),
        ("is c->next FREE?", []),
        ("is c->mode Mode::Draw?", [True]),
        ("is c->mode equal to Mode::Idle?", [False]),
        ("are c->state and c->mode equal?", [False]),
        ('is c->city "oslo"?', [True]),
        ("is c->at equal to &c->seat?", [True, True]),
        ('is c->name "north"?', [True]),
        ('is c->name equal to "nort"?', [False]),
        ('is c->name "north" or "south"?', []),
    ],
)
def test_names_of_an_enumeration_are_compared(question: str, agrees: list[bool]) -> None:
    asked = read(question, {"c": True})
    target = Target(path="core", kind=TargetKind.ELF_CORE, size=1, arch="x86_64", os="linux")
    state = Investigation(target=target, chosen_debugger="gdb")
    texts = {
        "c->state": "$1 = LOADED\n",
        "c->mode": "$3 = Mode::Draw\n",
        "c->city": "$4 = \"oslo\", '\\000' <repeats 11 times>\n",
        "c->at": "$7 = (struct seat *) 0x5010\n",
        "c->seat": "$9 = (struct seat &) @0x5010: {row = 0}\n",
        "c->owner": "$9 = (struct seat &) <error reading variable: Cannot access memory at address "
        "0x0>\n",
        "&c->seat": "$8 = (const struct seat *) 0x5010\n",
        "Mode::Draw": "$5 = Mode::Draw\n",
        "Mode::Idle": "$6 = Mode::Idle\n",
        "c->next": "Cannot access memory at address 0x4\n",
        "c->name": '$1 = "north\\000\\000"\n',
        "LOADED": "$2 = LOADED\n",
        "FIRST": "$2 = LOADED\n",  # another name of the same number
        "FREE": "$2 = FREE\n",
        "STEP": "$2 = 3\n",
    }
    commands = {one: next(tries(one, asked, state)).text for one in texts}
    state.evidence = {one: replace(ITEM, id=one, command=text) for one, text in commands.items()}
    assert [one.agrees for one in stated(Talk(state, asked, texts.__getitem__))] == agrees


@pytest.mark.parametrize(
    ("question", "locks"),
    [
        ("which locks does thread 4 hold?", ["queue"]),
        ("what does thread 3 hold?", [2]),
        ("does thread 4 hold queue?", []),
        ("which locks does thread 5 hold?", []),
    ],
)
def test_the_locks_of_a_thread(question: str, locks: list[str | int]) -> None:
    told = [one.claim for one in of_owned(_talk(question, STATE, {"queue"}))]
    assert [claim.get("name") or claim.get("lock") for claim in told] == locks


@pytest.mark.parametrize(
    ("question", "registers"),
    [
        ("which register held the null pointer?", ["rax"]),
        ("which register held 0x7f10?", ["rdi", "rsi"]),
        ("which register held 0x7f18?", []),
        ("who holds the register?", []),
    ],
)
def test_which_register(question: str, registers: list[str]) -> None:
    values = tuple(Register(n, v, 3) for n, v in (("rdi", 0x7F10), ("rbx", 1), ("rsi", 0x7F10)))
    fault = Fault(thread=4, pc=0x10, instruction="mov", mnemonic="mov", access="read", operand=8,
                  base_register="rax", base_value=0, cite=cite(2))  # fmt: skip
    facts = FactBook([fault, Registers(thread=4, frame=0, values=values, cite=cite(3))])
    state = Investigation(evidence={"E1": ITEM}, facts=facts)
    told = of_registers(_talk(question, state, set()))
    assert [one.claim.get("register") for one in told] == registers


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("where does 0x7f10 come from?", True),
        ("what was 0x7f10 loaded from?", True),
        ("where does 0x7f1 come from?", False),
        ("is 0x7f10 freed?", False),
    ],
)
def test_where_a_value_came_from_is_told_by_the_walk_back(question: str, told: bool) -> None:
    line = "origin 1: r12 was loaded with 0x7f10 from 0x8f10"
    fault = Fault(thread=4, pc=0x10, instruction="mov", mnemonic="mov", access="read",
                  cite=cite(2))  # fmt: skip
    state = Investigation(evidence={"E1": ITEM}, facts=FactBook([fault]))
    shown = told_of_sources(spoken(read(question), state, lambda *_: line))
    assert [one.claim.text for one in shown] == [f'On the way to the fault: "{line}"'] * told


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("which thread does 0x7f10 belong to?", ['0x7f10 belongs to: "stack of 5"']),
        ("whose stack is 0x7f10 in?", ['0x7f10 belongs to: "stack of 5"']),
        ("whose stack is 0x8f10 in?", []),
        ("which thread wrote 0x7f10?", []),
    ],
)
def test_whose_memory_an_address_is_in(question: str, told: list[str]) -> None:
    region = Region(start=0x7000, end=0x8000, perms="rw-", path=None, offset=0, kind="stack",
                    thread=5, dumped=True, line=2)  # fmt: skip
    frame = Frame(index=0, function="till", args="at=0x7f10", line_no=1)
    stack = Stack(number=1, thread=4, name=None, frames=(frame,), current=True, cite=cite(1))
    facts = FactBook([Memory(regions=(region,), cite=cite(2)), stack])
    talk = Talk(
        Investigation(evidence={"E1": ITEM}, facts=facts),
        read(question),
        lambda _: "#0\nstack of 5\n",
    )
    assert [one.text for one in of_the_facts(talk)] == told


@pytest.mark.parametrize(
    ("question", "agrees"),
    [
        ("is 0x7f10 on the stack?", [True]),
        ("is 0x7f10 in the heap?", [False]),
        ("is 0x5f10 in read-only memory?", [True]),
        ("is 0x7f10 in read-only memory?", [False]),
        ("which section is 0x5f10 in?", [True]),
        ("what memory does 0x5f10 point into?", [True]),
        ("is 0x9f10 on the stack?", []),  # who switches stacks maps them
        ("is 0x9f10 in the heap?", []),
        ("is 0x1f10 on the stack?", []),
        ("is 0x7f10 on the stack of main?", []),
    ],
)
def test_in_which_part_of_memory_an_address_lies(question: str, agrees: list[bool]) -> None:
    kinds = (("r--", "file"), ("rw-", "stack"), ("rw-", "anonymous"))
    regions = tuple(
        Region(start=0x5000 + at * 0x2000, end=0x6000 + at * 0x2000, perms=perms, path=None,
               offset=0, kind=kind, thread=None, dumped=True, line=2)
        for at, (perms, kind) in enumerate(kinds)
    )  # fmt: skip
    facts = FactBook([Memory(regions=regions, cite=cite(2))])
    state = Investigation(evidence={"E1": ITEM}, facts=facts)
    talk = Talk(state, read(question), lambda _: "\nthe mapping\n")
    assert [one.agrees for one in told_of_regions(talk)] == agrees


@pytest.mark.parametrize(
    ("question", "functions"),
    [
        ("what did strchr return?", ["__strchr_avx2"]),
        ("which function returned null?", []),
        ("what did main return?", []),
    ],
)
def test_what_a_function_was_concluded_to_return(question: str, functions: list[str]) -> None:
    held = say("returned_by", (cite(2),), function="__strchr_avx2", value=0)
    state = Investigation(evidence={"E1": ITEM})
    state.conclusion = Conclusion(
        hypothesis="H1", category=Category.NULL_POINTER_DEREFERENCE, confidence=0.9,
        claims=(replace(held, status=Outcome.VERIFIED),),
    )  # fmt: skip
    told = of_returns(_talk(question, state, set(known_names(state)) | {"main"}))
    assert [one.claim.get("function") for one in told] == functions


@pytest.mark.parametrize(
    ("question", "functions"),
    [
        ("which function returned null?", ["seek"]),
        ("what did seek return?", ["seek"]),
        ("what did main return?", []),
        ("which function returned null first?", []),
        ("did it return?", []),
    ],
)
def test_which_function_returned_null(question: str, functions: list[str]) -> None:
    fault = Fault(thread=4, pc=0x10, instruction="mov", mnemonic="mov", access="read", operand=8,
                  base_register="rax", base_value=0, origin_call="seek", origin_value=0,
                  cite=cite(2))  # fmt: skip
    state = Investigation(evidence={"E1": ITEM}, facts=FactBook([fault]))
    told = of_returns(_talk(question, state, {"seek", "main"}))
    assert [one.claim.get("function") for one in told] == functions


@pytest.mark.parametrize(
    "question", ["what is the number of the thread that crashed?", "how many locks are held?"]
)
def test_what_counts_no_threads(question: str) -> None:
    assert not list(counted(_talk(question, STATE, set())))


def test_no_variable_of_the_c_library_counts_the_programs() -> None:
    asked = read("how many coins are in the map?")
    [listing] = symbols(asked, STATE)
    state = Investigation(evidence={"E2": replace(ITEM, id="E2", command=listing.text)})
    rows = (
        "File ./intl/localealias.c:\n137:\tsize_t nmap;\n\n"
        "File ../nss/getXXbyYY.c:\n9:\tint nmaps;\n\n"
        "File till.c:\n7:\tint ncoins;\n"
    )
    assert wanted(Talk(state, asked, lambda _: rows)) == ["ncoins"]


@pytest.mark.parametrize(
    ("question", "relations"),
    [
        ("how much mass does grain 3 have?", ["?"]),  # which grain, not how many
        ("which worker took 7?", []),
        ("why were 5 jobs lost?", ["="]),
        ("there are 5 jobs", ["="]),
    ],
)
def test_what_asks_states_no_number(question: str, relations: list[str]) -> None:
    assert [amount.relation for amount in read(question).amounts] == relations


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("is a[1] 'd'?", "is a[1] 100?"),
        ("was *p == 'x'?", "was *p == 120?"),
        ("is 'n' null?", "is 'n' null?"),
        ("is a 'cd'?", "is a 'cd'?"),
    ],
)
def test_a_character_is_a_number(question: str, text: str) -> None:
    assert read(question).text == text


@pytest.mark.parametrize(
    ("question", "sizes"),
    [
        ("how large is the block at 0x4052a0?", [0x50]),
        ("what is the size of the chunk 0x4052a0?", [0x50]),
        ("how large is 0x4052a0?", [0x50]),
        ("is 0x4052a0 in a block?", []),
    ],
)
def test_how_large_a_block_is(question: str, sizes: list[int]) -> None:
    chunk = Chunk(address=0x4052A0, start=0x405290, size=0x50, state="in-use", offset=0,
                  heap=0x405000, cite=cite(9))  # fmt: skip
    talk = _talk(question, replace(STATE, facts=FactBook([chunk])), set())
    assert [one.claim.get("size") for one in told_of_blocks(talk)] == sizes
    assert len(heap_probes(talk)) == len(sizes)


@pytest.mark.parametrize(
    ("question", "locks"),
    [
        ("who holds the mutex?", [0x10, 0x20]),
        ("who holds the mutex at 0x20?", [0x20]),
        ("does thread 1 hold a lock?", [0x10, 0x20]),
        ("who waits for the mutex?", []),
    ],
)
def test_whose_holder_no_word_names(question: str, locks: list[int]) -> None:
    locked = ((1, "mutex", None, 0x10), (2, "mutex", None, 0x20), (3, "mutex", 2, 0x30),
              (4, "condition", None, 0x40))  # fmt: skip
    waits = [Wait(thread=tid, kind=kind, owner=owner, address=at, cite=cite(tid))
             for tid, kind, owner, at in locked]  # fmt: skip
    told = " ".join(unheld(read(question), replace(STATE, facts=FactBook(waits))))
    assert [at for *_, at in locked if f"the mutex at {at:#x} is not known" in told] == locks


_SOUND = Heap(start=0x405000, end=0x426000, chunks=9, in_use=8, free=1, cite=cite(2))
_DAMAGED = replace(_SOUND, broken_at=0x405320, broken="its size is 0", before=0x405300)
_LISTED = replace(_SOUND, list_faults=(ListFault(line=7, text="it leads to 0x41"),))


@pytest.mark.parametrize(
    ("question", "heaps", "agrees"),
    [
        ("is the heap corrupted?", [_SOUND, _DAMAGED], [True]),
        ("Was the heap's metadata overwritten?", [_DAMAGED, _DAMAGED], [True]),
        ("is there any heap corruption?", [_LISTED], [True]),
        ("so the heap is broken?", [replace(_DAMAGED, overrun=True)], [True]),
        ("is the heap intact?", [_DAMAGED], [False]),
        ("is the heap corrupted?", [_SOUND], []),  # a chunk's content may be
        ("was the heap corrupted by thread 3?", [_DAMAGED], []),
        ("is the heap full?", [_DAMAGED], []),
    ],
)
def test_whether_the_heap_is_damaged(question: str, heaps: list[Heap], agrees: list[bool]) -> None:
    talk = _talk(question, replace(STATE, facts=FactBook(heaps)), set())
    assert [bool(one.agrees) for one in of_headers(talk)] == agrees
    told = [one.get("state") for one in of_the_facts(talk) if one.kind == "headers"]
    assert len(told) == len({heap.broken_at for heap in heaps})
    assert bool(undamaged(talk)) is (heaps == [_SOUND])


@pytest.mark.parametrize(
    ("question", "summary", "told"),
    [
        ("which thread threw?", "no C++ exception in flight", True),
        ("which thread threw?", "uncaught exception of type int", False),
        ("which thread crashed?", "no C++ exception in flight", False),
    ],
)
def test_that_nothing_was_thrown(question: str, summary: str, told: bool) -> None:
    item = replace(ITEM, command="@exception", summary=summary)
    state = replace(STATE, facts=FactBook([]), evidence={"E1": item})
    talk = spoken(read(question), state, lambda _, line: f"line {line}")
    assert bool(list(of_none_thrown(talk))) is told
