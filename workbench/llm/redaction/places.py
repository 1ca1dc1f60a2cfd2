"""E-mail and IP addresses, hosts, home folders and assignments of the environment in a text."""

import ipaddress
import re
from collections.abc import Iterator

from workbench.llm.redaction.machine import COMMON, says_nothing
from workbench.llm.redaction.spans import Span

_EMAIL = re.compile(
    r"(?<![\w.+-])[A-Za-z0-9][\w.+%-]{0,63}"
    r"(?:@|%40|\\{1,2}(?:x40|u0040|100)|&(?:#0{0,4}64|#[xX]0{0,4}40|commat);)"
    r"(?:[A-Za-z0-9-]{1,63}\.){1,8}(?!got\b|sec\b)[A-Za-z]{2,24}\b"
)
_IPV4 = re.compile(
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d|-\d{1,3}(?![\d.])"
    r"|[-+~](?i:ubuntu|debian|deb\d|dfsg|alpine|amzn|el\d|fc\d|rc\d|r\d|alpha|beta|dev|git|generic"
    r"|snapshot|release|final|build)(?![A-Za-z]))"
)
# What stands before four numbers that are no address: `version 1.2.3.4`, `libfoo 1.2.3.4`.
_VERSION = re.compile(
    r"(?i)(?:\b(?:version|ver|release|rev|revision|v)[.:=]?\s{0,3}"
    r"(?:v|\d[\w.+-]{0,20}(?:,|\s+and)\s+)?"
    r"|\b(?:lib[a-z]{1,20}|glibc|gcc|gdb|lldb|clang|openssl)[\w.+-]{0,20}[ -])\Z"
)
_IPV6 = re.compile(
    r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}(?:[0-9A-Fa-f]{1,4}|(?:\d{1,3}\.){3}\d{1,3})?(?P<zone>%(?:25)?[A-Za-z][\w.-]{0,15})?(?![\w:])"
)
# Two groups are enough where the first is one that addresses begin with.
_LINK = re.compile(r"(?i)(?:fe80|f[cd][0-9a-f]{2}|20[0-9a-f]{2}|2[0-9a-f]{3}):")
_URL_HOST = re.compile(
    r"\b[A-Za-z][A-Za-z0-9+.-]{1,15}://(?:[^\s/@\"]{0,200}@)?(\[[^\]\s]+\]|[\w.-]+)"
)
# Names under these ends are hosts; `System.Net` and `java.io` are not, being no lower-case triple.
_HOST = re.compile(
    r"(?<![\w.@/\\-])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}"
    r"(?:com|net|org|io|internal|local|lan|corp|intra|intranet|home|localdomain|private|cloud|dev|app"
    r"|edu|gov|mil|de|fr|uk|eu|ch|at|it|es|nl|se|no|fi|pl|ru|cn|jp|in|br|ca|au|us|biz|info|arpa)"
    r"(?![\w-]|\.\w|\()"
)
_NOT_HOSTS = re.compile(
    r"(?:java|javax|kotlin|scala|jdk|sun|kotlinx|android|androidx)\b|(?:[a-z]\.)?[a-z]{1,8}\.(?:in|io|it|at|no|app|home|local|private|dev|info)\Z"
)
_HOME = re.compile(
    r"(?<![\w.-])(?:/(?:var/|export/|usr/)?home|/Users|/run/media|/var/(?:spool/)?mail"
    r"|/(?:mnt|nfs|net|data|gpfs|lustre)(?:/[\w.-]{1,63}){0,2}/(?:home|users)|/afs/[\w.-]{1,63}/(?:users?|u|home)(?:/\w{1,2})*)/"
    r"(?P<unix>[^/\s\"'`:;,<>()\[\]{}|&*?=\\]+(?:'[^/\s\"'`:;,<>()\[\]{}|&*?=\\]+(?=/))?)"
    r"|(?<![\w.~/-])/root(?![\w.-])"
    r"|(?<![\w.-])/(?:(?:mnt|cygdrive|media|run/desktop/mnt/host)/)?[A-Za-z]/[Uu]sers/"
    r"(?P<mounted>[^/\n\"`:;,<>|*?=\\]{1,64}(?=/)|[^/\s\"'`:;,<>|*?=\\]{1,64})"
    r"|(?<![\w%])[A-Za-z](?:%3A|:)(?:%5C|%2F|/)(?i:Users)(?:%5C|%2F|/)(?P<escaped>[\w.+-]{1,64}(?:%2[07][\w.+-]{1,64}){0,3})"
    r"|(?<!\w)[A-Za-z]:(?:\\{1,4}|/)(?i:Users|Documents and Settings)(?:\\{1,4}|/)"
    r"(?P<windows>[^\\/\s\"'`:;,<>|*?=]+(?:[ '][^\\/\s\"'`:;,<>|*?=]+){0,3}(?=\\|/)"
    r"|[^\\/\s\"'`:;,<>|*?=]+)"
)
# As an environment holds it: `"NAME=value"` in a dump, where the value goes to the quote that ends
# it, `NAME=value` at the start of a line, and WinDbg's indented list, where names are written in
# any case. A line of evidence that a model is shown begins with its citation, `E3:4| `.
_CITED = r"^(?:E\d{1,9}:\d{1,9}\| )?"
_ASSIGNMENT = re.compile(
    r"(?:(?<=\")(?P<double>[A-Za-z_]\w{2,63})=(?P<quoted>(?:[^\"\\\n]|\\.){3,4096})"
    r"|(?<=')(?P<single>[A-Z_][A-Z0-9_]{2,63})=(?P<ticked>(?:[^'\\\n]|\\.){3,4096})"
    rf"|(?:(?<=\t)|{_CITED})[ ]{{0,4}}(?:export )?"
    r"(?P<name>[A-Z_][A-Z0-9_]{2,63})=(?P<value>[^\n]{3,4096})"
    rf"|{_CITED}[ ]{{8}}(?P<listed>[A-Za-z_][\w()]{{2,63}})=(?P<told>[^\n]{{3,4096}}))",
    re.MULTILINE,
)
_PAIRS = (("double", "quoted"), ("single", "ticked"), ("name", "value"), ("listed", "told"))
# What tools say of the machine and its user: coredumpctl, WinDbg, the lines of a system's log.
_HOST_SAID = re.compile(
    r"^[ \t]*(?:Hostname|Machine Name|Computer Name|Machine ID|Boot ID)[ \t]*:[ \t]*(?P<named>\S+)"
    r"|^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\d[T ][\d:.,+Z-]+) "
    r"(?!(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|NOTICE|SEVERE|CRITICAL|VERBOSE)\b)"
    r"(?P<logged>[A-Za-z][\w.-]*) (?=[\w./()-]+(?:\[\d+\])?: )",
    re.MULTILINE,
)
_USER_SAID = re.compile(
    r"^[ \t]*(?:Owner )?[UG]ID:[ \t]*\d+ \((?P<uid>[^)\s]+)\)"
    r"|^[ \t]*(?:User Name|Username|Logged on user)[ \t]*:[ \t]*(?P<name>[^\n]+?)[ \t]*$",
    re.MULTILINE,
)
# `in_addr` as a debugger prints it, but for any, loopback and broadcast.
_NUMBERED = re.compile(
    r"\bs_addr = (?P<ip>(?!0\b|0x0\b|16777343\b|0x100007f\b|4294967295\b|0xffffffff\b)"
    r"(?:0x[0-9a-f]{1,8}|\d{1,10}))\b"
)
_PLAIN = re.compile(r"(?i)[-+]?(?:0x[0-9a-f]*|\d+)|true|false|yes|none|null")


def places_in(text: str) -> Iterator[Span]:
    """Where addresses, hosts, home folders and values of an environment stand."""
    for found in _EMAIL.finditer(text):
        yield Span(*found.span(), "email")
    for found in _IPV4.finditer(text):
        before = text[max(0, found.start() - 48) : found.start()]
        if _is_address(found[0]) and not _VERSION.search(before):
            yield Span(*found.span(), "ip")
    for found in _IPV6.finditer(text):
        # `face::bad` is a symbol of C++: an address that says nothing but words is left
        address = found[0].partition("%")[0]
        told = _groups(address) >= 3 or found["zone"] is not None or _LINK.match(address)
        if told and any(c.isdigit() for c in address) and _is_address(address):
            yield Span(*found.span(), "ip")
    for found in _NUMBERED.finditer(text):
        yield Span(*found.span("ip"), "ip")
    for found in _URL_HOST.finditer(text):
        yield Span(*found.span(1), "host")
    for found in _HOST.finditer(text):
        if not _NOT_HOSTS.match(found[0]):
            yield Span(*found.span(), "host")
    for found in _HOME.finditer(text):
        yield Span(*found.span(), "home")
    for found in _ASSIGNMENT.finditer(text):
        name, group = next(pair for pair in _PAIRS if found[pair[1]])
        value = found[group].strip()
        if not _PLAIN.fullmatch(value) and not says_nothing(found[name], value):
            yield Span(*found.span(group), "env")
    for pattern, kind in ((_HOST_SAID, "host"), (_USER_SAID, "user")):
        for found in pattern.finditer(text):
            if found[str(found.lastgroup)].lower() not in COMMON:
                yield Span(*found.span(str(found.lastgroup)), kind)


def assignments_in(text: str) -> Iterator[tuple[str, str]]:
    """Names and values of an environment that stands in a text."""
    for found in _ASSIGNMENT.finditer(text):
        name, value = next(pair for pair in _PAIRS if found[pair[1]])
        yield found[name], found[value].strip()


def owners_in(text: str) -> Iterator[str]:
    """The names of the people whose home folders or accounts are named."""
    for found in _USER_SAID.finditer(text):
        yield found[str(found.lastgroup)]
    for found in _HOME.finditer(text):
        name = next(filter(None, found.groupdict().values()), None)
        if name:
            yield name.replace("%20", " ").replace("%27", "'")


def _groups(text: str) -> int:
    return sum(bool(group) for group in text.split(":"))


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
