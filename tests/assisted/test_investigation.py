"""The whole investigation with a scripted model, on a real core."""


from tests.assisted.conftest import Investigate
from tests.assisted.script import Scripted
from workbench.model.limits import Limits


async def test_a_model_that_says_nothing_leaves_the_experts_report(
    investigate: Investigate,
) -> None:
    model = Scripted()
    session = await investigate(model, Limits(iterations=2))
    alone = await investigate(None)
    report, other = await session.build_report(), await alone.build_report()
    ai, expert = report.analysis.ai_analysis, other.analysis.ai_analysis
    assert (ai.category, ai.root_cause, ai.frame) == (
        expert.category,
        expert.root_cause,
        expert.frame,
    )
    assert ai.confidence == expert.confidence
    assert ai.summary == expert.summary
    assert ai.stopped_by == "maxIterations"
    assert {q.prompt for q in model.asked} >= {"hypotheses", "investigate", "explanation"}
