"""What every rendering of a report says, in words and lines, before it is Markdown or HTML."""

from collections.abc import Iterable
from pathlib import PurePath

from analyzers.patterns.waitgraph import LOCKS
from workbench.model.category import Category
from workbench.model.report import DebuggerInfo, Metadata, Report
from workbench.model.report_conclusion import AiAnalysis, FrameRef, LedgerRow, OriginInfo
from workbench.model.report_findings import LockInfo, SeenBefore, StackFrame, ThreadGroup
from workbench.model.text import counted as counted
from workbench.model.text import printable

LONGEST = 400
"""Characters of a line that are shown."""

_STOPPED = {
    "inconclusive": "the evidence does not prove a cause", "timeout": "the time ran out",
    "interrupted": "it was interrupted", "failed": "the debugger failed",
    "maxIterations": "the model came to its last iteration",
    "maxToolCalls": "the model came to its last call", "maxTokens": "the model used up its tokens",
    "maxCost": "the model used up its money", "noProgress": "the model found nothing new any more",
}  # fmt: skip


_STRENGTHS = {
    "observed": "proved: a second run of the program observed it",
    "shown": "shown by the dump and the source, not observed in a run",
}
_FORCED = ", in forced order (one thread was held while the others ran)"


def strength(origin: OriginInfo) -> str:
    """How an origin is known."""
    return _STRENGTHS[origin.strength] + (_FORCED if origin.forced_order else "")


_NEVER_HELD = frozenset({"condition", "semaphore", "barrier", "once", "futex"})
"""Kinds of what threads wait for that another thread signals rather than gives back."""
_MOST_IN_RING = 8
_MOST_FINDINGS = 8


def visible(text: str) -> str:
    """`printable` text; tabs and newlines stay."""
    return printable(text, keep="\t\n")


def shortened(line: str) -> str:
    """A line made visible and no longer than anyone reads, with what is left out counted."""
    shown = visible(line[: LONGEST + 1])
    if len(line) <= LONGEST:
        return shown
    return f"{visible(line[:LONGEST])} … {len(line) - LONGEST:,} more characters"


def one_line(text: str) -> str:
    """A text for a place that has one line."""
    return visible(" ".join(text.split()))


def sentence(text: str) -> str:
    """A text that begins like a sentence; a name of code is left as it is (``std::terminate``)."""
    return text if "::" in text.partition(" ")[0] else text[:1].upper() + text[1:]


def headline(report: Report) -> str:
    """The cause in one sentence, or what is known when there is none: what failed and where, then
    where it began if that is another place."""
    ai = report.analysis.ai_analysis
    exception = report.analysis.exception
    signal = exception.signal or exception.type
    kind = report.analysis.summary.crash_type
    what = f"{f' {kind}' if kind else ''}{f' ({signal})' if signal else ''}"
    known = ai.category != "unknown"
    if ai.root_cause is not None and (known or ai.origin is not None):
        failed = ai.symptom.frame if ai.symptom is not None else None
        began = place(ai.frame, short=True)
        where = place(failed or ai.frame, short=True)
        words = Category(ai.category).words if known else sentence(what.strip())
        title = f"{words}{f' {_noticed(ai)}in {where}' if where else ''}"
        equals = ai.origin is not None and ai.origin.kind == "locked" and ai.origin.evidence[1:]
        title = (
            f"{title}, caused in {began}" if began not in (None, where) and not equals else title
        )
    else:
        where = place(ai.frame, short=True)
        title = f"Inconclusive{what}{f' in {where}' if where else ''}{known_of(ai)}"
        if kind == "snapshot" and outlived(ai):
            where = place(ai.frame, short=True)
            title = (
                f"No crash: a failure{f' in {where}' if where else ''} that the process outlived"
            )
    return title if strange(report.metadata) is None else f"{title} (made elsewhere)"


_NOTICED = frozenset({
    ("heap-buffer-overflow", "noticed"), ("heap-corruption", ""), ("heap-corruption", "heap"),
    ("heap-corruption", "tool"),
})  # fmt: skip
"""Causes, and how they are known, whose place is where the allocator came upon the damage."""


def _noticed(ai: AiAnalysis) -> str:
    causes = ({arg.name: arg.value for arg in one.args} for one in ai.claims if one.kind == "cause")
    known = ((args.get("category"), args.get("how", "")) for args in causes)
    return "noticed " if next(known, None) in _NOTICED else ""


_NAMES = frozenset({"value", "operand", "assigns", "calls", "frees"})


def known_of(ai: AiAnalysis) -> str:
    """What the source calls what failed, where no cause is proved."""
    said = (one.text for one in ai.claims if one.kind in _NAMES and one.status == "verified")
    return "".join(f": {one_line(text).rstrip('.')}" for text in [*said][:1])


def outlived(ai: AiAnalysis) -> bool:
    """True where what a log reports of its only failure is that the process went on."""
    said = (arg for claim in ai.claims if claim.kind == "told" for arg in claim.args)
    return any((arg.name, arg.value) == ("how", "outlived") for arg in said)


def place(frame: FrameRef | None, *, short: bool = False) -> str | None:
    """``function at file:line``, as far as it is known; ``short`` leaves the folders out."""
    if frame is None:
        return None
    name = frame.function or (frame.module and f"{frame.module}+{frame.offset or '?'}")
    if frame.file is not None:
        file = frame.file.rpartition("/")[2] if short else frame.file
        at = f"{file}:{frame.line}" if frame.line is not None else file
        return f"{name} at {at}" if name else at
    return name


def source_lines(ai: AiAnalysis) -> list[str]:
    """The source line at fault behind its place, then the one that failed where that is another;
    with the lines around each where they were read."""
    frames = (ai.frame, ai.symptom.frame if ai.symptom is not None else None)
    shown = {_place_of(frame): _source_of(frame) for frame in reversed(frames) if frame}
    return [
        line for frame in dict.fromkeys(map(_place_of, frames)) for line in shown.get(frame, ())
    ]


def _place_of(frame: FrameRef | None) -> tuple[object, ...]:
    """A line of source: a run names its file by another path than the dump does."""
    if frame is None or frame.file is None:
        return ()
    return (PurePath(frame.file).name, frame.line, frame.source, frame.context)


def _source_of(frame: FrameRef | None) -> list[str]:
    if frame is None or frame.source is None or frame.file is None:
        return []
    where = visible(f"{frame.file}:{frame.line}")
    if len(frame.context) < 2:
        return [f"{where}:  {shortened(frame.source.strip())}"]
    width = len(str(frame.context[-1].line))
    return [where] + [
        f"{'>' if text.line == frame.line else ' '} {text.line:>{width}}  {shortened(text.text)}"
        for text in frame.context
    ]


def confidence_words(confidence: float | None) -> str:
    """A confidence in words and as a number."""
    if confidence is None:
        return "none"
    steps = ((0.9, "very high"), (0.8, "high"), (0.5, "medium"), (0.2, "low"), (0.0, "very low"))
    words = next((name for limit, name in steps if confidence > limit), "none")
    return f"{words} ({confidence:.2f})"


def confidence_reasons(report: Report) -> tuple[str, ...]:
    """Why the confidence is not higher: the dump's health, where the confidence is all that it
    allows, and what the critic found."""
    ai, health = report.analysis.ai_analysis, report.analysis.core_health
    bound = health.ceiling is None or (ai.confidence or 0.0) >= health.ceiling
    found = list(health.caps) if bound else []
    last = ai.critique.rounds[-1] if ai.critique.rounds else None
    found += [
        issue.detail.partition(": ")[2] or issue.detail
        for issue in (last.issues if last is not None else ())
        if issue.kind == "overconfident"
    ]
    own = [claim for claim in ai.claims if claim.by != "model"]
    rejected = sum(claim.status != "verified" for claim in own)
    if rejected:
        were = "was" if rejected == 1 else "were"
        found.append(f"{rejected} of {len(own)} claims {were} rejected")
    return tuple(dict.fromkeys(found))


def ended(report: Report) -> str | None:
    """Why there is no conclusion, in a sentence; None when there is one."""
    ai = report.analysis.ai_analysis
    why = _STOPPED.get(ai.stopped_by or "")
    if why is None and ai.category == "unknown" and not (ai.root_cause and ai.origin):
        why = (
            "the investigation has not ended" if ai.stopped_by is None else _STOPPED["inconclusive"]
        )
    if why == _STOPPED["inconclusive"]:
        gone_on = "nothing in the log ended the process" if outlived(ai) else why
        why = _decided(ai, report.metadata.issue) or gone_on
    if why is None:
        return None
    reason = f" ({one_line(ai.stopped_reason)})" if ai.stopped_reason else ""
    return (
        f"No cause is stated: {why}{reason}."
        if ai.category == "unknown"
        else f"Note: {why}{reason}."
    )


def _decided(ai: AiAnalysis, issue: str | None) -> str | None:
    """What a person decided that leaves no cause to state, and what the evidence says to it; what
    it proves that their question is not about."""
    own = [h for h in ai.hypotheses if h.decided_by == "user"]
    chosen = " and ".join(h.id for h in own if h.status == "confirmed")
    if chosen:
        proved = [h.id for h in ai.hypotheses if h not in own and h.status == "confirmed"]
        to_it = f"; it proves {' and '.join(proved)}" if proved else ""
        return f"the user decided for {chosen}, which the evidence does not prove{to_it}"
    if own and len(own) == len(ai.hypotheses):
        untested = "" if any(h.tests for h in own) else ", untested"
        return f"the user rejected each hypothesis{untested}"
    confirmed = " and ".join(h.id for h in ai.hypotheses if h.status == "confirmed")
    if confirmed and not own and issue:
        return f"the evidence proves {confirmed}, which is not what the question is about"
    refused = " and ".join(h.id for h in own if h.status == "rejected")
    return f"the user rejected {refused}, and the evidence proves no other" if refused else None


def next_steps(report: Report) -> tuple[str, ...]:
    """What to do: advice, then what would lift the caps (first, where another program than the one
    that crashed was read: all else rests on that), then what is missing."""
    ai, health = report.analysis.ai_analysis, report.analysis.core_health
    advice = list(ai.summary.recommendations)
    lifts = [f"To lift the limits: {text}" for text in health.remedies]
    steps = lifts + advice if health.executable_matches is False else advice + lifts
    steps += [f"Still missing: {text}" for text in ai.missing]
    return tuple(dict.fromkeys(steps))


def frame_text(frame: StackFrame) -> str:
    """One frame as one line."""
    name = frame.function or frame.address or "?"
    if frame.file is not None:
        where = f" at {frame.file}" + (f":{frame.line}" if frame.line is not None else "")
    elif frame.module is not None:
        where = f" in {frame.module}" + (f"+{frame.offset}" if frame.offset is not None else "")
    else:
        where = ""
    doubt = "" if frame.trust == "symbols" else f" ({frame.trust})"
    args = f" ({frame.args})" if frame.args else ""
    return shortened(f"#{frame.index:<3} {name}{args}{where}{doubt}")


def folded_stack(frames: Iterable[StackFrame], most: int = 24, *, cut: bool = False) -> list[str]:
    """A stack as lines, the repeats of a recursion folded, the middle of a long one left out, all
    said so, and where the debugger's listing was ``cut``."""
    lines: list[str] = []
    repeated = 0
    last: tuple[object, ...] | None = None
    for frame in frames:
        key = (frame.function, frame.file, frame.line) if frame.function else (frame.address,)
        if key == last:
            repeated += 1
            continue
        if repeated:
            lines.append(f"     … the same {repeated} more time{'s' if repeated > 1 else ''}")
        repeated, last = 0, key
        lines.append(frame_text(frame))
    if repeated:
        lines.append(f"     … the same {repeated} more time{'s' if repeated > 1 else ''}")
    end = ["     … and further frames, which the debugger did not list"] if cut else []
    if len(lines) <= most:
        return [*lines, *end]
    tail = most // 4
    head = most - tail
    left_out = len(lines) - most
    return [*lines[:head], f"     … {left_out} more lines", *lines[-tail:], *end]


def findings(row: LedgerRow) -> tuple[str, ...]:
    """What was found in an output that was read in pieces, beside its summary."""
    return row.findings[:_MOST_FINDINGS] if row.overall_findings is not None else ()


def tells_of_threads(report: Report) -> bool:
    """Several threads, or stacks that nothing ended: a snapshot's, a log's that does not say it."""
    threads, ended = report.analysis.threads, report.analysis.exception.stack_trace
    stacks = any(group.stack_trace for group in threads.groups)
    return len(threads.items) > 1 or (stacks and not ended)


def ring_groups(report: Report) -> list[ThreadGroup]:
    """The threads that wait for each other, where their stacks are known; not the one that is shown
    as having ended the process."""
    analysis = report.analysis
    ring = {thread for each in analysis.synchronization.deadlocks for thread in each}
    shown = analysis.exception.thread_id if analysis.exception.stack_trace else None
    return [
        group
        for group in analysis.threads.groups
        if group.stack_trace and ring.intersection(group.thread_ids) - {shown}
    ][:_MOST_IN_RING]


def whose(group: ThreadGroup) -> str:
    """The threads of a group."""
    if not group.thread_ids:
        return "A thread that is not named"
    ids = ", ".join(map(str, group.thread_ids))
    several = f"{counted(len(group.thread_ids), 'thread')}:"
    return f"{'Thread' if len(group.thread_ids) == 1 else several} {ids}"


def doing(group: ThreadGroup) -> str:
    """What the threads of a group do, and for what or in which system call they wait."""
    state = group.state or "state not known"
    if not group.waits_for:
        return state
    if group.waits_for.isidentifier() and group.waits_for not in LOCKS:
        return f"{state} in {group.waits_for}"
    if state == "waiting":
        return f"{state} for {group.waits_for}"
    return f"{state}, {'wait' if len(group.thread_ids) > 1 else 'waits'} for {group.waits_for}"


def facts_table(report: Report) -> list[tuple[str, str]]:
    """What ended the process, where and when, as name and value; unknown ones left out."""
    analysis, meta = report.analysis, report.metadata
    exception, environment = analysis.exception, analysis.environment
    of = analysis.summary.severity  # CASR's class and level with the chain of reasons
    rows: list[tuple[str, str | None]] = [("kind", analysis.summary.crash_type)]
    if exception.type != exception.signal:
        rows.append(("exception", exception.type))
    code = f" ({exception.signal_code})" if exception.signal_code else ""
    rows += [
        ("signal", f"{exception.signal}{code}" if exception.signal else None),
        ("message", exception.message),
        ("severity", f"{of.class_} ({of.level}): {'; '.join(of.reasons)}" if of.class_ else None),
        ("signature", analysis.summary.signature),
        ("stack hash", analysis.summary.stack_hash),
        ("seen before", _seen_before(analysis.summary.seen_before)),
        ("exception address", exception.address if exception.signal is None else None),
        ("fault address", exception.fault_address),
        ("thread", str(exception.thread_id) if exception.thread_id is not None else None),
    ]
    count = analysis.summary.thread_count
    named = environment.system or environment.os
    system = " ".join(part for part in (named, environment.arch) if part)
    rows += [
        ("process", str(environment.pid) if environment.pid is not None else None),
        ("command line", environment.command_line),
        ("threads", str(count) if count is not None else None),
        ("executable", meta.executable),
        ("dump", f"{meta.dump.path} ({meta.dump.size:,} bytes)" if meta.dump else None),
        ("sha256", meta.dump.sha256 if meta.dump else None),
        ("system", system or None),
        ("debugger", _debugger(meta.debugger)),
        ("session", meta.session_id or None),
    ]
    seen = analysis.summary.seen_before
    rows += [("differs from then", text) for text in (seen.differs if seen else ())]
    again = {True: "the citations hold", False: "the citations differ", None: None}
    rows.append(("run again", again[meta.verified]))
    for one in analysis.watches or ():
        rows.append((f"watched: {one.expression}", one.value or one.reason))
    if analysis.security is not None:
        rows += [("an attacker decides", text) for text in analysis.security.controllable]
        rows += [
            (one.name, f"{words[one.present]}: {one.reason} {one.evidence or ''}".rstrip())
            for words in ({True: "yes", False: "NO", None: "not known"},)
            for one in analysis.security.mitigations
        ]
    return [(one_line(name), one_line(value)) for name, value in rows if value]


def strange(meta: Metadata) -> str | None:
    """What is to be known first of a report that nobody here vouches for."""
    if not meta.made_elsewhere or meta.verified:
        return None
    return (
        "Made elsewhere, and not verified here: it was concluded again from its texts alone; "
        f"`workbench verify {meta.session_id}` runs its commands, once `workbench sessions import` "
        "has taken it over."
    )


def _seen_before(seen: SeenBefore | None) -> str | None:
    if seen is None:
        return None
    times = "once" if seen.count == 1 else f"{seen.count} times"
    cause = f"confirmed cause {seen.confirmed}" if seen.confirmed else "no confirmed cause"
    return f"{times}, last on {seen.last_at[:16]}, {cause} ({seen.last_session_id})"


def health_table(report: Report) -> list[tuple[str, str]]:
    """How far the dump can be trusted, as name and value."""
    health = report.analysis.core_health
    modules = health.modules
    matches = {True: "matches the dump", False: "does NOT match the dump", None: "not known"}
    truncated = {True: "yes", False: "no", None: "not known"}
    rows = [
        ("truncated", truncated[health.truncated]),
        ("executable", matches[health.executable_matches]),
        (
            "modules",
            f"{modules.total}, {modules.with_symbols} with symbols, "
            f"{modules.mismatched} mismatched, {modules.missing} missing",
        ),
    ]
    if health.memory.dumped is not None:
        rows.append(
            ("memory", f"{health.memory.dumped:,} bytes, {health.memory.missing or 0:,} missing")
        )
    rows += [("limits", one_line(cap)) for cap in health.caps]
    return rows


def held(lock: LockInfo) -> str:
    """Who holds a lock, in front of who waits for it; empty for what nobody ever holds."""
    if lock.owner is not None:
        return f"held by thread {lock.owner}; "
    return "" if lock.kind in _NEVER_HELD else "holder not known; "


def _debugger(debugger: DebuggerInfo | None) -> str | None:
    if debugger is None:
        return None
    why = f" ({debugger.why})" if debugger.why else ""
    return f"{debugger.name} {debugger.version}{why}"
