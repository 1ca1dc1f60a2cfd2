"""Names of accounts and passwords where clients, shells and debuggers write them; and a program's
own words, which look like them and stay."""

import pytest

from tests.llm.redacting import goes_and_comes_back, read_soon, stays
from workbench.llm.redaction.redactor import Redactor

GONE = [
    ("docker login -u joe -p dockpw88", "dockpw88"),
    ("docker login registry.acme.zz -u zaphodb42 --password x1234", "zaphodb42"),
    ("podman login -p dockpw88 reg", "dockpw88"),
    ("jdbc:oracle:thin:scott/tiger1@db:1521:orcl", "tiger1"),
    ("jdbc:oracle:thin:scott/tiger1@", "scott"),
    ("sqlplus scott/tiger1@orcl", "tiger1"),
    ('"password" : [ "x" ]', '"x"'),
    ('"passwords": [\n  "rosebud",\n  "zebra4"\n]', "zebra4"),
    ("PASSWORD\x1b[0m=rosebud", "rosebud"),
    ("PASSWORD\\x1b[0m=\\x1b[1mrosebud", "rosebud"),
    ("\x1b[1mPASSWORD\x1b[0m: \x1b[32mrosebud", "rosebud"),
    ("login=zaphodb42", "zaphodb42"),
    ('user = 0x4052a0 "zaphodb42"', "zaphodb42"),
    ("login=zaphodb42@db7", "zaphodb42"),
    ("db login: zaphodb42", "zaphodb42"),
    ('(gdb) p user_name\n$1 = std::string = {_M_p = 0x4e10 "zaphodb42"}', "zaphodb42"),
    ('(gdb) p *user\n$1 = {id = 3, name = 0x4e10 "zaphodb42"}', "zaphodb42"),
    ("su - zaphodb42", "zaphodb42"),
    ("$ su zaphodb42", "zaphodb42"),
    ("sudo -u zaphodb42 ls", "zaphodb42"),
    ("ls ~zaphodb42/src", "zaphodb42"),
    ("uid=1000(zaphodb42) gid=1000(zaphodb42)", "zaphodb42"),
    ('(gdb) p user_name\n$1 = "zaphodb42"', "zaphodb42"),
    ('data E3 p conn->user_name [memory]\nE3:1| $1 = 0x4052a0 "zaphodb42"', "zaphodb42"),
    ('(lldb) p user_name\n(const char *) $0 = 0x4052a0 "zaphodb42"', "zaphodb42"),
    ('(gdb) p cfg.password\n$2 = 0x4052a0 "rosebud"', "rosebud"),
    ("jane.roe\\x40acme.example", "jane.roe"),
    ("jane.roe&#64;acme.example", "jane.roe"),
    ("jane.roe&#x40;acme.example", "acme"),
    ("jane.roe\\u0040acme.example", "acme"),
    ("PASSWORD=HUNTER", "HUNTER"),
    ("auth_token = ROSEBUD", "ROSEBUD"),
    ("unexpected token: 8f7a6b5c4d3e", "8f7a6b5c4d3e"),
    ("    API_TOKEN=linux", "linux"),
    ("Host: arm64-builder7", "arm64-builder7"),
    ("peer 10.2.1.3-10.2.1.9", "10.2.1.3"),
    ('who = 0x4e10 "ACME\\\\zaphodb42"', "zaphodb42"),
    ("ACME\\zaphodb42 logged in", "zaphodb42"),
    ("Account Name: ACME\\rosebud7", "rosebud7"),
    ("zb:x:1000:1000:Zaphod Beeble,,,:/home/zb:/bin/sh", "Beeble"),
    ("Server=db;User Id=zaphodb42;Encrypt=yes", "zaphodb42"),
    ("[zaphodb@ci7 src]$ ./app", "zaphodb"),
    ("[zaphodb@ci7 src]$ ./app", "ci7"),
    ("total 4\n-rw-r-----+ 1 zaphodb zaphodb 372736 Nov 28 core", "zaphodb"),
    ("sshd[7]: Accepted publickey for zaphodb from 10.2.1.3", "zaphodb"),
    ("session opened for user zaphodb by (uid=0)", "zaphodb"),
    ("/run/media/zaphodb/USB", "zaphodb"),
    ("/var/spool/mail/zaphodb", "zaphodb"),
]
STAYS = [
    "-rw-r----- 1 root root 372736 Nov 28 core",
    "Failed assertion for node in graph",
    "[it@x y] = at[1]",
    "token_type = IDENT",
    "auth_state = AUTH_OK",
    "auth_state = AuthState::Denied",
    "tokenKind = Identifier",
    "unexpected token: SEMICOLON",
    "unexpected token: semicolon",
    "token = T_STRING, next = 0x4052a0",
    "kind = token::SEMICOLON, token = TOK_EOF2",
    "user=USER_ADMIN",
    "login: failed",
    '"token_type": "bearer"',
    "Host: x86_64",
    "host: x86_64-pc-linux-gnu",
    "TERM=xterm",
    "    TERM=xterm-256color",
    "LANG=C.UTF-8",
    "10.2.1.3-ubuntu",
    "glibc 10.2.1.3+dfsg, gdb 10.2.1.3-4ubuntu1",
    "Foo::~Foo() at a.cc:3",
    "login=failed user=root",
    "login (user=user@entry=0x4052a0, login=0x0)",
    "user=ctx->user, login=handler(x)",
    "uid=0(root) gid=27(sudo)",
    "(gdb) p user_count\n$1 = 3",
    "result = su + 5",
    'text = 0x4e10 "WARNING\\ntill is open"',
    "FOO\\BAR and ABC\\\\def.c",
    "HKLM\\Software and SOFTWARE\\\\Classes",
    "daemon:x:1:1:Daemon of the till:/usr/sbin:/usr/sbin/nologin",
]


@pytest.mark.parametrize(("text", "private"), GONE)
def test_private_things_go_and_come_back(text: str, private: str) -> None:
    goes_and_comes_back(text, private)


@pytest.mark.parametrize("text", STAYS)
def test_what_the_analysis_needs_stays(text: str) -> None:
    stays(text)


def test_a_name_that_was_found_once_is_looked_for_everywhere() -> None:
    redactor = Redactor()
    redactor.redact("uid=1000(zaphodb42)")
    assert "zaphodb42" not in redactor.redact("owned by Zaphodb42, zaphodb42.").lower()


def test_a_programs_constant_is_no_secret_elsewhere() -> None:
    redactor = Redactor()
    redactor.redact("token_type = IDENT\nauth_state = AUTH_OK\nunexpected token: SEMICOLON")
    assert redactor.redact("IDENT AUTH_OK SEMICOLON") == "IDENT AUTH_OK SEMICOLON"


def test_hostile_lengths_are_no_trouble() -> None:
    read_soon("docker login " * 750, "p user_name\n" * 1000, "su - " * 2250, "~a" * 5000,
              "jdbc:oracle:thin:" * 750, '"password": [' * 1000, "token_type" * 1000,
              "PASSWORD\x1b[0m" * 1000, "p password " * 1000, "sqlplus a/" * 1000,
              "x86_64-pc-linux-" * 750, "host=x86_64-linux-" * 625)  # fmt: skip
