"""What leaves the machine: only what was shown, redacted, allowed, and written down first."""

import asyncio
import getpass
import json
import os
import socket
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from tests.llm.asks import Exec, Verdict, question, tools
from tests.llm.desk import KEY, Desk, asked, backend, models
from tests.llm.scripted import Scripted, fails, says
from tests.llm.test_contents import item
from workbench.llm.errors import ModelFailed
from workbench.llm.fences import as_data
from workbench.llm.port import Message, NoModel, ToolCall, Unfit
from workbench.llm.redaction.machine import tells
from workbench.llm.redaction.redactor import Redactor
from workbench.model.model_events import ModelDegraded, PayloadSent
from workbench.model.models import Content, ModelTier

CLOUD, LOCAL = ModelTier.CLOUD, ModelTier.LOCAL
PRIVATE = {
    "secret": "hunter2-and-more",
    "token": "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "email": "jane.roe@corp.example.com",
    "ip": "10.20.30.40",
    "ip6": "fe80::1ff:fe23:4567:890a",
    "user": "janeroe",
    "home": "/home/janeroe",
    "host": "db7.corp.internal",
    "env": "plum-and-custard",
    "dumped": "rhubarb crumble",
}
DUMP = f"""\
#0  0x00007ffff7e0ac5c in raise () at raise.c:44
#1  0x0000000000401136 in connect_db (password=0x4052a0 "{PRIVATE["secret"]}") at db.c:12
rax            0x7fffffffe0f8      140737488347384
0x7ffe0010:     "GREETING={PRIVATE["env"]}"
core of {PRIVATE["home"]}/src/app, run by {PRIVATE["user"]} on {PRIVATE["host"]}
{PRIVATE["email"]} {PRIVATE["ip"]} {PRIVATE["ip6"]} {PRIVATE["token"]}
dessert = 0x4052c0 "{PRIVATE["dumped"]}" and again {PRIVATE["secret"]}
"""
KEPT = ("0x00007ffff7e0ac5c", "0x0000000000401136", "0x7fffffffe0f8", "140737488347384", "db.c:12")


def stacks(text: str = DUMP, *kinds: Content) -> Message:
    return Message("user", as_data(text, "E3", kinds or (Content.STACKS,)))


async def test_what_goes_out_is_what_was_shown_and_holds_nothing_private(
    scripted: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_TEST_VALUE", "quince-and-medlar")
    monkeypatch.setenv("USER", "sam.tester")
    desk = Desk(tmp_path)
    desk.private = [("PUDDING", PRIVATE["dumped"])]
    text = f"{DUMP}\nquince-and-medlar {KEY} sam.tester {socket.gethostname()} {Path.home()}/x"
    call = ToolCall("c1", "exec", {"command": f"info symbol {PRIVATE['home']}"})
    put = asked(
        question(tools=tools()),
        messages=(
            Message("system", "You read dumps."),
            stacks(text),
            Message("assistant", "", (call,)),
            Message("tool", as_data(text, "E4"), call_id="c1"),
        ),
    )
    await models(desk, [backend(scripted, CLOUD)]).ask(put)
    (seen,) = scripted.asked
    (sent,) = desk.of(PayloadSent)
    ((ident, url, _, model),) = desk.shown
    assert ident == sent.id
    assert url == sent.url == f"{scripted.openai}/chat/completions"
    assert model == "m"
    assert desk.payload(ident) == seen.raw
    assert stat.S_IMODE((tmp_path / "payloads").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "payloads" / f"{ident}.json").stat().st_mode) == 0o600
    private = [*PRIVATE.values(), KEY, "quince-and-medlar", "sam.tester", str(Path.home()) + "/x"]
    private += [name for name in (socket.gethostname(), getpass.getuser()) if tells(name)]
    for value in private:
        assert value not in seen.raw.decode(), value
        assert json.dumps(value)[1:-1] not in seen.raw.decode(), value
    for value in KEPT:
        assert value in seen.raw.decode(), value


async def test_names_come_back_with_the_answer(scripted: Scripted, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    scripted.script(
        says("It is <secret-1> of <HOME-1>, not <user-77>."),
        says('{"cause": "<host-1> is down", "confidence": 1}'),
        says(calls=[("exec", '{"command": "print \\"<secret-1>\\""}')]),
    )
    routed = models(desk, [backend(scripted, CLOUD)])
    put = question(before=(stacks(),))
    heard: list[str] = []
    prose = await routed.ask(put, heard.append)
    expected = f"It is {PRIVATE['secret']} of {PRIVATE['home']}, not <user-77>."
    assert prose.text == "".join(heard) == expected
    value = (await routed.ask(question(answer=Verdict, before=(stacks(),)))).value
    assert isinstance(value, Verdict)
    assert value.cause == f"{PRIVATE['host']} is down"
    (call,) = (await routed.ask(question(tools=tools(), before=(stacks(),)))).calls
    assert Exec.model_validate(call.arguments).command == f'print "{PRIVATE["secret"]}"'


async def test_the_person_is_asked_once_and_may_say_no(scripted: Scripted, tmp_path: Path) -> None:
    desk = Desk(tmp_path, answer=None)
    routed = models(desk, [backend(scripted, CLOUD), backend(scripted, LOCAL)])
    first = await routed.ask(question())
    second = await routed.ask(question("and another"))
    assert first.tier is second.tier is LOCAL
    assert len(desk.shown) == 1
    assert desk.of(PayloadSent) == []
    assert {seen.path for seen in scripted.asked} == {"/v1/chat/completions"}
    assert len(scripted.asked) == 2  # both by the local one
    assert "not allowed" in (first.degraded or "")
    assert len(desk.of(ModelDegraded)) == 1


async def test_without_a_local_model_no_is_no(scripted: Scripted, tmp_path: Path) -> None:
    desk = Desk(tmp_path, answer=None)
    with pytest.raises(NoModel) as refused:
        await models(desk, [backend(scripted, CLOUD)]).ask(question())
    assert not isinstance(refused.value, Unfit)
    assert scripted.seen == []


async def test_calls_at_once_open_one_gate(scripted: Scripted, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    routed = models(desk, [backend(scripted, CLOUD)])
    await asyncio.gather(*(routed.ask(question(f"question {n}")) for n in range(4)))
    assert len(desk.shown) == 1
    assert len(desk.of(PayloadSent)) == 4


async def test_each_attempt_is_written_down(scripted: Scripted, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    scripted.script(fails(500), says("ok"))
    await models(desk, [backend(scripted, CLOUD)]).ask(question())
    assert [desk.payload(e.id) for e in desk.of(PayloadSent)] == [s.raw for s in scripted.asked]
    assert len(scripted.asked) == 2


@pytest.mark.parametrize("how", ["at the gate", "in the settings"])
async def test_kinds_of_content_can_be_left_out(
    how: str, scripted: Scripted, tmp_path: Path
) -> None:
    left_out = frozenset({Content.STACKS, Content.STRINGS})
    at_gate = how == "at the gate"
    desk = Desk(tmp_path, answer=left_out if at_gate else frozenset())
    settings = {} if at_gate else {"cloud_leave_out": "stacks, strings"}
    routed = models(desk, [backend(scripted, CLOUD)], **settings)
    memory = stacks('0x4052a0: "a string" 0x41', Content.MEMORY, Content.STRINGS)
    put = asked(
        question(before=(stacks(), memory)),
        contents=frozenset({Content.STACKS, Content.MEMORY, Content.STRINGS}),
    )
    await routed.ask(put)
    (seen,) = scripted.asked
    body = seen.raw.decode()
    assert "raise.c:44" not in body
    assert "a string" not in body
    assert "0x4052a0" in body
    (sent,) = desk.of(PayloadSent)
    assert sent.contents == (Content.MEMORY,)
    assert desk.payload(sent.id) == seen.raw


async def test_what_cannot_be_left_out_keeps_the_call_here(
    scripted: Scripted, tmp_path: Path
) -> None:
    desk = Desk(tmp_path)
    routed = models(desk, [backend(scripted, CLOUD)], cloud_leave_out="memory")
    loose = Message("tool", "0x4052a0: 41 42 43", call_id="c1")
    with pytest.raises(Unfit, match="memory"):
        await routed.ask(asked(question(before=(loose,)), contents=frozenset({Content.MEMORY})))
    assert scripted.seen == []
    await routed.ask(question())
    assert len(scripted.seen) == 1


async def test_what_another_output_names_a_secret_is_hidden(
    scripted: Scripted, tmp_path: Path
) -> None:
    desk = Desk(tmp_path)
    desk.state.evidence["E7"] = item("list 7")
    desk.texts["E7"] = '7\tchar *dsn = "Server=a;Uid=svc;Password=Plover-7731-Reef;";'
    await models(desk, [backend(scripted, CLOUD)]).ask(question('x/s 0x4e10: "=Plover-7731-Reef;"'))
    (seen,) = scripted.asked
    assert b"Plover" not in seen.raw


async def test_the_last_look_stops_what_redaction_missed(
    scripted: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(tmp_path)
    desk.private = [("PUDDING", PRIVATE["dumped"])]
    monkeypatch.setattr(Redactor, "redact", lambda self, text: text)
    with pytest.raises(NoModel, match="given away: env"):
        await models(desk, [backend(scripted, CLOUD)]).ask(question(PRIVATE["dumped"]))
    assert scripted.seen == []
    assert not (tmp_path / "payloads").exists()


async def test_the_payload_is_on_the_disk_before_the_first_byte_goes(
    scripted: Scripted, tmp_path: Path
) -> None:
    desk = Desk(tmp_path)
    there: list[bool] = []

    def answer(seen: object) -> object:
        there.append(bool(desk.of(PayloadSent)) and any((tmp_path / "payloads").iterdir()))
        return says("ok")(seen)  # type: ignore[arg-type]

    scripted.script(answer)  # type: ignore[arg-type]
    await models(desk, [backend(scripted, CLOUD)]).ask(question())
    assert there == [True]


async def test_a_cancelled_call_is_paid_for(scripted: Scripted, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    scripted.script(says("word " * 200, pause=0.2))
    routed = models(desk, [backend(scripted, CLOUD)])
    asking = asyncio.ensure_future(routed.ask(question()))
    await asyncio.to_thread(scripted.speaking.wait, 20)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert desk.state.models.of(CLOUD).input_tokens > 0
    assert desk.state.models.of(CLOUD).failed_calls == 1


async def test_no_key_in_any_event(scripted: Scripted, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    scripted.script(fails(401, f"wrong key {KEY}"))
    with pytest.raises(ModelFailed) as caught:
        await models(desk, [backend(scripted, CLOUD)]).ask(replace(question(), prompt="x"))
    assert KEY not in repr(desk.events) + str(caught.value)
    assert KEY not in "".join(p.read_text() for p in (tmp_path / "payloads").iterdir())
    assert os.listdir(tmp_path / "payloads")


async def test_words_of_our_own_are_no_leak(
    scripted: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, word in enumerate(("assistant", "confidence", "command", "properties", "answer")):
        monkeypatch.setenv(f"WORKBENCH_TEST_{number}", word)
    desk = Desk(tmp_path)
    scripted.script(
        fails(400, "response_format is not supported"), says('{"cause": "x", "confidence": 1}')
    )
    routed = models(desk, [backend(scripted, CLOUD)])
    before = (Message("assistant", "so far"), Message("user", "go on"))
    await routed.ask(question(answer=Verdict, before=before))
    await routed.ask(question(tools=tools(), before=before))
    assert scripted.asked
