"""Collects: the baseline, the tests of a hypothesis, and what a confirmed one still lacks."""

from msgspec.structs import replace

from analyzers.patterns.ending import of_signal
from analyzers.patterns.waitgraph import inferred_waits
from workbench.agents import experts
from workbench.agents.checking import book_of
from workbench.agents.ending import crashed_thread
from workbench.agents.managed import collect_managed, managed_code
from workbench.agents.ports import Ports, spelt
from workbench.claims.book import Book
from workbench.claims.check import check
from workbench.claims.printed import ROWS
from workbench.claims.values import scalar
from workbench.debuggers import policy
from workbench.model.citation import Citation
from workbench.model.claims import Claim, Outcome, Prediction
from workbench.model.events import HypothesisDecided, HypothesisMoved, PredictionsDecided, TestRan
from workbench.model.evidence import Command, question
from workbench.model.facts import FactBook, Fault, Frame, Process, Signal, Stack, Threads
from workbench.model.hypothesis import DECIDED, Hypothesis, Status, TestResult, Verdict
from workbench.model.investigation import Investigation
from workbench.model.listing import is_source
from workbench.model.target import TargetKind

FOLLOWUP_ROUNDS = 3
BACKTRACE_LIMIT = 64
_SMALL = 1_000_000
"""Bytes of an item that is looked through for what a prediction says."""

HEALTH = (
    Command("@health", "dump integrity"),
    Command("@notes", "process, what ended it, threads and registers from the dump's notes"),
    Command("@mappings", "what lies where in memory"),
)

# What only Windows' own debugger tells.
ANALYSIS = (
    question("", "what the debugger makes of the failure", cdb="!analyze -v"),
    question("", "the exception's registers and instruction", cdb=".ecxr"),
    question("", "who holds which critical section", cdb="!locks"),
)

FORETOLD = "what a hypothesis foretold"

STOP = Command("@stop", "why the debugger says that the program stopped, and on what")


def baseline(state: Investigation) -> list[Command]:
    """What is asked of every dump; what only some need depends on the facts of `HEALTH`."""
    commands = list(HEALTH)
    process, signal = state.facts.first(Process), state.facts.first(Signal)
    if process is None:
        return commands
    ended = crashed_thread(state.facts)
    if ended is not None:
        commands += [
            Command("@fault", "the faulting instruction and what it touched"),
            Command("@stack", "the shape of the faulting thread's stack"),
        ]
    minidump = state.target is not None and state.target.kind is TargetKind.MINIDUMP
    if minidump and (len(process.threads) > 1 or ended is None):
        commands.append(Command("@threads", "where every thread is, as far as it can be walked"))
    if signal is not None and signal.name == "SIGABRT":
        commands += [
            Command("@abort", "the message that the C library kept"),
            Command("@exception", "C++ exceptions in flight"),
        ]
    if signal is not None:
        commands += [
            Command("@heap", "whether the pointers involved point into freed memory"),
            Command("@reported", "which call failed last, and what the loader reported"),
        ]
    elif process.snapshot and not minidump:
        commands.append(Command("@heap", "what fills the heap"))
    ran = signal is None or of_signal(signal).sent
    if ran or len(process.threads) > 1:
        commands.append(Command("@locks", "what each thread waits for, and who holds it"))
    few, many = BACKTRACE_LIMIT // 2, BACKTRACE_LIMIT
    commands += [
        *ANALYSIS,
        question(f"bt {many}", "how the current thread got there",
                 lldb=f"thread backtrace --count {many}", cdb=f"kn 0n{many}"),
    ]  # fmt: skip
    if len(process.threads) > 1:
        commands += [
            question("info threads", "all threads and where they are",
                     lldb="thread list", cdb="~"),
            question(f"thread apply all bt {few}", "what every thread is doing",
                     lldb=f"thread backtrace --count {few} all", cdb=f"~*kn 0n{few}"),
        ]  # fmt: skip
    commands += [
        question("info registers", "the current thread's registers",
                 lldb="register read", cdb="r"),
        question("x/3i $pc", "the instructions at the current position",
                 lldb="disassemble --pc --count 3", cdb="u @$ip L3"),
    ]  # fmt: skip
    return commands


async def collect_baseline(ports: Ports) -> None:
    """Ask the baseline; the first answers decide what else belongs to it. A transcript has no
    baseline but itself."""
    if ports.state.recorded:
        await ports.ask(HEALTH[0])
        await ports.keep_recorded()
        target = ports.state.target  # of a folder each file tells by itself why it stopped
        one = target is not None and target.kind is TargetKind.TRANSCRIPT
        if one and ports.state.host in ("gdb", "lldb"):
            await ports.ask(STOP)
        return
    for command in HEALTH:
        await ports.ask(command)
    commands = spelt(ports.state, baseline(ports.state))
    ports.foresee(commands)
    for command in commands:
        await ports.ask(command)
    await collect_managed(ports)


async def test(ports: Ports, identifier: str) -> None:
    """Run a hypothesis's tests and what its expert asks next, then let the expert decide."""
    hypothesis = ports.state.hypotheses[identifier]
    if hypothesis.status is not Status.TESTING:
        await ports.record(HypothesisMoved(id=identifier, status=Status.TESTING, by="engine"))
    await _run_tests(ports, identifier, hypothesis.planned)
    for _ in range(FOLLOWUP_ROUNDS):
        asked = {result.command for result in ports.state.hypotheses[identifier].tests}
        wanted = spelt(ports.state, experts.followup(hypothesis.category, ports.state.facts))
        more = tuple(command for command in wanted if command.text not in asked)
        if not more or not await _run_tests(ports, identifier, more):
            break
    await _decide_predictions(ports, identifier)
    verdict = held_to(
        ports.state.hypotheses[identifier], experts.verdict(hypothesis.category, ports.state.facts)
    )
    if hypothesis.proposed_by == "user" and verdict.status is Status.INCONCLUSIVE:
        verdict = _by_own_tests(ports.state.hypotheses[identifier].predictions, verdict)
    if hypothesis.proposed_by == "model" and not hypothesis.edited:
        verdict = experts.doubted(hypothesis, verdict, ports.state.facts)
    if ports.state.recorded and verdict.status is not Status.CONFIRMED:
        verdict = _with_missing(ports.state, hypothesis.planned, verdict)
    await ports.record(HypothesisDecided(id=identifier, verdict=verdict))


async def foretell(ports: Ports, identifier: str) -> None:
    """Run what the predictions of a hypothesis are about, and decide them."""
    foretold = ports.state.hypotheses[identifier].predictions
    asked = (Command(one.command, FORETOLD, by_model=one.claim.by == "model") for one in foretold)
    await _run_tests(ports, identifier, tuple(asked))
    await _decide_predictions(ports, identifier)


async def _decide_predictions(ports: Ports, identifier: str) -> None:
    """What a hypothesis foretold, compared with what its tests showed: code decides. What was there
    before proves nothing, and refutes it all the same."""
    hypothesis = ports.state.hypotheses[identifier]
    if not hypothesis.predictions:
        return
    ran = {result.command: result.evidence for result in hypothesis.tests}
    texts = {id: await ports.text(id) for id in ran.values()}
    book = book_of(ports.state, lambda name: texts.get(name, ""))
    decided = []
    for prediction in hypothesis.predictions:
        evidence = ran.get(prediction.command)
        if evidence is None:
            decided.append(prediction)
            continue
        here = Citation(evidence)
        args = tuple(replace(arg, cites=(here,)) for arg in prediction.claim.args)
        claim = replace(prediction.claim, args=args)
        (found,) = check((claim,), book)
        wrong = found.status is Outcome.REFUTED
        old = int(evidence[1:]) <= prediction.known
        if (old and not wrong) or (
            hypothesis.proposed_by != "user"
            and (
                (wrong and not _compares(claim, book))
                or (found.holds and await _was_known(ports, prediction))
            )
        ):
            decided.append(prediction)
            continue
        decided.append(replace(prediction, claim=found, outcome=found.status, evidence=evidence))
    await ports.record(PredictionsDecided(id=identifier, predictions=tuple(decided)))


def _compares(claim: Claim, book: Book) -> bool:
    """False for a value that is printed as no number: a structure, a method, an error."""
    printed = (row.values.get("value") for row in ROWS["value"](book, claim, claim.citations))
    return claim.kind != "value" or any(scalar(str(value)) is not None for value in printed)


def held_to(hypothesis: Hypothesis, found: Verdict) -> Verdict:
    """A cause of which something came false that follows from it is not confirmed."""
    false = next((p for p in hypothesis.predictions if p.outcome is Outcome.REFUTED), None)
    if found.status is not Status.CONFIRMED or false is None or hypothesis.proposed_by == "model":
        return found
    return replace(
        found,
        status=Status.INCONCLUSIVE,
        confidence=min(found.confidence, 0.5),
        reason=f"Its prediction came false: {false.claim.text} {false.claim.reason}",
        contradicting=(*found.contradicting, Citation(false.evidence)),
        missing=(*found.missing, "why its prediction came false"),
    )


def _by_own_tests(predictions: tuple[Prediction, ...], found: Verdict) -> Verdict:
    """What a person's own tests say where no expert decides: a comparison that came out false
    rejects; those that all came true leave the verdict to the person."""
    false = tuple(Citation(p.evidence) for p in predictions if p.outcome is Outcome.REFUTED)
    true = tuple(Citation(p.evidence) for p in predictions if p.outcome is Outcome.VERIFIED)
    if false:
        reason = "Your own test came false."
        return replace(found, status=Status.REJECTED, reason=reason, contradicting=false)
    if not true:
        return replace(found, reason=f"{found.reason} Your own verdict: v.")
    reason = "Your own tests came true, and no expert proves it: your own verdict is v."
    return replace(found, confidence=0.5, reason=reason, supporting=(*found.supporting, *true))


async def _was_known(ports: Ports, prediction: Prediction) -> bool:
    """True where the evidence that was there before says it as well: that foretells nothing."""
    state = ports.state
    before = {id: item for id, item in state.evidence.items() if int(id[1:]) <= prediction.known}
    texts = {id: await ports.text(id) for id, item in before.items() if item.size <= _SMALL}
    args = tuple(replace(arg, cites=()) for arg in prediction.claim.args)
    facts = FactBook(fact for fact in state.facts if fact.cite.evidence in before)
    book = Book(facts, before, lambda name: texts.get(name, ""), inferred_waits)
    (found,) = check((replace(prediction.claim, args=args),), book)
    return found.holds


def _with_missing(state: Investigation, planned: tuple[Command, ...], verdict: Verdict) -> Verdict:
    """A command that a log does not hold is evidence that is missing, not evidence against."""
    failed = {item.command.text for item in state.failed_commands}
    asked = [command.text for command in planned if not command.by_model]
    missing = [f"the output of `{text}`: not in this log" for text in asked if text in failed]
    return replace(verdict, missing=tuple(dict.fromkeys((*verdict.missing, *missing))))


async def _foretell(ports: Ports, commands: tuple[Command, ...]) -> None:
    """Before commands run: what each cause that is not decided foretells of them."""
    state = ports.state
    asked = {item.command for item in state.evidence.values()}
    fresh = {command.text for command in commands} - asked
    open_ = [h for h in state.hypotheses.values() if h.status not in DECIDED]
    for hypothesis in open_ if fresh else ():
        if hypothesis.proposed_by == "model":
            continue
        known = {(one.command, one.claim.text) for one in hypothesis.predictions}
        new = []
        for command, claim in experts.foretold(hypothesis.category, state.facts):
            (asks,) = spelt(state, (command,)) or (command,)
            if asks.text in fresh and (asks.text, claim.text) not in known:
                new.append(Prediction(claim=claim, command=asks.text, known=len(state.evidence)))
        if new:
            stated = (*hypothesis.predictions, *new)
            await ports.record(PredictionsDecided(id=hypothesis.id, predictions=stated))


async def _run_tests(ports: Ports, identifier: str, commands: tuple[Command, ...]) -> bool:
    """Run what has not run for this hypothesis; True when at least one gave evidence."""
    ran = False
    await _foretell(ports, commands)
    done = {result.command for result in ports.state.hypotheses[identifier].tests}
    fresh = {command.text: command for command in commands if command.text not in done}
    ports.foresee(tuple(fresh.values()))
    for command in fresh.values():
        evidence = await ports.ask(command, identifier)
        if evidence is not None:
            result = TestResult(
                command=command.text, evidence=evidence.id, verdict=evidence.summary
            )
            ports.post(TestRan(id=identifier, result=result))
            ran = True
    if ran:
        await ports.record()
    return ran


async def deepen(ports: Ports) -> None:
    """Collect what a reader of the conclusion will want to see: the frame's source and locals."""
    for hypothesis in ports.state.decided():
        verdict = hypothesis.verdict
        if hypothesis.status is Status.CONFIRMED and verdict and verdict.frame:
            for command in spelt(ports.state, frame_commands(ports.state, verdict.frame)):
                await ports.ask(command, hypothesis.id)


async def watch(ports: Ports) -> None:
    """Evaluate what the person watches in the frame at fault: of a confirmed hypothesis, else where
    the process ended."""
    for expression in ports.state.options.watches:
        for command in spelt(ports.state, (watched(ports.state, expression),)):
            await ports.ask(command)


def watched(state: Investigation, expression: str) -> Command:
    """The command that evaluates an expression in the frame at fault."""
    confirmed = (h.verdict for h in state.decided() if h.status is Status.CONFIRMED)
    frames = [verdict.frame for verdict in confirmed if verdict is not None and verdict.frame]
    current = next((s for s in state.facts.all(Stack) if s.current and s.frames), None)
    frame = frames[0] if frames else current.frames[0] if current else Frame(index=0)
    level, select, in_cdb = selectors(state, frame)
    # What is more than a variable's members is interpreted: nothing of the target can run.
    variable = f"frame variable {expression}"
    read = policy.check(variable, "lldb").accepted
    in_lldb = variable if read else f"expression --allow-jit false -- {expression}"
    why = f"what the person watches: {expression}"
    in_lldb, in_cdb = f"{select}; {in_lldb}", f"{in_cdb}; ?? {expression}"
    return question(f"{level} print {expression}", why, lldb=in_lldb, cdb=in_cdb)


def selectors(
    state: Investigation, frame: Frame, stack: Stack | None = None
) -> tuple[str, str, str]:
    """How gdb, lldb and cdb are brought to a frame, wherever the selection is. ``stack`` is the one
    that it is of, where that is known: threads may have equal ones."""
    stack = stack or next((s for s in state.facts.all(Stack) if _holds(s, frame)), None)
    number = _number_elsewhere(state, stack) if stack is not None else None
    return selecting(number, frame.index)


def selecting(number: int | None, index: int) -> tuple[str, str, str]:
    """How gdb, lldb and cdb are brought to a frame of the thread that is selected, or of another
    one by the debugger's number."""
    gdb, lldb, cdb = ("",) * 3
    if number is not None:
        gdb, lldb, cdb = f"thread apply {number} -q ", f"thread select {number}; ", f"~{number}s; "
    return (
        f"{gdb}frame apply level {index} -q",
        f"{lldb}frame select {index}",
        f"{cdb}.frame 0n{index}",
    )


def frame_commands(state: Investigation, frame: Frame, stack: Stack | None = None) -> list[Command]:
    """Commands that show the source and variables of a frame (`selectors`).

    ``frame apply N list`` would go on from the last listing, so the line comes from ``frame`` and
    its surroundings from the address; a caller's address is that of the next instruction.
    """
    if frame.stack_pointer is not None:
        return managed_code(frame)
    level, select, in_cdb = selectors(state, frame, stack)
    if not is_source(frame.file):
        if frame.address is None:
            return []
        at = f"{frame.address:#x}"
        return [question(f"x/4i {at}", f"the code at frame {frame.index}", cdb=f"u {at} L4",
                         lldb=f"disassemble --start-address {at} --count 4")]  # fmt: skip
    shown = f"{select}; frame variable"
    commands = [
        question(f"{level} frame", f"the source line of frame {frame.index}",
                 lldb=select, cdb=in_cdb),
        question(f"{level} info args", f"the arguments of frame {frame.index}",
                 lldb=f"{shown} --no-locals"),
        question(f"{level} info locals", locals_intent(frame),
                 lldb=f"{shown} --no-args", cdb=f"{in_cdb}; dv /t /v"),
    ]  # fmt: skip
    address = frame.address
    fault = state.facts.first(Fault)
    if address is None and frame.index == 0 and fault is not None:
        address = fault.pc  # gdb leaves the address out where it begins a line
    if address is not None and not frame.inlined:
        address -= 1 if frame.index else 0
        what = f"the source around frame {frame.index}"
        in_lldb = f"source list --address {address:#x}"
        commands.append(question(f"list *{address:#x}", what, lldb=in_lldb))
    return commands


def locals_intent(frame: Frame) -> str:
    """Why the locals of a frame are asked for: the same in every debugger's words."""
    return f"the variables of frame {frame.index}"


def _holds(stack: Stack, frame: Frame) -> bool:
    """True when a frame is one of a stack's; a pattern may have added its module and its address
    since: gdb prints none where a frame's line begins."""
    key = (frame.index, frame.function, frame.args)
    return any(
        (f.index, f.function, f.args) == key and f.address in (None, frame.address)
        for f in stack.frames
    )


def _number_elsewhere(state: Investigation, stack: Stack) -> int | None:
    """The debugger's number of a stack's thread where that is not the one that is selected; our own
    reader's stacks have the TID alone."""
    if stack.thread == _current_thread(state):
        return None
    known = {s.thread: s.number for s in state.facts.all(Stack) if s.thread and s.number}
    return stack.number or known.get(stack.thread or 0)


def _current_thread(state: Investigation) -> int | None:
    """The TID that the debugger selects when it opens the dump."""
    items = (item for threads in state.facts.all(Threads) for item in threads.items)
    current = next((item.thread for item in items if item.current), None)
    return current if current is not None else crashed_thread(state.facts)
