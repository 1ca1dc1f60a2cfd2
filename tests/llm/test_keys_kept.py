"""Keys and content go to the one server that was set, and into no message."""

import traceback
from typing import Any

import pytest

from tests.llm.asks import KEY, Verdict, failure, tools
from tests.llm.scripted import (
    CUT,
    Scripted,
    fails,
    says,
)
from workbench.llm.errors import Fault
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.model.models import Role


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("how", [{}, {"answer": Verdict}, {"tools": tools()}])
async def test_a_wrong_key_is_one_line_and_no_retry(
    provider: OpenAiLike, scripted: Scripted, status: int, how: dict[str, Any]
) -> None:
    scripted.script(fails(status, f"Incorrect API key provided: {KEY}. Find it\nat the console"))
    failed = await failure(provider, **how)
    assert failed.fault is Fault.REFUSED_KEY
    assert "\n" not in str(failed)
    assert len(scripted.asked) == 1
    told = "".join(traceback.format_exception(failed))
    assert KEY not in told + repr(failed)


async def test_the_key_is_in_no_error_and_the_cause_is(
    provider: OpenAiLike, scripted: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    for answer in (fails(500, f"leaked {KEY}"), fails(400, f"leaked {KEY}"), says(KEY, then=[CUT])):
        scripted.script(answer)
        failed = await failure(provider, answer=Verdict)
        assert KEY not in "".join(traceback.format_exception(failed))
    assert KEY not in caplog.text
    scripted.script(fails(500, "broken"))
    failed = await failure(provider)
    assert failed.__cause__ is not None
    assert "ServerError: " in "".join(traceback.format_exception(failed))


async def test_an_error_says_provider_model_role_and_attempt(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    scripted.script(fails(500, "broken\x1b[31m\nhere"))
    failed = await failure(provider)
    assert str(failed) == (
        "cloudy m (investigator, attempt 4): the server failed (500): broken [31m here"
    )
    assert failed.role is Role.INVESTIGATOR


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed(
    provider: OpenAiLike, scripted: Scripted, status: int
) -> None:
    with Scripted() as other:
        target = f"{other.openai}/chat/completions?key=x"
        scripted.script(fails(status, headers={"location": target}))
        failed = await failure(provider)
        assert "127.0.0.1" in failed.why
        assert "key=x" not in failed.why
        assert other.seen == []
    assert len(scripted.asked) == 1
