"""Stage 4, second half: the figures of all verdicts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import combinations

from workbench import __version__
from workbench.evaluate.detection import source_of
from workbench.evaluate.judging import OPEN, RIGHT, WRONG, verdict
from workbench.evaluate.records import Capture, Estimate, Figure, ModelTotal, Results, Row, Verdict
from workbench.evaluate.schema import Case
from workbench.evaluate.statistics import bootstrap, calibration, figure, quotient

JUDGED = ("right", "open", "wrong", "failed")
GROUPS = ("corpus", "component", "batch", "expected")


def row(verdicts: Sequence[Verdict]) -> Row:
    """The verdicts of one group. What failed claims nothing: it is open, and counted beside.
    Precision is of what was claimed, recall of all that was judged."""
    count = Counter[str](one.verdict for one in verdicts)
    judged = [one for one in verdicts if one.verdict in JUDGED]
    having = {
        part: [one for one in verdicts if part in one.parts]
        for part in sorted({name for one in verdicts for name in one.parts})
    }
    shares, astray = (
        {
            part: _share(mine, (one.parts[part] == told for one in mine))
            for part, mine in having.items()
        }
        for told in (RIGHT, WRONG)
    )
    right = _share(judged, (one.verdict == RIGHT for one in judged))
    claimed = [one for one in judged if one.verdict in (RIGHT, "wrong")]
    return Row(
        right=right,
        recall=right,
        precision=_share(claimed, (one.verdict == RIGHT for one in claimed)),
        open=_share(judged, (one.verdict in ("open", "failed") for one in judged)),
        wrong=_share(judged, (one.verdict == "wrong" for one in judged)),
        parts=shares,
        astray=astray,
        cannot=count["cannot"],
        failed=count["failed"],
        seconds=round(sum(one.seconds for one in verdicts), 3),
        each=bootstrap(((_source(one), (one.seconds, 1)) for one in judged), quotient),
    )


def _share(some: Sequence[Verdict], hits: Iterable[bool]) -> Figure:
    return figure(sum(hits), [_source(one) for one in some])


def _source(one: Verdict) -> str:
    return one.source or one.id


def results(
    cases: Mapping[str, Case],
    captures: Mapping[str, Capture],
    verdicts: Sequence[Verdict],
    mode: str,
    tier: str,
) -> Results:
    """All figures."""
    groups: dict[str, dict[str, Row]] = {"all": {"all": row(verdicts)}}
    for by in GROUPS:
        mine: dict[str, list[Verdict]] = defaultdict(list)
        for one in verdicts:
            mine[getattr(one, by) or "none"].append(one)
        groups[by] = {name: row(some) for name, some in sorted(mine.items())}
    causes = [one for one in verdicts if one.decided_by == "capture" and _is_cause(one, cases)]
    groups["expected"] = {
        name: _with_precision(name, known, causes) for name, known in groups["expected"].items()
    }
    told = [
        (one.confidence, one.verdict == RIGHT, one.source)
        for one in causes
        if one.confidence is not None and one.said != "unknown"
    ]
    bins, error = calibration(told)
    confusion: dict[str, Counter[str]] = defaultdict(Counter)
    for one in causes:
        confusion[one.expected][one.said] += 1
    pairs = Counter(
        " / ".join(pair) for one in verdicts for pair in combinations(sorted(one.rivals), 2)
    )
    return Results(
        version=__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        mode=mode,
        tier=tier,
        groups=groups,
        bins=bins,
        calibration_error=error,
        confusion={name: dict(count) for name, count in sorted(confusion.items())},
        conflicts={
            grade: _share(verdicts, (one.conflict == grade for one in verdicts))
            for grade in sorted({one.conflict for one in verdicts if one.conflict})
        },
        rivals=dict(pairs.most_common(20)),
        models=tuple(_models(cases, captures)),
        seconds=_seconds(captures.values()),
        to_bare=_to_bare(cases, captures),
        bare=_bare(cases, captures),
        cases=tuple(verdicts),
    )


def _is_cause(one: Verdict, cases: Mapping[str, Case]) -> bool:
    case = cases[one.id]
    return case.kind == "triage" and case.expected.category is not None


def _with_precision(name: str, known: Row, causes: Sequence[Verdict]) -> Row:
    """Of what was said to be this cause, how much was right; of what is this cause, how much was
    said to be it."""
    said = [one for one in causes if one.said == name]
    true = [one for one in causes if one.expected == name]
    if not said and not true:
        return known
    return known.model_copy(
        update={
            "precision": _share(said, (one.verdict == RIGHT for one in said)),
            "recall": _share(true, (one.said == name for one in true)),
        }
    )


_COUNTED = ("calls", "input_tokens", "output_tokens", "reasoning_tokens", "seconds", "cost_usd")


def _models(cases: Mapping[str, Case], captures: Mapping[str, Capture]) -> Iterable[ModelTotal]:
    """Each model's sums, and what a case takes of it: of all cases, for one that asks nothing
    costs nothing. A cost is known where every call's is."""
    sources = [source_of(cases[id]) for id in captures]
    used = sorted({(model.name, model.tier) for one in captures.values() for model in one.models})
    for which in used:
        asked = [[m for m in one.models if (m.name, m.tier) == which] for one in captures.values()]
        sums: dict[str, float] = {}
        each: dict[str, Estimate | None] = {}
        for word in _COUNTED:
            told = [[getattr(model, word) for model in models] for models in asked]
            if not any(None in ones for ones in told):
                by_case = [sum(ones) for ones in told]
                sums[word] = round(sum(by_case), 6)
                pairs = zip(sources, ((one, 1) for one in by_case), strict=True)
                each[word] = bootstrap(pairs, quotient)
        name, tier = which
        yield ModelTotal.model_validate({"name": name, "tier": tier, "each": each, **sums})


def _to_bare(cases: Mapping[str, Case], captures: Mapping[str, Capture]) -> Estimate | None:
    return bootstrap(
        (
            (source_of(cases[id]), (one.run_seconds, one.bare_seconds))
            for id, one in captures.items()
            if one.bare_seconds is not None
        ),
        quotient,
    )


def _seconds(captures: Iterable[Capture]) -> dict[str, float]:
    """Summed over cases: making targets, investigating, and the bare debugger where it was run."""
    rows = [(one.make_seconds, one.run_seconds, one.bare_seconds or 0.0) for one in captures]
    sums = zip(("make", "run", "bare"), map(sum, zip(*rows, strict=True)), strict=False)
    return {name: round(seconds, 2) for name, seconds in sums if seconds}


def _bare(cases: Mapping[str, Case], captures: Mapping[str, Capture]) -> dict[str, Row]:
    told = defaultdict(list)
    for id, one in captures.items():
        if found := bare_verdict(cases[id], one):
            told[one.bare.get("tool", "gdb")].append(found)
    return {tool: row(some) for tool, some in sorted(told.items())}


def bare_verdict(case: Case, capture: Capture | None) -> Verdict | None:
    """What the tool alone says of a case (`bare`), held to the same expectation; None where there
    is none."""
    if capture is None or not capture.bare or not case.expected.category:
        return None
    said, expected = capture.bare["category"], case.expected
    found = verdict(expected, said)
    named: dict[str, str] = {}
    if expected.functions:
        function = capture.bare["function"]
        named["frame"] = (
            (WRONG if function else OPEN) if function not in expected.functions else RIGHT
        )
    return Verdict.model_validate(
        {
            "id": case.id,
            "source": source_of(case),
            "verdict": found,
            "said": said,
            "parts": named,
            "decidedBy": "capture",
        }
    )
