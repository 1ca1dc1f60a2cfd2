"""Redaction: what is private goes, what the analysis needs stays, and all of it comes back."""

import asyncio
import re
from base64 import b64encode, urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.llm.redacting import goes_and_comes_back, read_soon, stays
from workbench.llm.calls import hidden
from workbench.llm.port import Message, ToolCall
from workbench.llm.providers.base import RESTART
from workbench.llm.redaction.machine import Term, of_environment, of_this_machine
from workbench.llm.redaction.redactor import Redactor, Stream

GONE = [
    ('pin = 0x5555555592a0 "4711"', "4711"),
    ('cvv = "1234"', "1234"),
    ('card = "4111111111111111"', "4111111111111111"),
    ("paid by 4111 1111 1111 1111 today", "1111 1111"),
    ('owner = 0x55 "DE89370400440532013000"', "DE8937040044"),
    ("GB82 WEST 1234 5698 7654 32", "WEST"),
    ('password = "hunter2-very"', "hunter2-very"),
    ('api_key = 0x5555555592a0 "sk-proj-abcdefghijklmnopqrstuvwx12345"', "sk-proj-abc"),
    ("Authorization: Bearer abcdef0123456789abcdef", "abcdef0123456789abcdef"),
    ('conn = "Server=db;User Id=sa;Password=Pa55w0rd!;"', "Pa55w0rd!"),
    ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"),
    ('"AKIAIOSFODNN7EXAMPLE"', "AKIAIOSFODNN7EXAMPLE"),
    ("xoxb-123456789012-1234567890123-abcdefghijklmnopqrstuvwx", "xoxb-1234"),
    ("postgres://svc:pw9long@db01.corp.internal/x", "pw9long"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----", "MIIabc"),
    ("-----BEGIN PRIVATE KEY-----\nMIIabc", "MIIabc"),
    ('jwt "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3"', "eyJzdWIiOi"),
    ("mail bob@example.org now", "bob@example.org"),
    ("peer 192.168.7.21:8080", "192.168.7.21"),
    ("peer [2001:db8::8a2e:370:7334]:80", "2001:db8::8a2e"),
    ("https://build.corp.example/x", "build.corp.example"),
    ("on ci-host-3.eng.internal", "ci-host-3"),
    ("/home/jroe/src/a.c", "jroe"),
    ("/Users/jroe/src/a.c", "jroe"),
    (r"C:\Users\Jane Roe\a.pdb", "Jane Roe"),
    (r'"C:\\Users\\jroe\\a.pdb"', "jroe"),
    ("/root/.ssh/id_rsa", "/root"),
    ('0x7ffe: "LD_THING=zebra"', "zebra"),
    ("export THING=zebra crossing", "zebra crossing"),
    ("./app --password=ze<bra9x", "bra9x"),
    ("./app --api-key=ze(bra)9x", "bra)9x"),
    ("db_password=ze<bra9x", "bra9x"),
    ("the password is ze<bra9x", "bra9x"),
    ("open /home/o'zebra/a.c", "zebra"),
    ("open '/home/o'zebra/a.c'", "zebra"),
    (r"C:\Users\O'Zebra\a.pdb", "Zebra"),
    ("file:///C:/Users/O%27Zebra/x", "Zebra"),
    ("E24:5| THING=zebra crossing", "zebra crossing"),
    ('E24:5| 0x7ffe: "thing_of=zebra"', "zebra"),
    ("E24:5|         ComSpecial=zebra crossing", "zebra crossing"),
    ('0x7ffe: "DB_THING=it\'s zebra, really"', "zebra"),
    (r'0x7ffe: "THING=a \"zebra\" b"', "zebra"),
    ("THING=it's zebra", "zebra"),
    (r'password = "abc\"zebra"', "zebra"),
    ('login (user=0x4052a0 "u", pw=0x4052b0 "zebra-crossing")', "zebra"),
    ("./app --token zebra123 --api-key crossing123", "zebra123"),
    ("./app --token zebra123 --api-key crossing123", "crossing123"),
    ("        ComSpecial=zebra crossing", "zebra crossing"),
    ("        USERNAME=jroe\n        x", "jroe"),
    ("       Hostname: crash-box", "crash-box"),
    ("     Machine ID: 3f2b1c9d8e7f6a5b4c3d2e1f0a9b8c7d", "3f2b1c9d"),
    ("            UID: 1000 (jroe)", "jroe"),
    ("Nov  2 06:01:02 crash-box app[4711]: segfault at 0", "crash-box"),
    ("2026-01-02T03:04:05.678+00:00 crash-box kernel: oops", "crash-box"),
]
STAYS = [
    'n = 4111111111111111, at = "4111111111111112"',
    'pinned = "zebra", pin = 13',
    "DE88370400440532013000",
    "password=<optimized out> token=<error: no memory> <password></password>",
    "#0  0x00007ffff7e0ac5c in __pthread_kill_implementation (signo=6) at pthread_kill.c:44",
    "rax            0x7fffffffe0f8      140737488347384",
    "rip            0x401136            0x401136 <main+4>",
    "            UID: 0 (root)\n       Hostname: localhost",
    "        count=5\n        next=0x4052a0",
    "00007ff6`1234abcd 00000000`00401136 app!connect+0x12",
    "build id 3f2b1c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b",
    "std::vector<int>::push_back face::b00c::cafe ns::a1::b2",
    "memcpy@plt malloc@@GLIBC_2.2.5 _foo@12 ?bar@Baz@@QEAAXXZ",
    "System.Net.Http.HttpClient java.io.IOException libfoo.so.6 app.c p->next obj.member",
    "token = 0x4052a0, tokens = 5, key = 7, secret = <optimized out>",
    "struct secret_store *s = 0x0",
    "0:000> !locks  12:34:56.789",
    "_ZNSt6vectorIiSaIiEE9push_backEOi",
    "root cause: the user of the pointer, killed by signal 11 at line 42",
    "x86_64-linux-gnu 2.36-9+deb12u10",
    "MallocStackLogging 0x600003c0c000 in zone DefaultMallocZone_0x1045a8000",
]


@pytest.mark.parametrize(("text", "private"), GONE)
def test_private_things_go_and_come_back(text: str, private: str) -> None:
    goes_and_comes_back(text, private)


@pytest.mark.parametrize("text", STAYS)
def test_what_the_analysis_needs_stays(text: str) -> None:
    stays(text)


def test_placeholders_are_stable() -> None:
    redactor = Redactor()
    first = redactor.redact("a@x.org b@x.org")
    assert first == "<email-1> <email-2>"
    assert redactor.redact("b@x.org then a@x.org") == "<email-2> then <email-1>"


def test_what_was_found_once_is_looked_for_everywhere() -> None:
    redactor = Redactor()
    redactor.redact('password = "mango-chutney"')
    assert "mango" not in redactor.redact("argv[3] is mango-chutney")
    redactor.redact("core in /home/jroe/x")
    assert "jroe" not in redactor.redact("owned by jroe (Jroe)").lower()


@pytest.mark.parametrize(
    ("secret", "held"),
    [
        ("p/w+r&d 9x", "q=p%2Fw%2Br%26d+9x"),
        ("p/w+r&d 9x", "q=p%2fw%2br%26d%209x"),
        *(("hunter2-very", b64encode(b"a:b"[:n] + b"hunter2-very").decode()) for n in range(4)),
        ("<<???>>>~~~", urlsafe_b64encode(b"<<???>>>~~~").decode()),
    ],
)
def test_a_secret_is_known_in_other_spellings(secret: str, held: str) -> None:
    redactor = Redactor([Term(secret, "secret", False)])
    out = redactor.redact(f"x {held} y")
    assert "<secret-1>" in out
    assert len(out.replace("<secret-1>", "")) <= len("x q= y") + 7
    assert redactor.restore(out) == f"x {held} y"


@pytest.mark.parametrize(
    ("shown", "hidden"),
    [("d8f7a6s5d4f3q2w1e0r9t8", True), ("sessionsdeliver", False), ("t8", False)],
)
def test_the_rest_of_a_secret_from_within_is_hidden(shown: str, hidden: bool) -> None:
    redactor = Redactor([Term(f"token-abc{shown}", "secret", False)])
    assert (shown not in redactor.redact(f'$1 = 0x5000 "{shown}"')) is hidden


SPELLED = "Acc0untPw"


@pytest.mark.parametrize(
    "text",
    [
        *(
            between.join(format(byte, f"{before}") for byte in SPELLED.encode())
            for before, between in (
                ("#04x", "\t"), ("d", ", "), ("o", "\t"), ("08b", "\t"), ("#b", ", "),
                ("#010x", " "), ("02x", " "), ("02x", ""), ("#04x", "\t0x00\t0x00\t0x00\t"),
            )
        ),
        ", ".join(f"{ord(sign)} '{sign}'" for sign in SPELLED),
        ", ".join(f"(char) [{at:#x}] = L'{sign}'" for at, sign in enumerate(SPELLED)),
        "\n".join(f"$%d = {byte} '%c'" % (at, byte) for at, byte in enumerate(SPELLED.encode())),
        "E4:1| 0x7f12 <pw>:\t0x41 0x63 0x63\nE4:2| 0x7f15 <pw+3>:\t0x30 0x75 0x6e 0x74 0x50 0x77",
        "00007ff6`12345678  41 63 63 30 75 6e 74 50-77 00 00 00 00 00 00 00  Acc0untPw.......",
        "0x7ffe: 0x6363410000000001 0x007750746e7530",
    ],
)  # fmt: skip
def test_the_bytes_of_a_secret_are_one_more_spelling(text: str) -> None:
    redactor = Redactor([Term(SPELLED, "secret", False)])
    out = redactor.redact(text)
    left = re.sub(
        r"<secret-\d+>|<pw(\+3)?>|E4:\d\| |0x7f\w+|00007ff6`12345678|char|\[0x\d]|\$\d", "", out
    )
    assert not re.search("[1-9a-f]", left.replace("0x0000000000000001", ""))
    assert redactor.restore(out) == text
    assert out.count("\n") == text.count("\n")
    assert not redactor.told(out)


def test_a_short_secret_hides_no_address() -> None:
    redactor = Redactor()
    assert redactor.redact('password = "abc"') == 'password = "<secret-1>"'
    assert redactor.redact('password = "abcd"') == 'password = "<secret-2>"'
    assert redactor.redact("0x7ffabcd0 abcd abc") == "0x7ffabcd0 <secret-2> abc"


def test_a_dump_that_writes_placeholders_gets_no_names_put_in() -> None:
    redactor = Redactor()
    redactor.redact('password = "mango-chutney"')
    out = redactor.redact("the dump says <secret-1>")
    assert out == "the dump says <text-1>"
    assert redactor.restore(out) == "the dump says <secret-1>"


def test_common_names_and_the_programs_own_words_stay() -> None:
    terms = [*of_this_machine({"USER": "root", "HOME": "/", "THING": "hypothesis"})]
    redactor = Redactor(terms, common="one hypothesis at a time")
    assert redactor.redact("the root cause is a hypothesis") == "the root cause is a hypothesis"


def test_an_environment_that_tells_nothing_hides_nothing() -> None:
    nothing = {"LANG": "en_US.UTF-8", "TERM": "xterm-256color", "N": "12", "ARCH": "x86_64"}
    nothing |= {"_": "/usr/bin/python3.11", "PATH": "/usr/local/bin:/usr/bin:/bin"}
    assert of_environment(nothing.items()) == []
    (term,) = of_environment({"PIN": "0", "DB_PASSWORD": "pw12"}.items())
    assert term == Term("pw12", "secret", True)
    redactor = Redactor(of_environment([("API_TOKEN", "abcd"), ("API_KEY", "deadbeefcafe")]))
    assert redactor.redact("0x7ffabcd0 0xdeadbeefcafe00") == "0x7ffabcd0 0xdeadbeefcafe00"


def test_words_are_words() -> None:
    redactor = Redactor([Term("harpo", "user", True)])
    assert redactor.redact("harpoon harpo") == "harpoon <user-1>"
    assert redactor.redact("core_harpo_1 harpo2") == "core_<user-1>_1 harpo2"
    redactor = Redactor([Term("max", "user", True), Term("plasma", "env", True)])
    assert redactor.redact("max_size of max, plasma_init") == "max_size of <user-1>, plasma_init"


def test_values_within_structures() -> None:
    redactor = Redactor([Term("harpo", "user", True)])
    out = redactor.redact_all({"harpo": ["a harpo", 3, None]})
    assert out == {"<user-1>": ["a <user-1>", 3, None]}
    assert redactor.restore_all(out) == {"harpo": ["a harpo", 3, None]}


def test_a_stream_puts_names_back_across_pieces() -> None:
    redactor = Redactor([Term("harpo", "user", True)])
    redactor.redact("harpo")
    stream = Stream(redactor)
    said = [stream.more(piece) for piece in ("a <us", "er-1> b <", RESTART, "x < y <user-1")]
    assert "".join([*said, stream.end()]) == f"a harpo b {RESTART}x < y <user-1"


@given(st.text(max_size=400))
def test_any_text_comes_back(text: str) -> None:
    redactor = Redactor([Term("aa", "user", True), Term("0b", "secret", False)])
    assert redactor.restore(redactor.redact(text)) == text


def test_hostile_lengths_are_no_trouble() -> None:
    read_soon("a." * 3000, "://" * 3000, "password=" * 1250, "<secret-" * 1250,
              "-----BEGIN PRIVATE KEY-----" * 250, "C:\\Users\\a b" * 375,
              "a`" * 2250 + "g", "0x1234 <" * 1250, "[1" * 2250, "1 " * 2250,
              known=[Term(SPELLED, "secret", False)])  # fmt: skip


def test_who_and_where_of_a_dead_process() -> None:
    told = [("USER", "zoe"), ("HOME", "/srv/zoe"), ("HOSTNAME", "db-7"), ("LOGNAME", "root")]
    out = Redactor(of_environment(told)).redact("zoe Zoe /srv/zoe/x on DB-7, root cause")
    assert out == "<user-1> <user-2> <home-1>/x on <host-1>, root cause"


async def test_threads_share_one_placeholder() -> None:
    redactor = Redactor()
    texts = [f"a{n}@x.org b{n % 7}@x.org" for n in range(200)]
    out = await asyncio.gather(*(asyncio.to_thread(redactor.redact, text) for text in texts))
    assert [redactor.restore(text) for text in out] == texts


def test_what_a_later_message_gives_away_stands_in_no_earlier_one() -> None:
    said = (Message("user", "it holds zebra-4711"), Message("tool", 'password = "zebra-4711"'))
    assert all("zebra" not in message.content for message in hidden(said, Redactor()))


def test_an_answer_holds_what_the_call_asked_for() -> None:
    call = ToolCall("c1", "exec", {"command": "x/s a->passphrase"})
    text = 'data exec [memory]\nE41, 1 line\nE41:1| 0x55e7: "zebra crossing"'
    said = (Message("assistant", "", (call,)), Message("tool", text, call_id="c1"))
    assert "zebra" not in hidden(said, Redactor())[1].content


def test_a_host_is_known_by_the_first_part_of_its_name() -> None:
    redactor = Redactor(of_environment([("HOSTNAME", "crash-box7.example.net")]))
    assert "box7" not in redactor.redact("Crashed on crash-box7, and on CRASH-BOX7.example.net")
