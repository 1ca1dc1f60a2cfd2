"""From question to answer: who is asked, what it cost, what is remembered, what is kept."""

import asyncio
import json
import stat
from pathlib import Path

import pytest

from tests.llm.asks import FEW, LIMITS, Verdict, question, tools
from tests.llm.desk import KEY, Desk, asked, backend, models
from tests.llm.llama import Llama
from tests.llm.scripted import CUT, Scripted, fails, says, sends
from workbench.llm.errors import Fault, ModelFailed
from workbench.llm.lineup import Backend
from workbench.llm.port import CapReached, NoModel, Settled, Unfit
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import place_of
from workbench.model.events import Noticed
from workbench.model.model_events import ModelAnswered, ModelDegraded, ModelsChosen, PayloadSent
from workbench.model.models import TEMPERATURES, Complexity, ModelTier, TierWish

LOCAL, CLOUD = ModelTier.LOCAL, ModelTier.CLOUD
HARD = question()
EASY = asked(HARD, complexity=Complexity.MODERATE)


async def test_a_local_answer_is_counted_and_costs_nothing(
    scripted: Scripted, tmp_path: Path
) -> None:
    desk = Desk(tmp_path)
    scripted.script(says("Thread 3 holds it.", usage=(40, 7)))
    heard: list[str] = []
    answer = await models(desk, [backend(scripted, LOCAL)]).ask(EASY, heard.append)
    assert answer.text == "Thread 3 holds it."
    assert "".join(heard) == answer.text
    assert (answer.model, answer.tier, answer.degraded) == ("m", LOCAL, None)
    spent = desk.state.models.of(LOCAL)
    assert (spent.calls, spent.input_tokens, spent.output_tokens) == (1, 40, 7)
    assert (spent.cached_tokens, spent.reasoning_tokens, spent.cost_usd) == (2, 1, 0.0)
    assert desk.state.models.tier == "local"
    assert [e.local for e in desk.of(ModelsChosen)] == ["m (local-server)"]
    assert desk.shown == []
    assert desk.of(PayloadSent) == []


async def test_a_cloud_answer_has_its_price(scripted: Scripted, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    scripted.script(says("x", usage=(1_000_000, 0)))
    one = backend(scripted, CLOUD, "gpt-5-mini", "openai")
    answer = await models(desk, [one]).ask(HARD)
    assert answer.usage.cost_usd == pytest.approx(0.25, rel=0.2)
    (event,) = desk.of(ModelAnswered)
    assert event.prices.startswith("genai-prices ")
    assert desk.state.models.of(CLOUD).cost_usd == answer.usage.cost_usd


async def test_what_a_prompt_says_of_its_temperature_is_sent(
    scripted: Scripted, tmp_path: Path
) -> None:
    routed = models(Desk(tmp_path), [backend(scripted, LOCAL)])
    for given in (0.0, 0.7, None):
        await routed.ask(asked(EASY, temperature=given, prompt=f"at {given}"))
    sent = [seen.body["temperature"] for seen in scripted.asked]
    assert sent == [0.0, 0.7, TEMPERATURES[EASY.role]]


async def test_a_price_that_is_not_known_is_none(scripted: Scripted, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    answer = await models(desk, [backend(scripted, CLOUD)]).ask(HARD)
    assert answer.usage.cost_usd is None
    assert desk.state.models.of(CLOUD).unpriced == 1


async def test_simple_questions_are_asked_of_nobody(scripted: Scripted, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for wish in (TierWish.AUTO, TierWish.LOCAL, TierWish.CLOUD):
        with pytest.raises(Settled):
            await models(desk, [backend(scripted, LOCAL)], wish).ask(
                asked(HARD, complexity=Complexity.SIMPLE)
            )
    assert scripted.asked == []
    assert desk.of(ModelDegraded) == []


async def test_a_provider_that_fails_degrades_to_the_next(
    scripted: Scripted, tmp_path: Path
) -> None:
    desk = Desk(tmp_path)
    scripted.script(fails(401, "bad key"), says("from here"))
    both = [backend(scripted, LOCAL), backend(scripted, CLOUD)]
    routed = models(desk, both)
    answer = await routed.ask(HARD)
    assert (answer.text, answer.tier) == ("from here", LOCAL)
    assert answer.degraded
    (event,) = desk.of(ModelDegraded)
    assert (event.wanted, event.to) == (CLOUD, LOCAL)
    assert KEY not in event.why
    # A wrong key is never tried again, and said once.
    await routed.ask(asked(HARD, messages=HARD.messages * 2))
    assert len(scripted.asked) == 3
    assert [e.failed != "" for e in desk.of(ModelAnswered)] == [True, False, False]


async def test_an_answer_of_no_use_is_said_to_leave_the_work_to_code(
    scripted: Scripted, tmp_path: Path
) -> None:
    desk = Desk(tmp_path)
    scripted.script(says("I had rather speak of something else."))
    routed = models(desk, [backend(scripted, LOCAL), backend(scripted, CLOUD)])
    for _ in range(2):
        with pytest.raises(ModelFailed) as failed:
            await routed.ask(asked(HARD, answer=Verdict))
        assert failed.value.fault is Fault.UNUSABLE
    (event,) = desk.of(ModelDegraded)
    assert (event.wanted, event.to) == (CLOUD, None)


async def test_a_higher_tier_that_failed_is_said_though_the_next_fails_as_well(
    scripted: Scripted, tmp_path: Path
) -> None:
    desk = Desk(tmp_path)
    scripted.script(fails(401, "bad key"), fails(400, "context length exceeded: 4096 tokens"))
    routed = models(desk, [backend(scripted, LOCAL), backend(scripted, CLOUD)])
    with pytest.raises(ModelFailed):
        await routed.ask(HARD)
    (event,) = desk.of(ModelDegraded)
    assert (event.wanted, event.to) == (CLOUD, LOCAL)
    assert "key" in event.why


async def test_moderate_questions_do_not_climb(scripted: Scripted, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    routed = models(desk, [backend(scripted, CLOUD)])
    with pytest.raises(Unfit, match="no local here"):
        await routed.ask(EASY)
    assert scripted.asked == []
    assert [e.to for e in desk.of(ModelDegraded)] == [None]
    scripted.script(says("from there"))
    assert (await routed.ask(HARD)).tier is CLOUD
    with pytest.raises(NoModel) as nobody:
        await models(desk, []).ask(EASY)
    assert not isinstance(nobody.value, Unfit)


async def test_after_a_refusal_the_refusal_is_told_first(
    scripted: Scripted, tmp_path: Path
) -> None:
    routed = models(Desk(tmp_path, None), [backend(scripted, CLOUD)])
    for _ in range(2):
        with pytest.raises(NoModel, match=r"^sending to the cloud was not allowed; no local here$"):
            await routed.ask(HARD)
    assert scripted.asked == []


async def test_a_local_model_that_dies_leaves_the_cloud_its_questions(
    scripted: Scripted, tmp_path: Path
) -> None:
    desk = Desk(tmp_path)
    gone = backend(scripted, LOCAL)
    routed = models(desk, [gone, backend(scripted, CLOUD)])
    scripted.script(fails(401, "gone"), says("from there"))
    with pytest.raises(Unfit, match="local-server"):
        await routed.ask(EASY)
    assert [(e.wanted, e.to) for e in desk.of(ModelDegraded)] == [(LOCAL, None)]
    assert (await routed.ask(HARD)).tier is CLOUD
    # A person who named the local tier has no other: there it is the run's last failure.
    scripted.script(fails(401, "gone"))
    with pytest.raises(ModelFailed):
        await models(desk, [backend(scripted, LOCAL)], TierWish.LOCAL).ask(EASY)


async def test_a_named_tier_takes_both_kinds(scripted: Scripted, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    routed = models(desk, [backend(scripted, CLOUD)], TierWish.CLOUD)
    assert (await routed.ask(EASY)).tier is CLOUD
    assert desk.of(ModelDegraded) == []


async def test_the_last_failure_comes_out(scripted: Scripted, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    scripted.script(sends(CUT))
    with pytest.raises(ModelFailed) as caught:
        await models(desk, [backend(scripted, LOCAL)], TierWish.LOCAL).ask(HARD)
    assert caught.value.fault is Fault.UNREACHABLE
    assert desk.of(ModelAnswered)[0].failed
    assert desk.state.models.tier == "offline"


async def test_the_same_question_is_paid_for_once(scripted: Scripted, tmp_path: Path) -> None:
    scripted.script(says('{"cause": "a lock", "confidence": 0.5}'))
    put = question(answer=Verdict)
    first = await models(Desk(tmp_path), [backend(scripted, CLOUD)]).ask(put)
    desk = Desk(tmp_path)
    routed = models(desk, [backend(scripted, CLOUD)])
    second = await routed.ask(put)
    assert second.value == first.value == Verdict(cause="a lock", confidence=0.5)
    assert len(scripted.asked) == 1
    (event,) = desk.of(ModelAnswered)
    assert event.cached
    assert desk.state.models.of().tokens == 0
    assert desk.state.models.of().cached_calls == 1
    assert desk.shown == []  # nothing left the machine
    # Another question, another effort, another dump, or the person's wish: asked again.
    await routed.ask(asked(put, messages=put.messages[1:]))
    await models(desk, [backend(scripted, CLOUD)], refresh=True).ask(put)
    desk.state.dump_sha256 = "cd" * 32
    await models(desk, [backend(scripted, CLOUD)]).ask(put)
    assert len(scripted.asked) == 4


async def test_calls_of_tools_are_remembered_too(scripted: Scripted, tmp_path: Path) -> None:
    scripted.script(says(calls=[("exec", '{"command": "bt"}')]))
    put = question(tools=tools())
    desk = Desk(tmp_path)
    for _ in range(2):
        answer = await models(desk, [backend(scripted, LOCAL)]).ask(put)
        assert [(call.name, call.arguments) for call in answer.calls] == [
            ("exec", {"command": "bt"})
        ]
    assert len(scripted.asked) == 1


async def test_calls_that_were_too_many_are_told(scripted: Scripted, tmp_path: Path) -> None:
    many = [("exec", f'{{"command": "bt {number}"}}') for number in range(60)]
    scripted.script(says(calls=many))
    answer = await models(Desk(tmp_path), [backend(scripted, LOCAL)]).ask(question(tools=tools()))
    assert (len(answer.calls), answer.dropped) == (LIMITS.calls, 60 - LIMITS.calls)


async def test_a_cap_stops_the_cloud_not_the_investigation(
    scripted: Scripted, tmp_path: Path
) -> None:
    desk = Desk(tmp_path)
    scripted.script(says("x", usage=(1_000_000, 0)))
    cloud = backend(scripted, CLOUD, "gpt-5-mini", "openai")
    routed = models(desk, [cloud, backend(scripted, LOCAL)], max_cost=0.2)
    assert (await routed.ask(HARD)).tier is CLOUD
    second = await routed.ask(asked(HARD, messages=HARD.messages[1:]))
    assert second.tier is LOCAL
    assert "cost cap of $0.2" in (second.degraded or "")


async def test_a_call_that_would_pass_the_token_cap_is_not_made(
    scripted: Scripted, tmp_path: Path
) -> None:
    desk = Desk(tmp_path)
    routed = models(desk, [backend(scripted, CLOUD)], max_tokens=20)
    with pytest.raises(CapReached, match="cap of 20 cloud tokens") as caught:
        await routed.ask(HARD)
    assert not caught.value.money
    assert scripted.asked == []


@pytest.mark.parametrize(("cap", "beside", "sent"), [(5000, 0, 2), (3000, 1, 1), (5000, 1, 2)])
async def test_a_calls_earlier_answers_and_calls_beside_it_count_for_the_cap(
    scripted: Scripted, tmp_path: Path, cap: int, beside: int, sent: int
) -> None:
    scripted.script(says("{}", usage=(100, 2000)))  # of no use: the same call asks up to 3 times
    desk = Desk(tmp_path)
    routed = models(desk, [backend(scripted, CLOUD)], max_tokens=cap)
    put = [question(f"Why {number}?", answer=Verdict) for number in range(1 + beside)]
    failed = await asyncio.gather(*map(routed.ask, put), return_exceptions=True)
    assert all(isinstance(one, CapReached | ModelFailed) for one in failed)
    assert len(scripted.asked) == sent
    assert 2000 * sent <= desk.state.models.of(CLOUD).output_tokens <= cap


async def test_traces(scripted: Scripted, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    put = asked(question(f"what is {KEY}? " + "y" * 5000))
    routed = models(desk, [backend(scripted, LOCAL)], trace_files=True, trace_file_cap=1500)
    await routed.ask(put)
    trace = tmp_path / "trace"
    assert stat.S_IMODE(trace.stat().st_mode) == 0o700
    files = sorted(trace.iterdir())
    assert [f.name for f in files] == [
        "0001-investigator-answer.txt",
        "0001-investigator-request-1.json",
        "calls.jsonl",
    ]
    for file in files:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert file.stat().st_size <= 1500
        assert KEY not in file.read_text()
    assert files[1].read_text().rstrip().endswith("bytes]")
    (line,) = files[2].read_text().splitlines()
    assert json.loads(line)["usage"]["input_tokens"] == 10
    assert "content of the dump" in next(e.text for e in desk.of(Noticed))


async def test_no_trace_unasked(scripted: Scripted, tmp_path: Path) -> None:
    await models(Desk(tmp_path), [backend(scripted, LOCAL)]).ask(HARD)
    assert not (tmp_path / "trace").exists()


async def test_a_real_model_behind_the_facade(llama: Llama, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    place = place_of(llama.url)
    provider = OpenAiLike(place, limits=FEW)
    heard: list[str] = []
    routed = models(desk, [Backend(provider, llama.model, LOCAL, place.shown)], TierWish.LOCAL)
    try:
        answer = await routed.ask(question("Say one word."), heard.append)
    finally:
        await routed.close()
    assert answer.text
    assert "".join(heard).endswith(answer.text)
    assert answer.usage.input_tokens > 0
    assert desk.state.models.tier == "local"


async def test_whatever_a_client_raises_is_a_failure(
    scripted: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(tmp_path)
    one = backend(scripted, LOCAL)

    async def broken(*given: object, **more: object) -> None:
        raise KeyError(f"title {KEY}")

    monkeypatch.setattr(one.provider, "complete", broken)
    with pytest.raises(ModelFailed) as caught:
        await models(desk, [one], TierWish.LOCAL).ask(HARD)
    assert caught.value.fault is Fault.UNUSABLE
    assert "KeyError" in str(caught.value)
    assert KEY not in str(caught.value)
    assert [e.failed for e in desk.of(ModelAnswered)] == [caught.value.why]
