"""Names of machines, told by what stands around them: whatever they end with.

A name alone tells nothing: `db07.prod.acme` looks like a member of an object. What connects to it,
`host=`, a shell's prompt or a share's path tells.
"""

import re
from collections.abc import Iterator

from workbench.llm.redaction.machine import COMMON, PROCESSOR
from workbench.llm.redaction.spans import Span

_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}(?:\.[A-Za-z0-9][A-Za-z0-9_-]{0,62}){0,8}"
_HOST = rf"(?P<host>{_NAME})(?![\w(]|\.\w|::|->)"
_PORT = r"(?=[\"'`]?(?::\d{2,5}(?!\d)|,\s?\d{2,5}(?!\d)))"
_OPEN = r"[\"'`\[(]{0,2}"
_SCHEME = r"(?:tcp:|udp:|ssl:|//)?"
_KEY = r"(?i)(?<![\w.:>])(?:[\w.-]{0,30}[._-])?"
_SAID = rf"\\?[\"']?\s{{0,4}}[=:]\s{{0,4}}\\?{_OPEN}{_SCHEME}{_HOST}"


def _patterns(*sources: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(source) for source in sources)


_SURE = _patterns(
    # `host=db07`, `Hostname: db07`, `Data Source=db07`: the name may be any word.
    rf"{_KEY}(?:host(?:[ _-]?name|addr|(?==))|data source|fqdn|(?:node|computer|machine|server)"
    rf"[ _]?name){_SAID}",
    rf"(?<![\w-])--?(?:host(?:name)?|server|broker|endpoint)[\s=]\s{{0,2}}{_OPEN}{_SCHEME}{_HOST}",
    rf"(?<![\w-])(?:mysql|mariadb|psql|redis-cli|mongo\w*|ldap\w+|nc|telnet|ping6?|ssh|mosh|nslookup|dig|host)"
    rf"\s(?:[^\n;|&]{{0,80}}?\s)?-(?:h|H)\s?{_HOST}",
    rf"(?i)\b(?:unknown ?host(?:exception)?|no such host|name or service not known|"
    rf"could not resolve(?: host)?|getaddrinfo(?: \w+)?|ENOTFOUND|EAI_AGAIN)"
    rf"(?:\s{{1,2}}|\s?:\s?){_OPEN}{_HOST}(?=[\"'`\])]|:|\s|\Z)",
    rf"(?i)\b(?:host|server|machine)\s+{_OPEN}{_HOST}(?=[\"'`\])]{{0,2}}\s+(?:failed|is|was|refused|closed|unreachable|down|not|timed))",
    # A share of Windows, as it is and as a string holds it.
    r"(?m)(?:(?<=[\s\"'`=(,;<>|])|^)\\{2}(?:\\{2})?(?!(?:Device|DosDevices|SystemRoot|Sessions|Registry|BaseNamedObjects|"
    r"KernelObjects|Windows|Driver)\b)(?P<host>[A-Za-z][\w.-]{1,62})(?=\\{1,2}[\w$.-])",
    # Java's sockets: `kafka-3/10.0.0.4:9092`.
    rf"(?<![\w./\\]){_HOST}(?<![_-])(?=/(?:\d{{1,3}}\.){{3}}\d{{1,3}}:\d)",
)
"""Where the name may be a word like any other."""
_LIKELY = _patterns(
    rf"{_KEY}host{_SAID}",
    rf"(?i)\b(?:gethostbyname|resolv(?:e|ing)(?: host)?|lookup)(?:\s{{1,2}}|\s?:\s?)"
    rf"{_OPEN}{_HOST}(?=[\"'`\])]|:|\s|\Z)",
    rf"(?i)\bconnect(?:s|ed|ing|ion|ions)?\s+(?:is\s+|was\s+)?(?:to|from|with|at)\s+(?:the\s+)?(?:host\s+|server\s+|peer\s+)?"
    rf"{_OPEN}{_SCHEME}{_HOST}",
    rf"(?i)\b(?:failed|unable|trying|attempt(?:ing)?)\s+to\s+(?:reach|contact|resolve)\s+{_OPEN}{_SCHEME}{_HOST}",
    rf"{_KEY}(?:servers?|peer|remote|endpoint|brokers?|upstream|backend){_SAID}",
    rf"(?i)\b(?:connection|connected|disconnected|listening|request|response|redirect(?:ed)?|timeout|closed|reset|"
    rf"refused)\s*:?\s+(?:on|by|from|to|at|for)?\s*{_OPEN}{_HOST}{_PORT}",
)
"""Where it must look like a machine's: with a digit, a hyphen, a dot or a port."""
_PROMPT = re.compile(
    r"(?<![\w.@/+%-])(?P<user>[a-z_][\w.-]{0,31})@(?P<host>"
    + _NAME
    + r")(?=:(?:[~/$]|[\w.-]{1,60}/)|[ ][^\s\[\]]{1,60}\][#$])"
    r"|\b(?:ssh|scp|sftp|rsync|mosh|autossh)\s(?:[^\n;|&]{0,120}?\s)?(?P<user2>[A-Za-z_][\w.-]{0,31})@(?P<host2>"
    + _NAME
    + r")"
)
_LIST = re.compile(rf"(?<![\w./\\:])(?:{_NAME}:\d{{2,5}},){{1,16}}{_NAME}:\d{{2,5}}(?![\w:])")
_MAC = re.compile(
    r"(?<![\w:.-])(?:[0-9A-Fa-f]{2}(?P<mark>[:-])[0-9A-Fa-f]{2}(?:(?P=mark)[0-9A-Fa-f]{2}){4})(?![\w:.-])"
)
_SYMBOL_VERSION = re.compile(r"plt|got|entry|latest|GLIBC\w*|GLIBCXX\w*|GCC\w*|CXXABI\w*|[\d.]+")
_FILE = re.compile(
    r"(?i).*\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|inc|s|rs|go|py|cs|m|mm|java|kt|js|ts|so|dll|exe|sys|txt|log|"
    r"json|xml|yaml|yml|conf|ini|sock|pid|cfg|sh|lua|rb|php|pl|md)(?:\.\d+)*"
)
_NO_NAME = frozenset(
    re.split(
        r"\s+",
        """\
null nullptr none nil true false unknown undefined unreachable localhost localdomain not is was
are the a an to for from at by of in on and or no failed failure refused closed reset timed timeout
error invalid name names address os id ip port header headers key value values type string str
database db peer remote endpoint socket broker cluster service services process thread signal
without with this that it its via using because due lookup host hosts hostname server servers empty
missing optimized out void char const int long auto struct class static uint32_t uint16_t
self proxy gateway daemon listener acceptor lost aborted established successful succeeded
pending""",
    )
)
_NO_MACHINE = re.compile(rf"0x[0-9a-f]*|{PROCESSOR}")
_SHAPED = re.compile(r"[A-Za-z].*[\d.-]|\d.*[A-Za-z]")


def hosts_in(text: str) -> Iterator[Span]:
    """Where names of machines, of who is logged in there and addresses of their network cards
    stand. Never raises; each pattern reads a bounded way ahead."""
    for pattern in _SURE:
        for found in pattern.finditer(text):
            if _is_name(found["host"]):
                yield Span(*found.span("host"), "host")
    for pattern in _LIKELY:
        for found in pattern.finditer(text):
            if _is_name(found["host"]) and _looks_like_one(found):
                yield Span(*found.span("host"), "host")
    for found in _PROMPT.finditer(text):
        user, host = ("user", "host") if found["host"] else ("user2", "host2")
        if not _SYMBOL_VERSION.fullmatch(found[host]) and not _FILE.fullmatch(found[host]):
            yield Span(*found.span(host), "host")
            if found[user].lower() not in COMMON:
                yield Span(*found.span(user), "user")
    for found in _LIST.finditer(text):
        names = list(re.finditer(rf"(?P<host>{_NAME}):\d+", found[0]))
        if all(_is_name(one["host"]) and not re.fullmatch(r"E\d+", one["host"]) for one in names):
            for one in names:
                yield Span(found.start() + one.start(), found.start() + one.end("host"), "host")
    for found in _MAC.finditer(text):
        yield Span(*found.span(), "host")


def _is_name(name: str) -> bool:
    lower = name.lower()
    return not (
        lower in _NO_NAME
        or lower in COMMON
        or not any(map(str.isalpha, name))
        or _NO_MACHINE.fullmatch(lower)
        or _FILE.fullmatch(name)
    )


def _looks_like_one(found: re.Match[str]) -> bool:
    behind = found.string[found.end("host") : found.end("host") + 8]
    has_port = re.match(r"[\"'`]?:\d{2,5}(?!\d)|,\s?\d{2,5}(?!\d)", behind) is not None
    return has_port or _SHAPED.search(found["host"]) is not None


def shaped(name: str) -> bool:
    """True for a name that may be looked for elsewhere too, because no word looks like it."""
    return len(name) >= 4 and _SHAPED.search(name) is not None
