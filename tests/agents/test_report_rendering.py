"""Markdown and HTML say the same as the JSON, cause first, and nothing from a dump breaks out."""

import re
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.agents.cases import FRAME, GOOD, TEXTS, claim, evidence, opening, state_of
from tests.agents.test_report_writer import LIE, finished
from workbench.agents.markdown import block, code, prose, table
from workbench.agents.report.excerpts import uncited
from workbench.agents.report.html import render_html
from workbench.agents.report.markdown import render_markdown
from workbench.agents.report.view import (
    confidence_reasons,
    folded_stack,
    next_steps,
    one_line,
    sentence,
    shortened,
    source_lines,
    visible,
)
from workbench.agents.report.writer import build_report
from workbench.engine.reports import render
from workbench.model.assisted_events import Explained, Explanation
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Outcome
from workbench.model.events import EvidenceRecorded
from workbench.model.facts import SourceLine, Stack
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind, Strength
from workbench.model.report import Report
from workbench.model.report_conclusion import ArgInfo
from workbench.model.report_findings import LockInfo, StackFrame, Synchronization, ThreadGroup


def report(*extra: object) -> Report:
    return build_report(finished(*GOOD, LIE), TEXTS)


def markdown() -> str:
    return render_markdown(report(), TEXTS)


def test_the_cause_comes_first() -> None:
    lines = markdown().split("\n")
    assert lines[0] == "# Use after free in conn_drop at ring.c:42"
    assert lines[2] == (
        "**`conn_drop` at `ring.c:42` uses memory after it was freed: 0x4052a0 is inside the chunk "
        "at 0x405290 of size 0x20, which is free in the tcache.** (E2:1, E3:2)"
    )
    assert "src/ring.c:42:  c->next = NULL;" in lines[5]
    assert "- Category: use-after-free (CWE-416)" in lines


@pytest.mark.parametrize(
    ("kind", "forced", "said"),
    [
        (Strength.OBSERVED, False, "proved: a second run of the program observed it"),
        (Strength.OBSERVED, True, "observed it, in forced order (one thread was held while the"),
        (Strength.SHOWN, False, "shown by the dump and the source, not observed in a run"),
    ],
)
def test_how_an_origin_is_known_is_told_everywhere(kind: Strength, forced: bool, said: str) -> None:
    state = finished(*GOOD)
    runs = 2 if kind is Strength.OBSERVED else 0
    assert state.conclusion is not None
    state.conclusion = replace(state.conclusion, origin=replace(BEGAN, runs=runs, forced=forced))
    made = build_report(state, TEXTS)
    assert made.analysis.ai_analysis.origin is not None
    told = made.analysis.ai_analysis.origin
    assert (told.strength, told.forced_order) == (kind, forced)
    assert said in render_markdown(made, TEXTS)
    assert said in render_html(made, TEXTS)


@pytest.mark.parametrize(
    ("how", "title"),
    [
        ("noticed", "Heap buffer overflow noticed in conn_drop at ring.c:42"),
        ("", "Heap buffer overflow in conn_drop at ring.c:42"),
    ],
)
def test_the_place_where_damage_was_noticed_is_not_told_as_its_place(how: str, title: str) -> None:
    made = report()
    ai = made.analysis.ai_analysis
    known = {"category": "heap-buffer-overflow", "how": how}
    args = tuple(ArgInfo(name=name, value=value, citations=()) for name, value in known.items())
    claims = (replace(ai.claims[0], kind="cause", args=args), *ai.claims[1:])
    ai = replace(ai, category=known["category"], claims=claims)
    made = replace(made, analysis=replace(made.analysis, ai_analysis=ai))
    assert f"# {title}\n" in render_markdown(made, TEXTS)
    assert f"<title>{title}</title>" in render_html(made, TEXTS)


def test_one_line_that_a_run_names_by_another_path_is_shown_once() -> None:
    ai = report().analysis.ai_analysis
    assert ai.frame is not None
    assert ai.symptom is not None
    run = replace(ai.frame, file=f"/home/me/{ai.frame.file}", function="release")
    dump = replace(ai, frame=run, symptom=replace(ai.symptom, frame=ai.frame))
    (line,) = source_lines(dump)
    assert line.startswith("/home/me/src/ring.c:42:  c->next = NULL;")
    other = replace(run, line=7, source="c->next = old;")
    assert len(source_lines(replace(dump, frame=other))) == 2


def test_what_a_model_alone_says_is_no_origin() -> None:
    state = finished(*GOOD)
    said = Explanation(hypothesis=None, confidence=0.9, claims=(), origin=BEGAN, text="It began.")
    state.apply(Explained(explanation=said), datetime.now(UTC))
    ai = build_report(state, TEXTS).analysis.ai_analysis
    assert ai.origin is None
    assert ai.explanation is not None
    assert ai.explanation.origin is not None
    assert (ai.explanation.origin.strength, ai.explanation.confidence) == (Strength.SAID, 0.5)


BEGAN = Origin(
    kind=OriginKind.CLEARED,
    function="reset",
    file="ring.c",
    line=7,
    evidence=(Citation("E3", 2, 2),),
)


def test_outputs_that_differ_in_nothing_are_one_row() -> None:
    whole = report()
    ai = whole.analysis.ai_analysis
    row = replace(ai.evidence_ledger[0], command="(report)", summary="the same")
    rows = [replace(row, id=f"E{number}") for number in range(91, 96)]
    rows[4] = replace(rows[4], summary="another")
    ledger = (*ai.evidence_ledger, *rows)
    many = replace(
        whole, analysis=replace(whole.analysis, ai_analysis=replace(ai, evidence_ledger=ledger))
    )
    assert [one.id for one in uncited(many)][-2:] == ["E91-E94", "E95"]


def test_sections_stand_in_the_readers_order() -> None:
    titles = [line[3:] for line in markdown().split("\n") if line.startswith("## ")]
    assert titles == [
        "Evidence chain",
        "Stack of thread 4711",
        "Hypotheses",
        "Rejected by the critic",
        "What to do next",
        "Open questions",
        "Evidence",
        "Other commands run",
        "Threads",
        "What the process was doing",
        "Health of the dump",
        "Environment",
    ]


def test_confidence_says_why_it_is_not_higher() -> None:
    line = next(line for line in markdown().split("\n") if line.startswith("- Confidence"))
    assert line == (
        "- Confidence: low (0.50). Not higher because: the evidence refutes a statement that it "
        "rests on; 1 of 5 claims was rejected"
    )


@pytest.mark.parametrize("matches", [True, False])
def test_the_right_program_is_asked_for_before_all_else(matches: bool) -> None:
    told = report()
    health = replace(told.analysis.core_health, executable_matches=matches, remedies=("Pass it",))
    steps = next_steps(replace(told, analysis=replace(told.analysis, core_health=health)))
    assert len(steps) > 1
    assert (steps[0] == "To lift the limits: Pass it") is not matches


def test_a_limit_that_does_not_hold_it_down_is_no_reason() -> None:
    whole = report()
    ai = replace(whole.analysis.ai_analysis, confidence=0.9)
    high = replace(whole, analysis=replace(whole.analysis, ai_analysis=ai))
    ai = replace(ai, confidence=0.5)
    low = replace(whole, analysis=replace(whole.analysis, ai_analysis=ai))
    assert "libc.so.6 has no symbols" in confidence_reasons(high)
    assert "libc.so.6 has no symbols" not in confidence_reasons(low)


def test_a_struck_claim_is_seen_struck_with_its_reason() -> None:
    line = next(line for line in markdown().split("\n") if "~~" in line)
    assert line.startswith(
        "- ~~0xdeadbeef is inside the chunk, which is in use. (E3:2)~~ refuted: address is 0x4052a0"
    )


def test_cited_lines_are_shown_with_numbers_and_the_rest_is_counted() -> None:
    text = markdown()
    assert ">   2  address 0x4052a0: chunk at 0x405290, 32 bytes, freed: tcache of" in text
    assert "    3  chunk 0x405300 in use" in text
    assert "… 299 more lines" in text
    assert text.count("chunk 0x4053") == 1


def test_html_links_citations_to_lines_that_are_there() -> None:
    page = render_html(report(), TEXTS)
    ids = set(re.findall(r'id="([^"]+)"', page))
    links = re.findall(r'href="#([^"]+)"', page)
    assert links
    assert set(links) <= ids
    assert "E3-L2" in ids


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_html_is_one_file_that_loads_and_runs_nothing() -> None:
    page = _Page()
    page.feed(render_html(report(), TEXTS))
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "base", "form", "svg"}
    for _, attributes in page.tags:
        assert not any(name.startswith("on") or name == "src" for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")
    policy = [
        a["content"] for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]


NASTY = (
    "</pre></span><script>alert(1)</script>",
    "```\n# out\n```",
    "a | b \x1b]8;;http://x\x07 \u202e txt",
    "![x](http://x/y.png) [l](javascript:1) <img src=x onerror=1>",
    "``` ```` `````",
    "\r\x00\x9b31m",
)


def hostile() -> tuple[Investigation, dict[str, str]]:
    """A session in which every text of the dump tries to break out."""
    nasty = "\n".join(NASTY) + "\n"
    texts = {**TEXTS, "E6": nasty}
    frames = tuple(
        replace(FRAME, index=n, function=text, file=text) for n, text in enumerate(NASTY)
    )
    stack = Stack(
        cite=claim("", "E6").citations[0], number=9, thread=4711, name=NASTY[0], frames=frames
    )
    claims = [
        replace(claim(f'It said "{text}" in `{text}`.', f"E6:{n}"), status=Outcome.VERIFIED)
        for n, text in enumerate(NASTY, 1)
    ]
    state = finished(*GOOD)
    assert state.conclusion is not None
    assert state.updated_at is not None
    row = replace(evidence("E6", nasty, f"print {NASTY[2]}"), summary=NASTY[0], findings=NASTY)
    state.apply(EvidenceRecorded(evidence=row, facts=(stack,)), state.updated_at)
    state.conclusion = replace(
        state.conclusion,
        claims=tuple(claims),
        frame=frames[0],
        recommendations=NASTY,
        missing=NASTY,
    )
    return state, texts


def test_nothing_breaks_out_of_html() -> None:
    state, texts = hostile()
    page = _Page()
    html = render_html(build_report(state, texts), texts)
    page.feed(html)
    assert not {tag for tag, _ in page.tags} & {"script", "img"}
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", html)


def test_nothing_breaks_out_of_markdown() -> None:
    state, texts = hostile()
    text = render_markdown(build_report(state, texts), texts)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)
    outside = _without_code(text)
    assert "<script" not in outside
    assert "<img" not in outside
    assert not re.search(r"(?<!\\)\]\(", outside)
    assert "\n# out" not in outside
    assert text.count("\n# ") == 0


def _without_code(text: str) -> str:
    """The text without fenced blocks and code spans, as CommonMark reads them."""
    kept: list[str] = []
    fence = ""
    for line in text.split("\n"):
        if fence:
            if line.strip() == fence:
                fence = ""
        elif opened := re.match(r"(`{3,})[^`]*$", line):
            fence = opened[1]
        else:
            kept.append(re.sub(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)", "", line))
    assert not fence
    return "\n".join(kept)


@given(st.text(max_size=200))
def test_escaped_text_is_one_harmless_line(text: str) -> None:
    line = prose(text)
    assert "\n" not in line
    assert not re.search(r"(?<!\\)<", _without_code("x " + line).replace("\\<", ""))
    span = code(text)
    fence = re.match(r"`+", span)
    assert fence is not None
    assert span.endswith(fence[0])
    assert "\n" not in span


@given(st.lists(st.text(max_size=60), max_size=5))
def test_a_block_ends_at_its_own_fence_only(lines: list[str]) -> None:
    shown = block(lines)
    assert shown[0] == shown[-2]
    assert all(shown[0] not in line for line in shown[1:-2])


@given(st.lists(st.text(max_size=40), min_size=2, max_size=2))
def test_a_cell_stays_in_its_column(cells: list[str]) -> None:
    row = table(("a", "b"), [[prose(cell) for cell in cells]])[2]
    assert len(re.findall(r"(?<!\\)\|", row)) == 3


def test_prose_keeps_code_and_does_not_start_a_block() -> None:
    assert prose("`a_b` is *not* bold <b> & [x]") == r"`a_b` is \*not\* bold &lt;b> &amp; \[x\]"
    assert prose("# no heading") == r"\# no heading"
    assert prose("1. no list") == r"1\. no list"
    assert prose("- no list") == r"\- no list"
    assert prose("see http://x") == r"see http\://x"
    assert prose("an ` alone") == r"an \` alone"


def test_control_characters_are_shown() -> None:
    assert visible("\x1b[31m\u202e\tx\n") == "\\x1b[31m\\u202e\tx\n"
    assert one_line("a\n  b\x00") == "a b\\x00"
    assert shortened("x" * 1000) == "x" * 400 + " … 600 more characters"


def frame(index: int, function: str) -> StackFrame:
    return StackFrame(
        index=index,
        function=function,
        file="t.c",
        line=9,
        module=None,
        offset=None,
        address=None,
        trust="symbols",
    )


def test_a_recursion_is_folded_and_said_so() -> None:
    frames = [frame(n, "descend") for n in range(100)] + [frame(100, "main")]
    assert folded_stack(frames) == [
        "#0   descend at t.c:9",
        "     … the same 99 more times",
        "#100 main at t.c:9",
    ]
    assert folded_stack(frames[:9], cut=True)[1:] == [
        "     … the same 8 more times",
        "     … and further frames, which the debugger did not list",
    ]
    long = [frame(n, f"f{n}") for n in range(100)]
    lines = folded_stack(long, most=8)
    assert len(lines) == 9
    assert lines[6] == "     … 92 more lines"
    assert lines[-1] == "#99  f99 at t.c:9"


def test_an_unfinished_and_an_empty_state_are_rendered() -> None:
    for state in (Investigation(), state_of(opening())):
        empty = build_report(state, TEXTS)
        for form in ("md", "html", "json"):
            text = render(empty, TEXTS, form)
            assert text.endswith("\n") or form == "html"
        assert render(empty, TEXTS, "md").startswith("# Inconclusive")
    with pytest.raises(ValueError, match="unknown format"):
        render(empty, TEXTS, "pdf")


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=300), st.text(max_size=60))
def test_any_text_renders(text: str, name: str) -> None:
    texts = {**TEXTS, "E2": text}
    state = finished(*GOOD, claim(text, "E2"))
    assert state.conclusion is not None
    state.conclusion = replace(state.conclusion, frame=replace(FRAME, function=name, file=text))
    made = build_report(state, texts)
    for form in ("md", "html", "json"):
        assert render(made, texts, form)


def test_the_lines_around_the_fault_are_shown_where_they_were_read() -> None:
    state = finished(*GOOD)
    cited = claim("", "E4:1").citations[0]
    state.facts.add(
        SourceLine(cite=cited, file="src/ring.c", line=n, text=f"    line{n}();")
        for n in (30, 40, 41, 43, 44)
    )
    lines = render_markdown(build_report(state, TEXTS), TEXTS).split("\n")
    start = lines.index("src/ring.c:42")
    assert lines[start + 1 : start + 3] == ["  40      line40();", "  41      line41();"]
    assert lines[start + 3].startswith("> 42  c->next = NULL;")
    assert lines[start + 5] == "  44      line44();"


@pytest.mark.parametrize(
    ("kind", "owner", "words"),
    [
        ("mutex", 4713, "mutex 0x40: held by thread 4713; waited for by 4711"),
        ("mutex", None, "mutex 0x40: holder not known; waited for by 4711"),
        ("condition", None, "condition 0x40: waited for by 4711"),
    ],
)
def test_what_is_never_held_has_no_unknown_holder(kind: str, owner: int | None, words: str) -> None:
    known = report()
    lock = LockInfo(address="0x40", kind=kind, owner=owner, waiters=(4711,))
    analysis = replace(known.analysis, synchronization=Synchronization(locks=(lock,), deadlocks=()))
    assert words in render_markdown(replace(known, analysis=analysis), TEXTS)
    assert words in render_html(replace(known, analysis=analysis), TEXTS)


def test_the_stacks_of_deadlocked_threads_stand_behind_the_proof() -> None:
    known = report()
    groups = tuple(
        ThreadGroup(thread_ids=(tid,), state="waiting", waits_for=None,
                    stack_trace=(replace(known.analysis.exception.stack_trace[0], function=name),))
        for tid, name in ((21, "post_first"), (22, "post_second"), (23, "idle_one"))
    )  # fmt: skip
    analysis = replace(
        known.analysis,
        synchronization=Synchronization(locks=(), deadlocks=((21, 22),)),
        threads=replace(known.analysis.threads, groups=groups, items=()),
    )
    told = replace(known, analysis=analysis)
    for text in (render_markdown(told, TEXTS), render_html(told, TEXTS)):
        part = text.split("Stacks of the deadlocked threads", 1)[1]
        part = part.split("Hypotheses", 1)[0]
        assert "post_first" in part
        assert "post_second" in part
        assert "idle_one" not in part
    assert "Stacks of the deadlocked" not in render_markdown(known, TEXTS)


def test_a_thread_that_is_not_known_is_not_named() -> None:
    known = report()
    exception = replace(known.analysis.exception, thread_id=None)
    analysis = replace(known.analysis, exception=exception)
    assert "on thread None" not in render_markdown(replace(known, analysis=analysis), TEXTS)
    assert "on thread None" not in render_html(replace(known, analysis=analysis), TEXTS)


def test_a_name_of_code_is_not_begun_with_a_capital() -> None:
    words = [sentence(Category(one).words) for one in ("std-terminate", "high-cpu", "panic")]
    assert words == ["std::terminate", "High CPU", "Panic"]
