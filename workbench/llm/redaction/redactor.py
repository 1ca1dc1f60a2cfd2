"""Placeholders for what is private, the same ones for the whole of a session, and the way back."""

import re
import threading
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal
from urllib.parse import quote, quote_plus

from workbench.llm.providers.base import RESTART
from workbench.llm.redaction.credentials import credentials_in
from workbench.llm.redaction.hosts import hosts_in, shaped
from workbench.llm.redaction.machine import Term, of_environment, secret_term, tells
from workbench.llm.redaction.places import assignments_in, owners_in, places_in
from workbench.llm.redaction.secrets import NUMBERS, secrets_in
from workbench.llm.redaction.spans import Span, merged

_NAME = r"[A-Za-z_][\w.-]{1,62}\w"
_CALLED = r"(?:user(?:_?name)?|login(?:_?name)?|logname|account_?name)"
# A line of evidence that a model is shown begins with its citation, `E3:4| `.
_CITED = r"(?:E\d{1,9}:\d{1,9}\| )?"
_TEXT = r"(?:0x[0-9a-f]{1,16}\s)?(?:<[^<>\n]{1,100}>\s)?@?[\"'](?P<name>[^\"'\\\n]{2,64})[\"']"
_DOMAIN = (
    r"(?!(?:SOFTWARE|SYSTEM|HARDWARE|SECURITY|SAM|HK\w+|REGISTRY|BUILTIN|AUTHORITY|WINDOWS|NT|GLOBAL"
    r"|LOCAL)\\)[A-Z][A-Z0-9-]{1,14}"
)
_PATTERNS = (
    # `login=zaphodb42`, but no member of an object and no call.
    re.compile(rf"(?i)(?<![\w.>]){_CALLED}=(?P<name>{_NAME})(?![\w(\[/\\]|@entry|->|::)"),
    re.compile(rf"(?i)(?<![A-Za-z]){_CALLED}[\"']?\s{{0,3}}[:=]\s{{0,3}}{_TEXT}"),
    re.compile(
        rf"(?i)(?<![A-Za-z])(?:login|username):[ \t]{{1,2}}(?=\w*\d)(?P<name>{_NAME})(?!\S)"
    ),
    re.compile(rf"(?<![\w-])--(?:user(?:name)?|login)[\s=](?P<name>{_NAME})(?![\w(:%@/\\])"),
    re.compile(rf"(?<![\w-])login\s(?:[^\n]{{0,100}}?\s)?-u[\s=]{{0,2}}(?P<name>{_NAME})(?!\S)"),
    re.compile(rf"(?<![\w.-])jdbc:oracle:\w{{1,8}}:(?P<name>{_NAME})/[^\s/@]{{1,200}}@"),
    # A shell's: `su - jane`, `sudo -u jane`, `~jane/`, and what `id` prints.
    re.compile(
        rf"(?m)(?:^{_CITED}|[$#;&|\"'`(]|\bsudo)[ \t]{{0,4}}su[ \t]+(?:-l?[ \t]+|--login[ \t]+)?"
        rf"(?P<name>{_NAME})(?![\w(=:/])"
    ),
    re.compile(rf"(?<![\w-])su[ \t]+(?:-l?|--login)[ \t]+(?P<name>{_NAME})(?![\w(=:/])"),
    re.compile(
        rf"(?<![\w-])(?:sudo|runuser)[ \t](?:-\w[ \t]){{0,3}}-u[ \t]*(?P<name>{_NAME})(?![\w(=:/])"
    ),
    re.compile(rf"(?<![\w~.)\]])~(?P<name>{_NAME})(?=[/\\])"),
    re.compile(r"\b[efs]?[ug]id=\d{1,10}\((?P<name>[^()\s]{2,64})\)"),
    # Who owns a file in a list of them, and who logs in, as PAM, sshd and logind tell.
    re.compile(
        rf"(?m)^{_CITED}[-bcdlps](?:[-r][-w][-xsStT]){{3}}[.+@]? +\d{{1,9}} +(?P<name>{_NAME})[ ]"
    ),
    re.compile(
        r"\b(?:session (?:opened|closed) for user|New session \w{1,9} of user"
        rf"|(?:Accepted|Failed) [\w/-]{{1,30}} for(?: invalid user)?) (?P<name>{_NAME})(?![\w(=:/])"
    ),
    # The person in a line of passwd(5), and accounts of Windows: `User Id=jane`, `ACME\\jane`, but
    # no escape of C's, no key of the registry and no path.
    re.compile(
        rf"(?m)^{_CITED}[\w.-]{{1,32}}:[^:\s]{{0,120}}:\d{{4,10}}:\d{{1,10}}:(?P<name>[^:,\n]{{3,64}})"
    ),
    re.compile(rf"(?i)\buser id\s?=\s?(?P<name>{_NAME})(?=[;\"'\s]|\Z)"),
    re.compile(
        rf"(?<![\w\\/:.%$-])(?:(?<=[:=] ){_DOMAIN}\\|{_DOMAIN}\\(?:\\|(?![abefnrtuvx\d])))"
        r"(?![A-Z\d_]+\b)(?P<name>[A-Za-z][\w-]{2,30})(?![\w\\/(-]|\.\w)"
    ),
    # What a debugger answers to `p user_name`.
    re.compile(
        rf"(?im)(?<![\w-])(?:p|print|po|v|call|output|expr(?:ession)?|frame variable)(?:/\w+)?[ \t]"
        rf"[^\n]{{0,120}}?(?<![A-Za-z]){_CALLED}\b[^\n]{{0,60}}\n{_CITED}"
        rf"(?:\$\w{{1,9}} = |\([^()\n]{{1,60}}\) [^\n\"=]{{1,60}} = )"
        rf"(?:[^\n\"{{]{{0,60}}\{{[^\n\"]{{0,200}}?)?{_TEXT}"
    ),
)
_CONSTANT = re.compile(r"[A-Z]+(?:_[A-Z0-9]+)+")
_NO_NAME = frozenset(
    re.split(
        r"\s+",
        """\
ok failed failure success succeeded denied refused error none null nil nullptr true false yes no on
off unknown invalid valid empty missing required optional enabled disabled pending expired
interactive anonymous name username login logname account string char const void int
sudo adm wheel staff disk audio video plugdev lxd netdev kvm input tty dialout nogroup""",
    )
)


def people_in(text: str) -> Iterator[Span]:
    """Where names of accounts stand. Never raises; each pattern reads a bounded way ahead."""
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            if _CONSTANT.fullmatch(found["name"]):
                continue
            if tells(found["name"]) and found["name"].lower() not in _NO_NAME:
                yield Span(*found.span("name"), "user")


_PLACEHOLDER = re.compile(r"(?i)<(secret|email|ip|user|home|host|env|text)-(\d{1,6})>")
_SHORTEST = 4  # characters of a secret that is looked for elsewhere too
_LONG_NAME = 5
_SHORTEST_CODED = 8  # of Base64: six bytes
_LONGEST = len("<secret-999999>")
# What numbers that follow each other are read from: what stands before them in a line (a citation,
# an address, an index), one of them with the character that it is, a character alone, or a word,
# which ends the row.
_READ = re.compile(
    r"(?im)^(?:E\d{1,9}:\d{1,9}\| )?[ \t]{0,8}(?:0x)?[0-9a-f`]{4,17}(?:[ \t]<[^<>\n]{1,200}>)?"
    r"(?::(?!\w)|(?=[ \t]{2}))|\$\d{1,9} = |(?:\([^()\n]{1,60}\) )?\[[\w.+-]{1,30}\] = "
    r"|(?P<number>(?:(?<!\w)-)?(?:[0-9a-f]{8}`[0-9a-f]{8}|(?:0[xbo])?[0-9a-f]+)(?![\w`]))"
    r"(?: '(?:[^'\\\n]|\\[^\n]{1,3})')?"
    r"|(?:[LU]|u8?)?'(?P<sign>[^'\\\n])'|(?P<word>\w+(?:[ \t]+[g-z_]\w*)*)"
)
_BASES: tuple[tuple[int, Literal["little", "big"]], ...] = (
    *((base, "little") for base in (16, 10, 8, 2)),
    (16, "big"),  # a row of bytes in one
)
# A part of a secret as a debugger prints it: from a pointer into it, or a register's bytes; and
# what begins with the end of one.
_PIECE = re.compile(r"\"([^\"\\\n]{4,400})\\?\"")
_OPENED = re.compile(r"\"(?=([^\"\n]{8}))")
_ESCAPED = re.compile(r"(?<!\\)((?:\\\\)*)\\[nrt]")
"""A line's end as a string of C holds it."""
# The characters of a row of bytes, beside them: the rest of the row, and they behind two blanks.
_BESIDE = re.compile(r"(?:[ -]?(?:[0-9A-Fa-f`]{2,17}|\?\?)(?![^\s-]))*[ ]{2,}(?P<shown>\S[^\n]*)")
_SIGN = re.compile(r"\\/|.", re.DOTALL)
_CHANCE = 16
"""Letters alone, so many at most, may be a word of the program's as well."""


class Redactor:
    """``<user-1>`` stands for the same name in every call of a session.

    What was found once is looked for everywhere from then on, so that a password that one line
    gives away is not told by another. Words that the workbench itself writes (``common``) are
    nobody's secret.
    """

    def __init__(self, terms: Iterable[Term] = (), common: str = "") -> None:
        self._terms: dict[str, Term] = {}
        self._names: dict[tuple[str, str], str] = {}
        self._values: dict[str, str] = {}
        self._bytes: set[bytes] = set()  # four of a secret that follow each other
        self._named: dict[bytes, str] = {}  # the kinds of whole names that are no word by chance
        self._secrets = ""  # all of them, a line each
        self._common = set(re.findall(r"[A-Za-z0-9_.-]+", common))
        self._lock = threading.Lock()  # calls are redacted in threads, several at a time
        self._learn(terms)

    def redact(self, text: str) -> str:
        """The text with placeholders."""
        with self._lock:
            return self._redact(text)

    def _redact(self, text: str) -> str:
        spans = self._found_in(text)
        if "\\/" in text:  # a slash as JSON may write it, and Apple's reports do
            starts = [m.start() for m in _SIGN.finditer(text)] + [len(text)]
            found = self._found_in(text.replace("\\/", "/"))
            spans += [Span(starts[s.start], starts[s.end], s.kind) for s in found]
        spans += [Span(*m.span(), "text") for m in _PLACEHOLDER.finditer(text)]
        spans += self._known_in(text)
        out, at = [], 0
        for span in merged(spans):
            out += [
                text[at : span.start],
                self._placeholder(span.kind, text[span.start : span.end]),
            ]
            at = span.end
        return "".join([*out, text[at:]])

    def _found_in(self, text: str) -> list[Span]:
        """Where what is private by its shape or by what stands around it does; it is learned."""
        spans = [*places_in(text), *hosts_in(text)]
        for read in dict.fromkeys((text, _ESCAPED.sub(r"\1\n\n", text))):
            spans += [*secrets_in(read), *credentials_in(read)]
        people = list(people_in(text))
        spans += people
        found = (text[s.start : s.end] for s in spans if s.kind == "secret")
        self._learn(secret_term(secret) for secret in found if len(secret) >= _SHORTEST)
        self._learn(_owners(text))
        self._learn(Term(text[s.start : s.end], "user", True) for s in people)
        hosts = (text[s.start : s.end] for s in spans if s.kind == "host")
        self._learn(Term(host, "host", True) for host in hosts if shaped(host) and tells(host))
        self._learn(of_environment(assignments_in(text)))
        return spans

    def redact_all(self, value: Any) -> Any:
        """The same within lists and mappings, keys too."""
        return _within(value, self.redact)

    def restore(self, text: str) -> str:
        """The text with what the placeholders stand for; one that was never given stays."""
        return _PLACEHOLDER.sub(lambda m: self._values.get(m[0].lower(), m[0]), text)

    def restore_all(self, value: Any) -> Any:
        """The same within lists and mappings, keys too."""
        return _within(value, self.restore)

    def told(self, text: str, ours: Collection[str] = ()) -> list[str]:
        """The kinds of what a text gives away of all that is known by now; words that are ``ours``
        give nothing away."""
        with self._lock:
            spans = list(self._known_in(text))
        return [span.kind for span in spans if text[span.start : span.end] not in ours]

    # --- inside ---------------------------------------------------------------------------------

    def _learn(self, terms: Iterable[Term]) -> None:
        for term in terms:
            if term.text not in self._common and term.text not in self._terms:
                for written in _spellings(term):
                    self._terms.setdefault(written, term._replace(text=written))
                if term.kind in ("user", "host") and len(term.text) >= _LONG_NAME:
                    self._named[term.text.encode()] = term.kind
                if term.kind == "secret":
                    data = term.text.encode()
                    if NUMBERS.fullmatch(term.text):  # what memory at a secret holds
                        held = (
                            _bytes_of(one, 16 if "x" in one else 10, "little")
                            for one in re.findall(r"-?\b\w+", term.text)
                        )
                        data = b"".join(held)
                    self._bytes.update(data[at : at + _SHORTEST] for at in range(len(data) - 3))
                    self._secrets += f"{term.text}\n"

    def _known_in(self, text: str) -> Iterator[Span]:
        folded = text.casefold()
        for term in self._terms.values():
            if term.text.casefold() in folded:  # most are not, and this is a hundred times faster
                for found in re.finditer(_pattern(term), text):
                    yield Span(*found.span(), term.kind)
        if self._bytes or self._named:
            yield from self._numbers_in(text)
        for found in _PIECE.finditer(text) if self._secrets else ():
            sure = len(found[1]) == 8 or len(found[1]) > _CHANCE or not found[1].isalpha()
            if sure and found[1] in self._secrets:
                yield Span(*found.span(1), "secret")
        for found in _OPENED.finditer(text) if self._secrets else ():
            at = -1
            while (at := self._secrets.find(found[1], at + 1)) >= 0:
                rest = self._secrets[at : self._secrets.index("\n", at)]
                known = not rest.isalpha() or len(rest) > _CHANCE
                if known and text.startswith(rest, found.end()):
                    yield Span(found.end(), found.end() + len(rest), "secret")

    def _numbers_in(self, text: str) -> Iterator[Span]:
        """Where numbers, bytes or words of memory, hold what a secret holds, or a whole name, line
        by line. Zeros between its bytes are those of wide characters. Reads the text once for each
        base."""
        read = list(_READ.finditer(text))
        parts = re.compile(b"[%s]{4,}" % re.escape(bytes({*b"".join(self._bytes)}) or b"\0"))
        for base, order in _BASES:
            data, of = bytearray(), list[re.Match[str]]()
            for found in read:
                kind, part = found.lastgroup, found[found.lastgroup or 0]
                held = part.encode() if kind == "sign" else b"\0" * (kind == "word")
                if kind == "number":
                    held = _bytes_of(part, base, order)
                data += held
                of += [found] * len(held)
            found_at = [
                (at, _SHORTEST, "secret")
                for part in parts.finditer(data) for at in range(*part.span())
                if bytes(data[at : at + _SHORTEST]) in self._bytes
            ]  # fmt: skip
            found_at += [
                (found.start(), len(name), kind)
                for name, kind in self._named.items()
                for found in re.finditer(re.escape(name), data)
            ]
            for at, length, kind in found_at:
                row = of[at : at + length]
                for one, after in pairwise((*row, row[-1])):
                    whole = "\n" not in text[one.start() : after.start()]
                    yield Span(one.start(), (after if whole else one).end(), kind)
                    if beside := _BESIDE.match(text, one.end()):
                        yield Span(*beside.span("shown"), kind)

    def _placeholder(self, kind: str, value: str) -> str:
        key = (kind, value)
        if key not in self._names:
            number = sum(known == kind for known, _ in self._names) + 1
            self._names[key] = f"<{kind}-{number}>"
            self._values[self._names[key]] = value
        return self._names[key]


class Stream:
    """Puts back what placeholders stand for in a text that comes in pieces."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""

    def more(self, piece: str) -> str:
        """What can be said now; what may be the start of a placeholder waits."""
        if piece == RESTART:
            self._held = ""
            return piece
        text = self._held + piece
        cut = text.rfind("<")
        if cut < 0 or ">" in text[cut:] or len(text) - cut > _LONGEST:
            cut = len(text)
        self._held = text[cut:]
        return self._redactor.restore(text[:cut])

    def end(self) -> str:
        """What still waits."""
        text, self._held = self._held, ""
        return self._redactor.restore(text)


def _spellings(term: Term) -> set[str]:
    """A text as it is and as a string of C or JSON holds it; a secret as URLs (RFC 3986, 2.1) and
    Base64 (RFC 4648, also within a longer text) hold it too."""
    text = term.text
    found = {text, text.replace("\\", "\\\\"), text.replace("/", "\\/")}
    if term.kind != "secret":
        return found
    for quoted in (quote(text, safe=""), quote_plus(text)):
        found |= {quoted, re.sub("%..", lambda code: code[0].lower(), quoted)}
    data = text.encode()
    for before in range(3):
        # Of the characters at both ends some bits are of what stands beside it.
        coded = b64encode(bytes(before) + data)[
            before and before + 1 : (before + len(data)) * 8 // 6
        ]
        if len(coded) >= _SHORTEST_CODED:
            found |= {coded.decode(), coded.translate(bytes.maketrans(b"+/", b"-_")).decode()}
    return found


@lru_cache(1 << 12)
def _bytes_of(number: str, base: int, order: Literal["little", "big"]) -> bytes:
    """What a number holds, without zeros; a zero for what is none of this base: it ends a row."""
    try:
        value = int(number.replace("`", ""), base)
    except ValueError:
        return b"\0"
    return value.to_bytes(value.bit_length() // 8 + 1, order, signed=True).replace(b"\0", b"")


def _owners(text: str) -> Iterator[Term]:
    for name in owners_in(text):
        if tells(name):
            yield Term(name, "user", True)


def _pattern(term: Term) -> str:
    """A user's or a host's name is one however it is written."""
    text = re.escape(term.text)
    if term.kind in ("user", "host"):
        text = f"(?i:{text})"
    if not term.word:
        return text
    # `_` joins a name to others, `core_jdoe77_1`; a short one, and what a setting holds, may be a
    # word of the program's: `max_size`.
    own = term.kind == "secret" or (term.kind in ("user", "host") and len(term.text) >= _LONG_NAME)
    letter = "A-Za-z0-9" if own else "A-Za-z0-9_"
    before = f"(?<![{letter}])" if term.text[0].isalnum() else ""
    after = f"(?![{letter}])" if term.text[-1].isalnum() else ""
    return f"{before}{text}{after}"


def _within(value: Any, change: Any) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {_within(key, change): _within(item, change) for key, item in value.items()}
    if isinstance(value, Collection) and not isinstance(value, (bytes, bytearray)):
        return [_within(item, change) for item in value]
    return value
