"""Parts of the report: what was concluded, and how.

Unknown is ``None``. Confidence is 0 to 1, a citation is a string ``E3`` or ``E3:4-6``.
"""

from workbench.model.report_findings import Part


class SourceText(Part, frozen=True, kw_only=True):
    """One line of source; ``line`` is its number in the file."""

    line: int
    text: str


class FrameRef(Part, frozen=True, kw_only=True):
    """The application's frame at fault. ``source`` is the text of the source line,
    ``context`` the lines around it that were read, itself among them."""

    function: str | None
    file: str | None
    line: int | None
    module: str | None
    offset: str | None
    source: str | None = None
    context: tuple[SourceText, ...] = ()


class ArgInfo(Part, frozen=True, kw_only=True):
    """One argument of a statement, with the lines that say it."""

    name: str
    value: int | str
    citations: tuple[str, ...]


class ClaimInfo(Part, frozen=True, kw_only=True):
    """One statement. ``status``: verified | refuted | unknown; ``reason`` says why it is not
    verified; ``by`` expert | model | user; ``quoted`` are the first lines that it cites. ``text``
    is what code wrote from kind and arguments."""

    id: str
    kind: str
    args: tuple[ArgInfo, ...]
    denied: bool
    text: str
    citations: tuple[str, ...]
    status: str
    reason: str
    by: str = "expert"
    quoted: tuple[str, ...] = ()


class Annotation(Part, frozen=True, kw_only=True):
    """A remark on a ledger row, by code or a model."""

    tags: tuple[str, ...]
    why_it_matters: str
    by: str


class OverallInfo(Part, frozen=True, kw_only=True):
    """What the pieces of a large output say together. ``root_cause`` is None where nobody has said
    it; a model's own words stand in quotation marks behind "the model:"."""

    summary: str
    root_cause: str | None


class LedgerRow(Part, frozen=True, kw_only=True):
    """One stored output. ``size`` in bytes of the stored text; ``damaged`` says why it cannot be
    read as it was recorded; ``overall_findings`` is None where it was not read in pieces."""

    id: str
    command: str
    source: str
    intent: str
    time: str
    sha256: str
    size: int
    lines: int
    storage: str
    partial: bool
    summary: str
    findings: tuple[str, ...]
    call_hash: str
    annotations: tuple[Annotation, ...]
    damaged: str | None = None
    overall_findings: OverallInfo | None = None


class TestInfo(Part, frozen=True, kw_only=True):
    """One test of a hypothesis."""

    __test__ = False

    command: str
    evidence: str
    verdict: str


class PredictionInfo(Part, frozen=True, kw_only=True):
    """What a test was to show, said before it ran. ``outcome``: true | false | unknown."""

    kind: str
    args: tuple[ArgInfo, ...]
    text: str
    command: str
    outcome: str
    evidence: str


class HypothesisInfo(Part, frozen=True, kw_only=True):
    """One candidate cause and how it fared. ``by``: expert | user | model."""

    id: str
    statement: str
    category: str
    status: str
    confidence: float
    decided_by: str
    reason: str
    tests: tuple[TestInfo, ...]
    supporting: tuple[str, ...]
    contradicting: tuple[str, ...]
    predictions: tuple[PredictionInfo, ...] = ()
    by: str = "expert"


class RejectedInfo(Part, frozen=True, kw_only=True):
    """Why a hypothesis lost."""

    id: str
    reason: str
    evidence: tuple[str, ...]


class Judge(Part, frozen=True, kw_only=True):
    """The judge's choice; ``selected`` is None when the case stays inconclusive."""

    selected: str | None
    rationale: str | None
    rejected: tuple[RejectedInfo, ...]


class Issue(Part, frozen=True, kw_only=True):
    """A failed check of the critic; ``claim`` is what it is about."""

    kind: str
    severity: str
    claim: str
    detail: str
    evidence: tuple[str, ...]


class CritiqueRound(Part, frozen=True, kw_only=True):
    """One round: its failed checks. ``checks`` counts all of them."""

    round: int
    issues: tuple[Issue, ...]
    resolved: bool
    checks: int


class Critique(Part, frozen=True, kw_only=True):
    """All rounds of the critic."""

    rounds: tuple[CritiqueRound, ...]


class Advice(Part, frozen=True, kw_only=True):
    """A summary made of verified claims, and what to do."""

    description: str | None
    recommendations: tuple[str, ...]


class Narrative(Part, frozen=True, kw_only=True):
    """What the threads were doing, in words."""

    description: str | None
    confidence: float | None


class CheckpointInfo(Part, frozen=True, kw_only=True):
    """A summary that was made on the way, by model or code."""

    iteration: int
    facts: tuple[str, ...]
    hypotheses: tuple[str, ...]
    evidence: tuple[str, ...]
    do_not_repeat: tuple[str, ...]
    next_steps: tuple[str, ...]
    by: str


class SymptomInfo(Part, frozen=True, kw_only=True):
    """What failed, by the experts alone; ``claims`` are ids."""

    category: str
    frame: FrameRef | None
    claims: tuple[str, ...]


class OriginInfo(Part, frozen=True, kw_only=True):
    """Where the fault began: a line of the program, or None where it is not known. ``strength`` is
    ``observed`` in a second run, ``shown`` by the dump and the source alone, or ``said`` by a
    model; ``forced_order``: in a run whose threads were held so that one came before another."""

    kind: str
    strength: str
    forced_order: bool
    function: str | None
    file: str | None
    line: int | None
    thread: int | None
    address: str | None
    stack: tuple[str, ...]
    evidence: tuple[str, ...]


class ExplanationInfo(Part, frozen=True, kw_only=True):
    """A model's own words; nothing else of the report is made of them. ``unseen`` are numbers and
    names of it that stand nowhere in the evidence. ``origin`` is where it says that it began, where
    that is not accepted; ``not_shown`` is why not."""

    text: str
    model: str
    checked: bool = False
    unseen: tuple[str, ...] = ()
    origin: OriginInfo | None = None
    confidence: float | None = None
    not_shown: tuple[str, ...] = ()


class AiAnalysis(Part, frozen=True, kw_only=True):
    """The conclusion and how it was reached. ``root_cause``, ``reasoning``, ``evidence`` and
    ``summary`` are made of verified claims only."""

    root_cause: str | None
    root_cause_citations: tuple[str, ...]
    category: str
    cwe: int | None
    confidence: float | None
    reasoning: str | None
    frame: FrameRef | None
    claims: tuple[ClaimInfo, ...]
    symptom: SymptomInfo | None
    chain: tuple[str, ...]
    origin: OriginInfo | None
    explanation: ExplanationInfo | None
    evidence: tuple[str, ...]
    evidence_ledger: tuple[LedgerRow, ...]
    hypotheses: tuple[HypothesisInfo, ...]
    judge: Judge
    critique: Critique
    follow_up_questions: tuple[str, ...]
    summary: Advice
    thread_narrative: Narrative
    checkpoints: tuple[CheckpointInfo, ...]
    tier: str
    degraded: tuple[str, ...]
    stopped_by: str | None
    stopped_reason: str | None = None
    missing: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
