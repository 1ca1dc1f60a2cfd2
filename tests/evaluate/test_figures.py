"""What decides a case, and the figures made of verdicts."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from workbench.evaluate.aggregation import results
from workbench.evaluate.bare import concluded
from workbench.evaluate.comparing import compare, told
from workbench.evaluate.detection import detect
from workbench.evaluate.executing import Budget, spent_by
from workbench.evaluate.judging import is_origin, judge
from workbench.evaluate.page import junit, page, tables
from workbench.evaluate.records import Capture, Estimate, ModelUse, Results
from workbench.evaluate.schema import Case, Expected, Origin
from workbench.evaluate.statistics import bootstrap, by_chance, calibration, figure, quotient
from workbench.evaluate.worker import Job
from workbench.model.origin import OriginKind

UAF = Expected(category="use-after-free", also=("double-free",), wider=("wild-pointer",))


def case(expected: Expected = UAF, **more: Any) -> Case:
    given = {"id": "c", "corpus": "till", "component": "causes/use-after-free", "batch": "b"}
    return Case(**{**given, "expected": expected, **more})


@pytest.mark.parametrize(
    ("expected", "capture", "report", "verdict", "by", "weight"),
    [
        (UAF, {"category": "use-after-free"}, "", "right", "capture", 1.0),
        (UAF, {"category": "double-free"}, "", "right", "capture", 1.0),
        (UAF, {"category": "wild-pointer"}, "", "open", "capture", 1.0),
        (UAF, {"category": "unknown"}, "", "open", "capture", 1.0),
        (UAF, {"category": "deadlock"}, "", "wrong", "capture", 1.0),
        (Expected(category="panic", open=True), {"category": "unknown"}, "", "open", "capture",
         1.0),
        (Expected(category="panic", wider=("trap",), open=True), {"category": "trap"}, "", "right",
         "capture", 1.0),
        (Expected(category="unknown"), {"category": "unknown", "why": "no dump"}, "", "open",
         "capture", 1.0),
        (Expected(severity="DestAv"), {"why": "no dump"}, "", "open", "capture", 1.0),
        (Expected(category="trap", root_category="panic"), {"category": "panic"}, "", "right",
         "capture", 1.0),
        (Expected(facts={"os": "linux"}), {"parts": {"os": "wrong"}}, "", "wrong", "capture", 1.0),
        (Expected(facts={"os": "linux"}), {"parts": {"os": "open"}}, "", "open", "capture", 1.0),
        (Expected(facts={"os": "linux"}), {"parts": {"a": "right", "os": "open"}}, "", "open",
         "capture", 1.0),
        (Expected(facts={"os": "linux"}), {"parts": {"a": "wrong", "os": "open"}}, "", "wrong",
         "capture", 1.0),
        (Expected(severity="DestAv"), {"parts": {"severity": "right"}}, "", "right", "capture",
         1.0),
        (Expected(severity="DestAv"), {"parts": {"severity": "open"}}, "", "open", "capture", 1.0),
        (UAF, {"category": "use-after-free", "parts": {"signature": "open"}}, "", "right",
         "capture", 1.0),
        (UAF, {"category": "use-after-free", "parts": {"signature": "wrong"}}, "", "wrong",
         "capture", 1.0),
        (UAF, {"category": "unknown", "parts": {"severity": "wrong"}}, "", "wrong", "capture", 1.0),
        (Expected(event="answered/critic"), {"events": {"answered/critic": 2}}, "", "right",
         "event", 1.0),
        (Expected(event="answered/critic"), {}, "", "open", "event", 1.0),
        (Expected(pattern=r"till_\w+"), {}, "in till_close", "right", "pattern", 0.8),
        (Expected(words="it ran dry"), {"opinions": ["right", "right", "wrong"]}, "", "right",
         "judge", 0.6),
        (UAF, {"category": "wild-pointer", "opinions": ["right", "right", "wrong"]}, "", "right",
         "judge", 0.6),
        (UAF, {"category": "deadlock", "opinions": ["right"]}, "", "wrong", "capture", 1.0),
        (Expected(words="it ran dry"), {"opinions": ["right", "wrong"]}, "", "open", "judge", 0.6),
        (Expected(words="it ran dry"), {}, "", "open", "", 0.0),
        (UAF, {"status": "cannot", "why": "no gcc"}, "", "cannot", "", 0.0),
    ],
)  # fmt: skip
def test_the_first_that_can_tell_decides(
    expected: Expected, capture: dict[str, Any], report: str, verdict: str, by: str, weight: float
) -> None:
    found = detect(case(expected), Capture(id="c", **capture), report)
    assert (found.verdict, found.decided_by, found.weight) == (verdict, by, weight)


@pytest.mark.parametrize(
    ("known", "report", "part", "told"),
    [
        ({"functions": ["close"]}, {"frame": {"function": "close"}}, "frame", "right"),
        ({"functions": ["close"]}, {"frame": {"module": "till", "offset": "0x1"}}, "frame", "open"),
        ({"functions": ["close"]}, {"frame": {"function": "count"}}, "frame", "wrong"),
        ({"origins": [{"function": "a"}]}, {"origin": {"function": "a"}}, "origin", "right"),
        ({"origins": [{"function": "a"}]}, {}, "origin", "open"),
        ({"origins": [{"function": "a"}]}, {"origin": {"function": "b"}}, "origin", "wrong"),
        ({"severity": "DestAv"}, {"severity": {"class": "DestAv"}}, "severity", "right"),
        ({"severity": None}, {}, "severity", "right"),
        ({"severity": "DestAv"}, {}, "severity", "open"),
        ({"severity": "DestAv"}, {"severity": {"class": "SourceAv"}}, "severity", "wrong"),
        ({"severity": None}, {"severity": {"class": "SourceAv"}}, "severity", "wrong"),
        ({"signatures": ["close | main"]}, {"signature": "close | main"}, "signature", "right"),
        ({"signatures": ["close | main"]}, {}, "signature", "open"),
        ({"signatures": ["close | main"]}, {"signature": "main"}, "signature", "wrong"),
        ({"signatures": ["close | main"]}, {"signature": "a@0x1f | main"}, "signature", "open"),
        ({"rootCategory": "panic"}, {"category": "panic"}, "root category", "right"),
        ({"rootCategory": "panic"}, {}, "root category", "open"),
        ({"rootCategory": "panic"}, {"category": "trap"}, "root category", "wrong"),
        ({"facts": {"threads": 2}}, {"threadCount": 2}, "threads", "right"),
        ({"facts": {"threads": 2}}, {}, "threads", "open"),
        ({"facts": {"threads": 2}}, {"threadCount": 3}, "threads", "wrong"),
        ({"functions": ["close"], "facts": {"frames": ["count"]}},
         {"frame": {"function": "close"}}, "frame", "wrong"),
    ],
)  # fmt: skip
def test_a_part_that_is_not_told_is_open_and_one_told_otherwise_is_wrong(
    tmp_path: Path, known: dict[str, Any], report: dict[str, Any], part: str, told: str
) -> None:
    cause = {"category": "use-after-free", "rootCause": "", "frame": None, **report}
    summary = {"severity": None, "signature": None, **report}
    of = case(Expected.model_validate({"category": "use-after-free", **known}))
    analysis = {"aiAnalysis": cause, "summary": summary}
    assert judge(of, {"analysis": analysis}, tmp_path).parts.get(part) == told


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ({}, True),
        ({"file": None, "line": 2}, True),
        ({"file": "/build/till/drawer.c"}, True),
        ({"function": "till::close(int)"}, True),
        ({"function": "enclose"}, False),
        ({"line": 1}, False),
        ({"kind": "written"}, False),
        ({"file": "/src/other/drawer.c"}, False),
        ({"file": "vault.c"}, False),
    ],
)
def test_an_origin_is_a_function_a_line_a_kind_and_a_file(
    tmp_path: Path, said: dict[str, Any], holds: bool
) -> None:
    (tmp_path / "drawer.c").write_text("int used;\nfree(drawer);\n")
    known = Origin(function="close", kind=OriginKind.FREED, file="till/drawer.c", text="free(")
    one = case(folder=str(tmp_path), target="drawer.c")
    told = {"kind": "freed", "function": "close", "file": "drawer.c", "line": 2}
    assert is_origin(one, told | said, known) is holds


@pytest.mark.parametrize(
    ("kind", "expected", "capture", "verdict"),
    [
        ("policy", Expected(answer="forbid"), {"answer": "forbid"}, "right"),
        ("policy", Expected(answer="forbid"), {"answer": "accept"}, "wrong"),
        ("redaction", Expected(absent=("pw",), present=("f",)), {"left": "f x"}, "right"),
        ("redaction", Expected(absent=("pw",), present=("f",)), {"left": "f pw"}, "wrong"),
        ("redaction", Expected(absent=("pw",), present=("f",)), {"left": "x"}, "wrong"),
        ("statements", UAF, {"statements": {"exchanged": 9, "held": 0}}, "right"),
        ("statements", UAF, {"statements": {"exchanged": 9, "held": 1}}, "wrong"),
        ("statements", UAF, {"statements": {}}, "open"),
    ],
)
def test_policy_redaction_and_statements_are_captured(
    kind: str, expected: Expected, capture: dict[str, Any], verdict: str
) -> None:
    found = detect(case(expected, kind=kind), Capture(id="c", **capture), "")
    assert (found.verdict, found.decided_by) == (verdict, "capture")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("SUMMARY: AddressSanitizer: heap-use-after-free /src/leaked.c:31 in drawer_count",
         ("summary", "use-after-free", "drawer_count")),
        ("SUMMARY: AddressSanitizer: double-free (/srv/run/till+0x4f13bb)",
         ("summary", "double-free", "")),
        ("SUMMARY: AddressSanitizer: 24 byte(s) leaked in 2 allocation(s).",
         ("summary", "memory-leak", "")),
        ("SUMMARY: ThreadSanitizer: data race /src/a.c:5:3 in till::count(int)",
         ("summary", "data-race", "till::count")),
        ("SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior a.c:4:2 in",
         ("summary", "unknown", "")),
        ("DEFAULT_BUCKET_ID:  WRONG_SYMBOLS\nFAILURE_BUCKET_ID:  "
         "NULL_POINTER_READ_c0000005_double-free.exe!till::count+1f",
         ("!analyze", "null-pointer-dereference", "till::count")),
        ("FAILURE_BUCKET_ID:  WRONG_SYMBOLS_c00000fd_till.dll!Draw",
         ("!analyze", "stack-overflow", "Draw")),
        ("PRIMARY_PROBLEM_CLASS:  APPLICATION_HANG", ("!analyze", "deadlock", "")),
        ("a line SUMMARY: of none", None),
    ],
)  # fmt: skip
def test_what_a_logs_tool_concludes_is_its_baseline(
    tmp_path: Path, line: str, said: tuple[str, str, str] | None
) -> None:
    (tmp_path / "log").write_text(f"0:000> !analyze -v\n{line}\nquit:\n")
    found = concluded(tmp_path / "log").get("bare")
    assert (found and (found["tool"], found["category"], found["function"])) == said


@pytest.mark.parametrize(
    ("confirmed", "conflict"),
    [
        (("use-after-free",), ""),
        (("use-after-free", "deadlock"), "low"),
        (("use-after-free", "truncated-mapping"), "medium"),
        (("divide-by-zero", "truncated-mapping"), "low"),
        (("panic", "deadlock", "high-cpu"), "medium"),
        (("use-after-free", "double-free"), "high"),
    ],
)
def test_several_confirmed_causes_are_a_conflict(confirmed: tuple[str, ...], conflict: str) -> None:
    assert detect(case(), Capture(id="c", confirmed=confirmed), "").conflict == conflict


def test_the_pairs_of_causes_that_are_confirmed_together_are_counted() -> None:
    rows = {"a": ("panic", "trap"), "b": ("trap", "panic"), "c": ("panic", "trap", "deadlock")}
    captures = {id: Capture(id=id, confirmed=some) for id, some in rows.items()}
    cases = {id: case(id=id) for id in rows}
    found = results(cases, captures, [detect(cases[id], captures[id], "") for id in rows], "", "")
    assert next(iter(found.rivals.items())) == ("panic / trap", 3)
    assert found.rivals["deadlock / panic"] == 1


@pytest.mark.parametrize(
    ("status", "cloud", "cost", "spent"),
    [("failed", True, None, 0.5), ("failed", False, None, 0), ("done", True, 0.2, 0.2),
     ("done", True, None, 0.5)],
)  # fmt: skip
def test_what_a_case_of_unknown_cost_spent_is_all_that_it_might(
    tmp_path: Path, status: Any, cloud: bool, cost: float | None, spent: float
) -> None:
    used = () if status == "failed" else (ModelUse(name="m", tier="cloud", cost_usd=cost),)
    told = {"capture": Capture(id="c", status=status, models=used).model_dump()}
    job = Job(case=case(), cache=tmp_path, mode="isolated", timeout=1, wish={"allow_cloud": cloud})
    assert spent_by(told, job, 0.5) == spent


def test_intervals_are_wilsons() -> None:
    # Wilson (1927) for 8 of 10: 0.4902 to 0.9433
    found = figure(8, "abcdefghij")
    assert (found.low, found.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert (figure(0, "").low, figure(0, "").high) == (0.0, 1.0)
    assert figure(10, "abcdefghij").high == 1.0
    # Kish's effective size of sources with 8, 1 and 1 cases is 100 / 66; of two with 5 it is 2.
    assert figure(5, "a" * 8 + "bc").low < figure(5, "a" * 5 + "b" * 5).low


def test_variants_of_one_source_have_one_vote() -> None:
    rows = [(f"{source}{n}", "panic", "panic") for source in "ab" for n in range(5)]
    alone = _results(*rows)
    same = _results(*rows, source=lambda id: f"{id[0]}.c")
    (one,), (other,) = (found.groups["expected"].values() for found in (alone, same))
    for name in ("right", "open", "wrong", "precision", "recall"):
        known, fewer = getattr(one, name), getattr(other, name)
        assert (known.hits, known.of) == (fewer.hits, fewer.of)
        votes = figure(2 * known.hits // known.of, "ab")
        assert (fewer.low, fewer.high) == (votes.low, votes.high) != (known.low, known.high)
    assert [b.right.low for b in same.bins] == [figure(2, "ab").low]


def test_calibration_is_the_weighted_distance() -> None:
    bins, error = calibration(
        [(0.95, True, "a"), (0.95, True, "b"), (0.65, True, "c"), (0.65, False, "d")]
    )
    assert [(one.low, one.right.hits, one.right.of) for one in bins] == [(0.6, 1, 2), (0.9, 2, 2)]
    assert error is not None
    assert error.value == pytest.approx((0.15 + 0.05) / 2)
    assert calibration([]) == ((), None)


def test_other_figures_intervals_are_of_sources_drawn_again() -> None:
    rows = [(f"s{n}", (float(n % 10), 1.0)) for n in range(200)]
    found = bootstrap(rows, quotient)
    assert found is not None
    assert found == bootstrap(rows, quotient), "seeded"
    assert found.value == 4.5
    # The normal distribution's, of a mean with the standard deviation 2.87 and 200 rows.
    assert (found.low, found.high) == pytest.approx((4.5 - 0.398, 4.5 + 0.398), abs=0.05)
    two = [(f"s{n % 2}", row) for n, (_, row) in enumerate(rows)]  # odd and even numbers
    assert bootstrap(two, quotient) == Estimate(value=4.5, low=4.0, high=5.0)
    assert bootstrap([("one", (3.0, 2.0)), ("one", (1.0, 2.0))], quotient) == Estimate(value=1.0)
    assert bootstrap([], quotient) is None
    told = [(0.9, n % 10 != 0, f"s{n}") for n in range(100)]
    _, error = calibration(told)
    assert error is not None
    assert error.low is not None
    assert error.high is not None
    assert error.value == 0.0 <= error.low < 0.02 < error.high < 0.1


def _results(
    *rows: tuple[str, str, str], model: bool = False, source: Callable[[str], str] = str
) -> Results:
    """(id, expected, said); ``source`` of an id is its target."""
    cases = {
        id: case(Expected(category=wanted), id=id, target=source(id)) for id, wanted, _ in rows
    }
    uses = (ModelUse(name="m", tier="cloud", calls=2, cost_usd=0.5),) if model else ()
    captures = {
        id: Capture(id=id, category=said, confidence=0.9, models=uses) for id, _, said in rows
    }
    verdicts = [detect(cases[id], captures[id], "") for id in cases]
    return results(cases, captures, verdicts, "isolated", "offline")


def test_precision_and_recall_are_apart() -> None:
    found = _results(("a", "panic", "panic"), ("b", "panic", "unknown"), ("c", "trap", "panic"))
    row = found.groups["expected"]["panic"]
    assert row.precision is not None
    assert row.recall is not None
    assert (row.precision.hits, row.precision.of) == (1, 2)
    assert (row.recall.hits, row.recall.of) == (1, 2)
    whole = found.groups["all"]["all"]
    assert (whole.right.hits, whole.open.hits, whole.wrong.hits) == (1, 1, 1)
    assert found.confusion["trap"] == {"panic": 1}


def test_each_component_has_its_precision_and_recall() -> None:
    found = _results(("a", "panic", "panic"), ("b", "panic", "unknown"), ("c", "trap", "panic"))
    (row,) = found.groups["component"].values()
    assert row.precision is not None
    assert row.recall is not None
    assert (row.precision.hits, row.precision.of) == (1, 2)
    assert (row.recall.hits, row.recall.of) == (1, 3)


def test_the_page_shows_what_decided_and_how_many_samples_agree() -> None:
    found = _results(("a", "panic", "panic"), model=True)
    judged = found.cases[0].model_copy(update={"decided_by": "judge", "agreement": 0.67})
    told = page(found.model_copy(update={"cases": (judged,)}))
    assert "67 % agree" in told
    assert "<th>seconds</th>" in told


def test_each_figure_has_its_interval_on_the_terminal_and_on_the_page() -> None:
    rows = [(f"r{n}", "panic", "panic" if n % 3 else "trap") for n in range(9)]
    found = _results(*rows, model=True)
    two = {"confirmed": ("panic", "trap"), "bare_seconds": 2.0, "run_seconds": 3.0}
    captures = {id: Capture(id=id, category="panic", confidence=0.9, **two) for id, *_ in rows}
    cases = {id: case(Expected(category="panic"), id=id, target=id) for id, *_ in rows}
    verdicts = [detect(cases[id], captures[id], "") for id in cases]
    more = results(cases, captures, verdicts, "isolated", "offline")
    console = Console(width=200, record=True, file=StringIO())
    for one in (found, more):
        console.print(tables(one))
    told = console.export_text()
    for said in (
        "6/9 67% (35-88)", "0/9 0% (0-30)", "3/9 33% (12-65)", "seconds a case", "3 (3-3)",
        "expected calibration error 0.2333 (",
        "calls 2 (2-2)", "cost_usd 0.5 (0.5-0.5)", "investigations take 1.5 (1.5-1.5) of bare gdb",
        "low conflicts: 9/9 100% (70-100)",
    ):  # fmt: skip
        assert said in told
    shown = page(found) + page(more)
    for said in ("3/9 33% (12-65)", "error 0.2333 (", "0.5 (0.5-0.5)", "1.5 (1.5-1.5) of bare gdb"):
        assert said in shown


def test_costs_are_summed_by_model() -> None:
    (one,) = _results(("a", "panic", "panic"), ("b", "trap", "trap"), model=True).models
    assert (one.calls, one.cost_usd) == (4, 1.0)
    assert one.each["cost_usd"] == Estimate(value=0.5, low=0.5, high=0.5)


def test_without_a_model_each_loss_counts_and_with_one_more_than_noise() -> None:
    good, bad = ("a", "panic", "panic"), ("a", "panic", "unknown")
    rest = [(f"r{n}", "trap", "trap") for n in range(9)]
    lost = [(id, wanted, "unknown") for id, wanted, _ in rest]
    assert compare(_results(good, *rest), _results(bad, *rest)).is_regression
    one = compare(_results(good, *rest, model=True), _results(bad, *rest, model=True))
    assert [old.id for old, _ in one.lost] == ["a"]
    assert not one.is_regression
    assert compare(_results(*rest, model=True), _results(*lost, model=True)).is_regression
    assert by_chance(9, 0) == pytest.approx(1 / 512)
    assert compare(_results(bad), _results(good)).is_regression is False


@pytest.mark.parametrize(
    ("had", "has", "said"),
    [
        ({}, {"verdict": "failed", "notes": ("OSError: gone",)}, "failed (OSError: gone)"),
        ({"verdict": "open"}, {"verdict": "failed", "said": "x"}, "failed (x)"),
        ({"parts": {"origin": "right", "frame": "open"}}, {}, "right () without origin"),
        ({"parts": {"origin": "right"}}, {"parts": {"origin": "open"}}, "right () without origin"),
        ({"verdict": "open", "parts": {"frame": "right"}}, {"parts": {"frame": "wrong"}},
         "right () without frame"),
        ({"parts": {"origin": "open"}}, {}, ""),
        ({"verdict": "failed"}, {}, ""),
        ({}, {"verdict": "cannot"}, ""),
    ],
)  # fmt: skip
def test_a_failure_and_a_part_that_is_gone_are_losses(
    had: dict[str, Any], has: dict[str, Any], said: str
) -> None:
    (right,) = (blank := _results(("a", "panic", "panic"))).cases
    plain = right.model_copy(update={"said": ""})
    before, now = (
        blank.model_copy(update={"cases": (plain.model_copy(update=one),)}) for one in (had, has)
    )
    found = compare(before, now)
    assert found.is_regression == bool(said)
    assert [line for line in told(found) if "worse   a: " in line and line.endswith(said)] == (
        told(found)[:1] if said else []
    )


def test_a_budget_is_never_exceeded_by_those_that_share_it() -> None:
    budget = Budget(1.0, 2)
    first, second = budget.take(), budget.take()
    assert first == second == 0.5
    budget.give_back(first, 0.5)
    assert budget.take() == 0.0  # the other may still spend its half
    assert Budget(None, 2).take() is None


def test_hostile_words_are_text_in_every_output() -> None:
    evil = "<script>x</script>&\x1b[31m\x00"
    found = _results(("a", "panic", "panic"))
    (one,) = found.cases
    update = {"id": evil.replace("\x00", ""), "notes": (evil,), "said": evil, "component": evil}
    wrong = one.model_copy(update={**update, "verdict": "wrong"})
    told = found.model_copy(update={"cases": (wrong,)})
    for made in (page(told), junit(told)):
        assert "<script>" not in made
        assert not set(made) & {"\x1b", "\x00"}
