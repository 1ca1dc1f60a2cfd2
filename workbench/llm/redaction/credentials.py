"""Secrets that are told by what stands around them: options of clients, sentences, markup, headers,
connection strings. Each pattern has the secret in its group ``value``."""

import re
from collections.abc import Iterator

from workbench.llm.redaction.secrets import INNER, SURE
from workbench.llm.redaction.spans import Span

# Looks drawn up by somebody: letters and digits, or marks within a word.
_WITHIN = rf"(?:[^\s\"'`<>]|{INNER})"
_DRAWN = (
    rf"(?={_WITHIN}*(?:\d{_WITHIN}*[A-Za-z]|[A-Za-z]{_WITHIN}*[\d!#$%^&*+~@]))"
    rf"{_WITHIN}{{5,200}}?(?=[\"'`>]|<(?![^\s<>/!])|[.,;:!?)]*(?:\s|\Z))"
)
_IN_QUOTES = (
    r"(?:\"(?P<double>[^\"\n]{3,200})\"|'(?P<single>[^'\n]{3,200})'|`(?P<code>[^`\n]{3,200})`)"
)
_TRAIT = r"[\"']?[_-]?(?:type|kind|state|status|mode|method)[\"']"
_PASSWORD = r"(?:pass(?:word|wd|phrase|code)|pwd|api[ _-]?key|secret[ _-]key)"
_VALUE = rf"(?P<value>(?!0x)(?-i:{_DRAWN}))"

# A command line, as a shell or an array of arguments writes it: `mysql -phunter2`.
_ARGUMENT = r"[^\n]{0,300}?[\s\"']"
_WORD = r"[\s=\"',]{0,4}(?P<value>[^\s\"'`,]{3,200})"
_CLIENTS = (
    (r"(?:mysql|mariadb)[\w-]*", r"-p(?P<value>[^\s\"'`,-][^\s\"'`,]{1,200})"),
    (r"(?:sshpass|mongo\w*)", r"-p" + _WORD),
    (r"(?:7za?|7z[rs]|rar|unrar)(?:\.exe)?", r"-p(?P<value>[^\s\"'`,]{3,200})"),
    (r"(?:zip|unzip|sqlcmd|osql|isql|bcp)(?:\.exe)?", r"-P" + _WORD),
    (r"(?:plink|pscp|psftp|putty)(?:\.exe)?", r"-pw" + _WORD),
    (r"ldap(?:search|modify|add|delete|whoami|passwd)", r"-w" + _WORD),
    (r"redis-cli", r"-a" + _WORD),
    (
        r"(?:curl|wget|http)",
        r"(?:-u|--(?:proxy-)?user)[\s=\"',]{0,4}[^\s:\"'`]{1,100}:(?P<value>[^\s\"'`]{1,200})",
    ),
    (
        r"(?:docker|podman|nerdctl|buildah|skopeo|helm|oc|az)",
        r"login\s(?:[^\n]{0,200}?\s)?-p" + _WORD,
    ),
    (
        r"(?:sqlplus|sqlldr|expdp|impdp|rman)",
        r"[^\s/@\"'`]{1,60}/(?P<value>[^\s/@\"'`]{1,200})(?=@|[\s\"']|\Z)",
    ),
    (
        r"(?:smbclient|rpcclient|net)",
        r"-U[\s\"',]{0,4}[^\s%\"'`]{1,100}%(?P<value>[^\s\"'`]{1,200})",
    ),
)
_SCHEMES = (
    r"(?:Basic|Bearer|Digest|Token|Api-?Key|Key|NTLM|Negotiate|Hawk|OAuth|JWT|SSWS|Signature|"
    r"SharedKey(?:Lite)?|AWS4-HMAC-SHA256|GoogleLogin)"
)

_PATTERNS = (
    *(
        re.compile(rf"(?<![\w-]){program}(?![\w-])(?:{_ARGUMENT}){option}")
        for program, option in _CLIENTS
    ),
    # Glued to an option of any program: `-phunter2`, but no `-pthread`, no `-p8080`.
    re.compile(
        r"(?<![\w-])-p(?!0x)(?=[^\s\"'`,]*\d)(?=\d*[A-Za-z])(?P<value>[^\s\"'`,;()\[\]]{5,100})"
    ),
    # An account with its password, of any program: `-u marvin:Par4noid`.
    re.compile(
        r"(?<![\w-])(?:-u|--user)[\s=\"',]{1,4}[\w.@-]{1,60}:"
        r"(?=[^\s\"'`]*\d)(?=\d*[A-Za-z])(?P<value>[^\s\"'`/]{5,100})"
    ),
    # Prose: "the password is hunter2", "with password 'correct horse'".
    re.compile(
        rf"(?i)\b{_PASSWORD}(?:[ \t]+(?:for|of)[ \t]+\S{{1,40}})?[ \t]+(?:{_IN_QUOTES}|{_VALUE})"
    ),
    re.compile(
        rf"(?i)\b{SURE}(?:[ \t]+(?:for|of)[ \t]+\S{{1,40}})?[ \t]+"
        rf"(?:is|was|are|were|will be|set to|changed to)[ \t]+(?:now[ \t]+)?"
        rf"(?:{_IN_QUOTES}|{_VALUE})"
    ),
    re.compile(
        rf"(?i)\b{SURE}[ \t]+(?:is|was)[ \t]*:[ \t]*[\"'`]?(?P<value>[^\s\"'`]{{3,200}}?)"
        r"(?=[\"'`]|[.,;!?)]*(?:\s|\Z))"
    ),
    # A call that copies one: `wcscpy(a->secret, L"…")`.
    re.compile(
        rf"(?i)cpy\w{{0,8}}\([^()\n\"]{{0,80}}?{SURE}\w{{0,20}},\s{{0,4}}(?:L|U|u8?)?"
        r"\"(?P<double>(?:[^\"\\\n]|\\.){3,200})\""
    ),
    # XML, and .NET's settings.
    re.compile(
        rf"(?i)<(?:[\w.-]{{1,40}}[:_.-])?[\w.-]{{0,40}}{SURE}[\w.-]{{0,40}}(?:\s[^<>\n]{{0,200}})?>"
        r"\s{0,40}(?:<!\[CDATA\[)?(?P<value>[^<>\s][^<>]{0,400}?)(?:\]\]>)?\s{0,40}</"
    ),
    re.compile(
        rf"(?i)(?:key|name|id|property)\s{{0,3}}=\s{{0,3}}[\"'][^\"'\n]{{0,60}}{SURE}[^\"'\n]{{0,40}}"
        r"[\"'][^<>\n]{0,100}?\bvalue\s{0,3}=\s{0,3}(?:\"(?P<double>[^\"\n]{1,400})\"|'(?P<single>[^'\n]{1,400})')"
    ),
    # JSON as a string in another language holds it.
    re.compile(
        rf"(?i)\\[\"'][\w.-]{{0,40}}{SURE}[\w.-]{{0,40}}\\[\"']\s{{0,4}}[:=]\s{{0,4}}"
        r"\\[\"'](?P<value>[^\"'\\\n]{1,400})"
    ),
    re.compile(
        rf"(?i)[\"'][\w.-]{{0,40}}{SURE}(?!{_TRAIT})[\w.-]{{0,40}}[\"']\s{{0,4}}"
        r"(?:,\s?second\s=|,\s?\"value\"\s?:|\]\s?=|[:,])\s{0,4}(?:\[\s{0,20}|0x[0-9a-f]+\s)?"
        r"(?:\"(?P<double>(?:[^\"\\\n]|\\.){1,400})\"|'(?P<single>(?:[^'\\\n]|\\.){1,400})')"
    ),
    # A list of them.
    re.compile(
        rf"(?i)[\"'][\w.-]{{0,40}}{SURE}[\w.-]{{0,40}}[\"']\s{{0,4}}:\s{{0,4}}\["
        r"(?P<value>[^\[\]\"']{0,40}[\"'][^\[\]]{1,400})\]"
    ),
    # Headers of HTTP, as they are sent and as programs hold them.
    re.compile(
        rf"(?i)\bAuthorization\\?[\"']?\s{{0,4}}[:=,]\s{{0,4}}\\?[\"']?{_SCHEMES}\s+(?P<value>[^\r\n\"'\\]{{3,4000}})"
    ),
    re.compile(
        r"(?i)\b(?:set-)?cookie2?\\?[\"']?\s{0,4}[:=,]\s{0,4}\\?[\"']?"
        r"(?P<value>[^\r\n\"'\\=;]{1,200}=[^\r\n\"'\\]{1,4000})"
    ),
    re.compile(
        r"(?i)\bX-[\w-]{0,30}(?:Key|Token|Secret|Auth|Signature)\\?[\"']?\s{0,4}[:=,]\s{0,4}"
        r"\\?[\"']?(?P<value>[^\s\"'\\]{3,4000})"
    ),
    # A connection string's, which may hold blanks.
    re.compile(
        r"(?i)\b(?:server|data source|host|user ?id|uid|user|database|initial catalog)"
        r"\s{0,3}=[^;\n]{1,200};"
        r"[^\n]{0,300}?\b(?:password|pwd)\s{0,3}=\s{0,3}(?P<value>[^;\"\n]{1,200})"
    ),
    re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{1,15}://[^\s/@:\"]{0,100}:(?P<value>[^\s/@\"]{1,200})@"),
    re.compile(r"\bjdbc:oracle:\w{1,8}:[^\s/@:\"]{1,100}/(?P<value>[^\s/@\"]{1,200})@"),
    # Shared access signatures, and keys by their shape.
    re.compile(r"(?<![\w-])sig=(?P<value>[A-Za-z0-9%+/=_-]{20,400})"),
    re.compile(
        r"\b(?P<value>npm_[A-Za-z0-9]{30,}|[srp]k_(?:live|test)_[A-Za-z0-9]{12,}|SG\.[\w-]{10,}\.[\w-]{10,}"
        r"|dop_v1_[0-9a-f]{30,}|pypi-[\w-]{30,}|ASIA[A-Z0-9]{16}|xapp-[\w-]{20,})"
    ),
    re.compile(r"Private-Lines:\s*\d+\r?\n(?P<value>.{1,6000}?)(?=\r?\nPrivate-MAC|\Z)", re.DOTALL),
)
# Whose value is no secret, whatever it is called.
_NO_SECRET = re.compile(
    r"(?i)[-+]?(?:0x[0-9a-f`]*|\d{1,5})|[0-9a-f]{6,16}-[0-9a-f]{6,16}|true|false|null|none|nil|yes|no|\*+|<[^<>]*>|\$\{?\w+\}?|%\w+%"
    r"|\(?(?:\w+::)*\w+\(.*|[\w./\\-]+\.(?:c|cc|cpp|cs|h|hpp|java|py|rs|go)(?::\d+)?"
)


def credentials_in(text: str) -> Iterator[Span]:
    """Where such secrets stand. Never raises; each pattern reads a bounded way ahead."""
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            group = next(name for name, value in found.groupdict().items() if value is not None)
            if not _NO_SECRET.fullmatch(found[group].strip()):
                yield Span(*found.span(group), "secret")
