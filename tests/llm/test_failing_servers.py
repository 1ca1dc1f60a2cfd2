"""Servers that fail on the way: tried again where that may help, bounded where it does not."""

import asyncio
import json
import random
import time
from dataclasses import replace
from email.utils import formatdate
from typing import Any

import pytest

from tests.llm.asks import GOOD, LIMITS, Verdict, ask, failure, question, tools
from tests.llm.scripted import (
    CUT,
    Script,
    Scripted,
    Seen,
    Turn,
    embeds,
    event,
    fails,
    says,
    sends,
)
from workbench.llm.errors import Excess, Fault, ModelFailed
from workbench.llm.providers.asking import Provider
from workbench.llm.providers.base import RESTART
from workbench.llm.providers.ollama import Ollama
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import place_of


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
async def test_a_passing_failure_is_tried_again(
    provider: OpenAiLike, scripted: Scripted, status: int
) -> None:
    scripted.script(fails(status), fails(status), says("fine"))
    assert (await ask(provider)).text == "fine"
    assert len(scripted.asked) == 3


@pytest.mark.parametrize(("status", "fault"), [(429, Fault.BUSY), (500, Fault.UNREACHABLE)])
async def test_a_lasting_failure_ends_after_a_few_tries(
    provider: OpenAiLike, scripted: Scripted, status: int, fault: Fault
) -> None:
    scripted.script(fails(status))
    failed = await failure(provider)
    assert failed.fault is fault
    assert failed.attempt == len(scripted.asked) == LIMITS.tries


@pytest.mark.parametrize("header", ["retry-after", "retry-after-ms"])
async def test_as_long_a_pause_is_made_as_is_asked_for(
    provider: OpenAiLike, scripted: Scripted, header: str
) -> None:
    wait = {"retry-after": "0.3", "retry-after-ms": "300"}[header]
    scripted.script(fails(429, headers={header: wait}), says("fine"))
    began = time.monotonic()
    await ask(provider)
    assert time.monotonic() - began >= 0.3


@pytest.mark.parametrize("as_date", [False, True])
async def test_a_pause_that_is_too_long_is_not_made(
    provider: OpenAiLike, scripted: Scripted, as_date: bool
) -> None:
    wait = formatdate(time.time() + 3600, usegmt=True) if as_date else "3600"
    scripted.script(fails(429, headers={"retry-after": wait}))
    assert (await failure(provider)).fault is Fault.BUSY
    assert len(scripted.asked) == 1


async def test_an_account_that_cannot_pay_is_not_asked_again(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    scripted.script(fails(429, "You exceeded your current quota", code="insufficient_quota"))
    assert (await failure(provider)).fault is Fault.BUSY
    assert len(scripted.asked) == 1


END = event({"id": "x", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})


@pytest.mark.parametrize(
    "broken",
    [
        says("half an answer", then=[CUT]),
        says("half an answer", then=[b"data: [DONE]\n\n"]),
        says("half an answer", then=[b""]),
        says("half an answer", finish="error"),
        says("half an answer", then=[event("{nonsense")]),
        says("half an answer", then=[b"data: \xff\xfe\n\n"]),
        says("half an answer", then=[event({"error": {"message": "overloaded", "code": 503}})]),
        says("half an answer", then=[event({"error": "what"})]),
        says("half an answer", then=[event([1, 2]), event(None), event({"choices": [7]})]),
        sends(b"", content_type="text/event-stream"),
    ],
)
async def test_an_answer_that_breaks_off_is_asked_for_again(
    provider: OpenAiLike, scripted: Scripted, broken: Script
) -> None:
    words: list[str] = []
    scripted.script(broken, says("a whole answer"))
    reply = await provider.complete("m", question(), temperature=0.2, on_text=words.append)
    assert reply.text == "a whole answer"
    assert "".join(words).rpartition(RESTART)[2] == "a whole answer"


async def test_a_web_page_is_told_as_one_at_once(provider: OpenAiLike, scripted: Scripted) -> None:
    scripted.script(sends(b"<html>log in</html>", content_type="text/html; charset=utf-8"))
    failed = await failure(provider)
    assert failed.fault is Fault.UNREACHABLE
    assert "a web page came" in failed.why
    assert len(scripted.asked) == 1


async def test_pieces_of_odd_types_are_passed_over(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    odd: list[Any] = [
        {"choices": [{"index": 0, "delta": {"content": 7}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": "x"}}], "usage": "much"},
        {"choices": [{"index": 0, "delta": None}], "usage": {"prompt_tokens": -5}},
        {"choices": "none"},
    ]
    scripted.script(says("words ", then=[*(event(piece) for piece in odd), END]))
    reply = await ask(provider)
    assert reply.text == "words "
    assert reply.usage.input_tokens > 10  # estimated: what was counted is no number
    assert reply.usage.output_tokens == 2


async def test_silence_ends_a_call(scripted: Scripted) -> None:
    limits = replace(LIMITS, silence=0.3)
    provider = OpenAiLike(place_of(scripted.openai), limits=limits)
    scripted.script(says("begins", then=[60.0]))
    began = time.monotonic()
    failed = await failure(provider)
    await provider.close()
    assert failed.fault is Fault.UNREACHABLE
    assert "no word came for 0.3 s" in failed.why
    assert len(scripted.asked) == 2
    assert time.monotonic() - began < 30


async def test_an_answer_that_never_ends_is_ended(scripted: Scripted) -> None:
    provider = OpenAiLike(place_of(scripted.openai), limits=replace(LIMITS, deadline=0.4))
    pings = [piece for _ in range(20) for piece in (b": still thinking\n\n", 0.1)]
    for number, endless in enumerate((says("word " * 50, pause=0.1), sends(*pings)), 1):
        scripted.script(endless)
        failed = await failure(provider)
        assert failed.fault is Fault.UNREACHABLE
        assert "did not end in time" in failed.why
        assert len(scripted.asked) == number
    await provider.close()


async def test_a_huge_answer_is_bounded(scripted: Scripted) -> None:
    provider = OpenAiLike(place_of(scripted.openai), limits=replace(LIMITS, answer_bytes=100_000))
    endless = sends(b"data: " + b"x" * 50_000, b"x" * 50_000, b"x" * 50_000)
    whole = sends(b'{"choices": "' + b"x" * 200_000, content_type="application/json")
    for huge in (says("x" * 200_000), endless, whole):
        scripted.script(huge)
        assert (await failure(provider)).fault is Fault.UNUSABLE
    assert len(scripted.asked) == 3
    await provider.close()


async def test_a_compressed_answer_is_not_unpacked(scripted: Scripted) -> None:
    provider = OpenAiLike(place_of(scripted.openai), limits=LIMITS)
    packed = sends(b"\x1f\x8b")
    scripted.script(
        lambda seen: replace(packed(seen), headers={"content-encoding": "gzip"}), says("fine")
    )
    assert (await failure(provider)).fault is Fault.UNUSABLE
    await provider.close()


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 8192 tokens, however you requested 9000",
        "the request exceeds the available context size. try increasing it",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "maximum context length is 9 tokens; yours has 20 in the messages, 5 in the functions",
    ],
)
@pytest.mark.parametrize("how", [{}, {"answer": Verdict}, {"tools": tools()}])
async def test_a_question_that_does_not_fit_is_told_as_that(
    provider: OpenAiLike, scripted: Scripted, said: str, how: dict[str, Any]
) -> None:
    scripted.script(fails(400, said))
    assert (await failure(provider, **how)).fault is Fault.TOO_LONG
    assert len(scripted.asked) == 1


@pytest.mark.parametrize(
    ("said", "excess"),
    [
        (
            "request (2705 tokens) exceeds the available context size (2048 tokens), try more",
            Excess(2705, 2048),
        ),
        (
            "This model's maximum context length is 8192 tokens. However, you gave 9000 tokens",
            Excess(9000, 8192),
        ),
        ("prompt is too long: 210000 tokens > 200000 maximum", Excess(210000, 200000)),
        ("the request exceeds the available context size. try increasing it", None),
        ("the context size is 0 and 7 is too long", None),
        ("maximum context length is 99999999999999999999", None),
    ],
)
async def test_by_how_much_a_question_does_not_fit_is_kept(
    provider: OpenAiLike, scripted: Scripted, said: str, excess: Excess | None
) -> None:
    scripted.script(fails(400, said))
    failed = await failure(provider)
    assert (failed.fault, failed.excess) == (Fault.TOO_LONG, excess)


async def test_a_server_that_is_not_there_is_told(scripted: Scripted) -> None:
    provider = OpenAiLike(place_of("http://127.0.0.1:9/v1"), limits=LIMITS)
    failed = await failure(provider)
    await provider.close()
    assert failed.fault is Fault.UNREACHABLE
    assert "cannot be reached" in failed.why


@pytest.mark.parametrize("how", [{}, {"answer": Verdict}, {"tools": tools(), "must_call": True}])
async def test_a_model_that_is_not_there_is_told_at_once(
    provider: OpenAiLike, scripted: Scripted, how: dict[str, Any]
) -> None:
    scripted.script(fails(404, "The model `m` does not exist", code="model_not_found"))
    failed = await failure(provider, **how)
    assert "no such model" in failed.why
    assert len(scripted.asked) == 1


async def test_any_bytes_are_an_answer_or_a_failure(scripted: Scripted) -> None:
    """Streams with bytes changed, lost, doubled and moved, from one seed."""
    chance = random.Random(20)
    limits = replace(LIMITS, tries=1, answers=1, silence=5.0)
    openai = OpenAiLike(place_of(scripted.openai), limits=limits)
    ollama = Ollama(place_of(scripted.ollama), limits=limits)
    sound = says("Some words.", [("exec", GOOD)])
    came, told = 0, list[str]()
    for number in range(240):
        provider: Provider = (openai, ollama)[number % 2]

        def broken(seen: Seen) -> Turn:
            turn = sound(seen)
            return replace(turn, pieces=[_damaged(b"".join(turn.pieces), chance)])

        scripted.script(broken)
        how = ({}, {"answer": Verdict}, {"tools": tools()})[number % 3]
        try:
            await provider.complete("m", question(**how), temperature=0.0)
            came += 1
        except ModelFailed as failed:
            told.append(str(failed))
    assert all(line.isprintable() for line in told)
    assert 0 < came < 240
    await openai.close()
    await ollama.close()


def _damaged(whole: bytes, chance: random.Random) -> bytes:
    data = bytearray(whole)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        until = min(len(data), at + chance.randint(1, 40))
        kind = chance.randrange(5)
        if kind == 0:
            data[at:until] = b""
        elif kind == 1:
            data[at:at] = data[at:until]
        elif kind == 2:
            data[at:at] = chance.choice([b"null", b"[]", b"{}", b"\xff", b"\n\n", b'"', b"1e999"])
        elif kind == 3:
            data[at:until] = bytes(chance.randrange(256) for _ in range(until - at))
        else:
            data[at:until] = data[at:until][::-1]
    return bytes(data)


@pytest.mark.parametrize("vectors", [[[0.5]], [[0.5], [0.5, 0.5]], [[], []]])
async def test_vectors_that_are_none_are_refused(
    provider: OpenAiLike, scripted: Scripted, vectors: list[list[float]]
) -> None:
    scripted.script(embeds(*vectors))
    with pytest.raises(ModelFailed) as caught:
        await provider.embed("m", ["one", "two"])
    assert caught.value.fault is Fault.UNUSABLE


async def test_vectors_with_nan_are_refused(provider: OpenAiLike, scripted: Scripted) -> None:
    body = b'{"object": "list", "model": "m", "data": [{"index": 0, "embedding": [NaN]}]}'
    scripted.script(sends(body, content_type="application/json"))
    with pytest.raises(ModelFailed):
        await provider.embed("m", ["one"])


async def test_a_listing_of_nonsense_is_an_error_and_no_crash(scripted: Scripted) -> None:
    provider = OpenAiLike(place_of(scripted.openai + "/x"), limits=LIMITS)
    scripted.script(sends(json.dumps([1]).encode(), content_type="application/json"))
    with pytest.raises(ModelFailed):
        await provider.complete("m", question(), temperature=0.0)
    await provider.close()


async def test_calls_at_the_same_time_do_not_disturb_each_other(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    scripted.script(lambda seen: says(str(seen.body["messages"][-1]["content"]))(seen))
    texts = [f"number {n}" for n in range(8)]
    replies = await asyncio.gather(*(ask(provider, text=text) for text in texts))
    assert [reply.text for reply in replies] == texts


@pytest.mark.parametrize("kind", [OpenAiLike, Ollama])
async def test_what_ends_a_line_in_unicode_ends_no_piece(
    scripted: Scripted, kind: type[OpenAiLike] | type[Ollama]
) -> None:
    words = "one\x85two\u2028three"
    if kind is Ollama:
        said: dict[str, Any] = {"message": {"content": words}, "done": True}
    else:
        said = {"choices": [{"delta": {"content": words}, "finish_reason": "stop"}]}
    line = json.dumps(said, ensure_ascii=False).encode()
    scripted.script(sends(b"data: " * (kind is OpenAiLike) + line[:40], line[40:] + b"\n"))
    address = scripted.ollama if kind is Ollama else scripted.openai
    provider = kind(place_of(address), limits=LIMITS)
    assert (await provider.complete("m", question(), temperature=0.0)).text == words
    await provider.close()
