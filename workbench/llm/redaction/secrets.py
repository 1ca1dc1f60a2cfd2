"""Passwords, keys and tokens in a text: detect-secrets, and what it looks at line by line only.

Its plugins are asked for their patterns rather than through its scanner, which returns pieces of a
token and takes each word of a line for one of high entropy.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from workbench.llm.redaction.spans import Span

# A private key is its whole block; the plugin knows the first line only.
_PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY[^-]*-----.*?(?:-----END [^-\n]*-----|\Z)", re.S
)
# What secrets are called; of these few mean something else, of those of `_KEYWORD` some do.
SURE = (
    r"(?:pass(?:word|wort|wd|phrase|code)|kennwort|contrase[nñ]a|pwd|secret|token|api[_-]?key|credentials?"
    r"|(?:priv(?:ate)?|access|client|account|service|shared|enc(?:ryption)?|sign(?:ing)?|db|database"
    # What ciphers and protocols call theirs, and their sizes in bytes and bits: `key32`.
    r"|aes|h?mac|cipher|crypto?|master|session)[_-]?key|key_?(?:16|24|32|64|128|192|256)(?!\d))"
)
_KEYWORD = (
    rf"(?:{SURE}|pass|pw(?![A-Za-z])|auth(?!or(?!i))(?:_?key|orization)?|connection_?string"
    r"|cookie|(?P<code>(?:[th]?otp|ssn|pin|cvv2?|cvc2?)(?![A-Za-z])))"
)
# A mark of markup within a word is of the word, unless it begins a tag's end.
INNER = r"(?<=[^\s<>\"'`=:])<(?=[^\s<>/!\"'`])"
# `db_password = 0x4052a0 "…"`, `"apiKey": "…"`, `PASSWORD=…`, `Authorization: Bearer …`
_COLOUR = r"(?:(?:\x1b|\\x1b|\\e|\\u001b|\\033)\[[\d;]{0,16}[mK]){0,3}"
_ASSIGNED = re.compile(
    rf"(?i)(?:(?<![a-z])|(?<=[\d\[]m))(?P<called>{_KEYWORD})(?P<rest>_?\w{{0,20}})(?:\[\d*\])?[\"']?"
    rf"{_COLOUR}(?:\s{{0,4}}|[ \t]{{5,40}})(?::=|=>|:(?!:)|=)(?:\s{{0,4}}|[ \t]{{5,40}}){_COLOUR}"
    r"(?:\([^()\n]{1,60}\)\s{0,2})?(?:0x[0-9a-f]+\s{1,2})?"
    r"(?:(?:Bearer|Basic|Digest)\s{1,2}(?P<scheme>[^\s\"',;]{6,})"
    r"|(?:@|L|U|u8?)?\"(?P<double>(?:[^\"\\\n]|\\.){3,})|'(?P<single>(?:[^'\\\n]|\\.){3,})'|(?P<bare>(?:[^\s\"',;(){}\[\]<>]|"
    + INNER
    + r"){4,}))"
)
# What is told of a secret in a word of the program's: its kind and how far it came, not itself.
_TRAIT = re.compile(
    r"(?i)_?\w*(?:type|kind|state|status|mode|method|result|phase|stage|level|class|category|scheme"
    r"|event|step|error|flags?)"
)
_CONSTANT = re.compile(r"[A-Za-z_]+(?:(?:::|\.)[A-Za-z_]+){0,4}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
# gdb breaks a string where a character is repeated: `"a", 'b' <repeats 30 times>, "c"`.
_REPEATED = re.compile(
    r"\"?, '(?:[^'\\]|\\\w{1,3})' <repeats \d+ times>(?:, \"((?:[^\"\\\n]|\\.)*))?"
)
_UPPER = re.compile(r"[A-Z]+(?:_[A-Z]+\d{0,2}){0,5}")
_PARSING = re.compile(r"(?i)\b(?:(?:un)?expected|illegal|next|current|previous|lookahead)\s+\Z")
# What a line of source puts there is none: `password = NULL`, `= getenv("X")`, `= one->next`.
_CODE = re.compile(
    r"(?:NULL|null(?:ptr)?|nil|None|true|false)(?![^\s,;)}\]])"
    r"|(?<=[=(:] )[A-Za-z_]+(?:\([^()\n]{0,200}\)\s{0,2}[;,){]|->[A-Za-z_])"
    # Nor a type or a name that a debugger puts before the string: `Some("…")`, `string = len: …`.
    r"|[A-Za-z_][\w:<>]{0,200}\(\"|[A-Za-z_][\w.:]{0,60}(?:\s=\s[^\n\"]{0,80}\"|@entry=)|_[A-Z_]+\s\""
)
# What a debugger prints of an array or a structure: all of it is the value of the name before it.
_OPENED = re.compile(
    rf"(?i)(?<![a-z])(?P<called>{_KEYWORD})(?P<rest>s?(?:_?\w{{0,20}})?)(?:\[\d*\])?"
    r"\s{0,4}=\s{0,4}(?:\([^()\n]{1,60}\)\s{0,2}|(?:std::)?\w+ of length \d+[^\n{]{0,40} = )?\{"
)
_INSIDE = re.compile(r"[{}]|\"((?:[^\"\\\n]|\\.)*)\"?")
_HELD = re.compile(
    r"(?:_M_p|_M_local_buf|__data_|_Buf|_Ptr|str|data_ptr)\s=\s(?:0x[0-9a-f]+\s)?\Z", re.I
)
_GROUP, _MILD = 4000, 500  # characters: of what may be a parser's token fewer
# What a debugger prints between a secret's name and its string: an address, types, the names of a
# string's members; but no other name, call or sentence.
_LEADING = re.compile(
    rf"(?i)(?P<called>(?<![a-z])pw(?![a-z])|(?<=_)pass(?![a-z])|{SURE})"
    r"(?P<rest>s?(?:_\w{0,20}|(?-i:[A-Z0-9]\w{0,20}))?)(?!\w)"
    r"(?=(?P<gap>[^\n\"#%]{1,80})\"(?P<double>(?:[^\"\\\n]|\\.){3,4000})(?:\"(?!\s?:)|\n|\Z))"
)
_TYPE = r"(?!(?:const|unsigned|signed|static|volatile|struct|char|wchar_t)\b)"
_NO_LEAD = re.compile(
    rf"\s?\(|::|[,)]|.*?(?:(?<![\w:])[a-z_]\w*\(|\b{_TYPE}[a-z]{{2,}} {_TYPE}[a-z]{{2,}}\b)"
)
_NAMED = re.compile(r"(?<![\w`])([A-Za-z_]\w*)\s*[=:](?![:=])")
_MEMBER = re.compile(
    rf"(?i)_M_p|_M_local_buf|_*data_?|_Buf|_?ptr|str(?:ing)?|len(?:gth)?|val(?:ue)?|entry|\w*{_KEYWORD}\w*"
)
# What a debugger was asked for, and the lines of its answer.
_ASKED = re.compile(
    rf"(?im)^[^\n]{{0,60}}?(?<![\w-])(?:(?:p|print|po|v|call|output|expr(?:ession)?|x|d[abcdostuv]"
    rf"|dumpobj|frame variable|mem(?:ory)? read|\?\?)(?:/(?!\d*i)\w+)?[ \t][^\n]{{0,120}}?"
    rf"|System\.String\s[^\n]{{0,80}}\s\w{{0,20}})(?P<called>{SURE})(?P<rest>)(?!\()[^\n]{{0,60}}$"
)
_ANSWERED = re.compile(
    r"(?i)(?:E\d{1,9}:\d{1,9}\| )?\s{0,8}(?:\$\w{1,9} = |\([^()\n]{1,60}\) [^\n\"]{1,60}="
    r"|String:\s+(?P<text>\S.*)|(?=\")"
    r"|(?:0x[0-9a-f]+|[0-9a-f]{8}`?[0-9a-f]{1,8})(?: <[^<>\n]*>)?:?\s)"
)
_STRING = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"")
_VALUE = r"(?:0x[0-9a-f]{2,16}(?![\w`])|-?\d{1,20}(?!\w)(?: '(?:[^'\\\n]|\\[^\n]{1,3})')?)"
NUMBERS = re.compile(rf"(?i){_VALUE}(?:[ \t,]{{1,4}}{_VALUE}){{1,256}}")
_ONE = re.compile(r"\w+")
_ROW = 24  # characters of a row that stands nowhere else by chance
_ANSWER, _HEAD = 64, 3  # lines of an answer, and of what may stand before it
# A secret as `x/8xb` and `x/8c` print it.
_BYTES = re.compile(
    rf"(?i)<[^<>\n]{{0,80}}{SURE}[^<>\n]{{0,40}}>:[ \t]{{1,4}}"
    r"(?P<value>0x[0-9a-f]{2}(?:[ \t]{1,4}0x[0-9a-f]{2}(?!\w)){3,63}"
    r"|-?\d{1,3} '[^\n']{1,4}'(?:[ \t]{1,4}-?\d{1,3} '[^\n']{1,4}'){1,63})"
)
# `--token …`, `--token=…`: the word of a command line that follows one that is called a secret.
_OPTION = re.compile(
    rf"(?i)(?<![\w-])--?(?:[a-z]{{1,20}}[-_]){{0,3}}(?:{_KEYWORD}|api-key|access-key)"
    r"(?:=(?P<joined>[^\s\"'`<][^\s\"'`]{3,})|\s{1,2}(?P<value>[^\s\"'`,;-][^\s\"'`,;]{3,})"
    # The arguments as a debugger prints them, in one line or below each other.
    r"|\"[\s,]{1,4}(?:E\d{1,9}:\d{1,9}\| )?\s{0,8}(?:\[\d+\] = )?(?:0x[0-9a-f]+:?\s{1,2})?"
    r"\"(?P<double>(?:[^\"\\\n-]|\\.)(?:[^\"\\\n]|\\.){2,}))"
)
_BEARER = re.compile(r"(?i)\b(?:Bearer|Basic)\s{1,2}(?P<value>[A-Za-z0-9+/=._~-]{16,})")
# Shapes of keys that are younger than detect-secrets' list.
_SHAPES = re.compile(
    r"\b(?:sk-[A-Za-z0-9_-]{16,}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|hf_[A-Za-z0-9]{20,}"
    r"|github_pat_\w{20,}|gh[pousr]_[A-Za-z0-9]{20,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?"
    r"|hv[sbr]\.[\w-]{20,}"  # HashiCorp Vault
    r"|LS0tLS1CRUdJT[\w+/]{20,}={0,2}"  # "-----BEGIN " in Base64
    r"|\d{8,10}:AA[\w-]{30,}"  # Telegram's bots
    r"|[0-9a-fA-F]{32}:[0-9a-fA-F]{32}\b)"  # pwdump's hashes, LM and NT
    r"|(?<=/api/webhooks/)\d{5,20}/[\w-]{8,}"  # Discord
    r"|\$(?:\d[abxy]?|g?y|argon2\w{1,2}|scrypt)\$[^\s:\"'$]{1,80}\$[^\s:\"']{8,}"  # crypt(5)
    r"|(?<=[?&]code=)(?=[^\s&]{0,80}\d)[\w%/.~+-]{8,}"  # OAuth's, RFC 6749, 4.1.2
)
# A payment card's number as people write it or as a string (ISO/IEC 7812), an account's (ISO
# 13616).
_CARD = re.compile(
    r"(?<![\w.-])[3-6]\d{3}[ -](?:\d{4}[ -]\d{4}[ -]\d{1,7}|\d{6}[ -]\d{5})(?![\w.-])"
    r"|(?<=[\"'])[3-6]\d{12,18}(?=[\"'])|(?<=[?&]card=)[3-6]\d{12,18}(?!\w)"
)
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)")
_QUOTED = re.compile(r"\"([A-Za-z0-9+/=_-]{20,})\"|'([A-Za-z0-9+/=_-]{20,})'")
_NUMBER = re.compile(r"(?i)[-+]?(?:0x[0-9a-f`]*|[0-9a-f]{8}`?[0-9a-f]{8}|\d[\d_,.]*)[uhlf%]*")
_SYMBOL = re.compile(r"_+Z|\?|[A-Za-z]+(?:_[A-Za-z]+)*\Z")
_HEX = re.compile(r"[0-9a-fA-F]+")
_SHORTEST_HEX = 32  # digits: 16 are an address, 40 a build id, which tells nobody a secret either
_LINE, _OVERLAP = 1500, 500  # characters


def _is_card(digits: str) -> bool:
    """Its check digit is right (Luhn: ISO/IEC 7812-1, annex B)."""
    doubled = (int(digit) * (1 + at % 2) for at, digit in enumerate(reversed(digits)))
    return sum(value - 9 * (value > 9) for value in doubled) % 10 == 0


def _is_account(text: str) -> bool:
    """Its check digits are right (ISO 7064, mod 97-10)."""
    return int("".join(str(int(sign, 36)) for sign in text[4:] + text[:4])) % 97 == 1


def secrets_in(text: str) -> Iterator[Span]:
    """Where passwords, keys and tokens stand. A number that is no PIN's, an address and a mangled
    symbol are none, whatever stands before them."""
    for found in _PEM.finditer(text):
        yield Span(*found.span(), "secret")
    for pattern in (_ASSIGNED, _OPTION, _BEARER):
        for found in pattern.finditer(text):
            name = found.lastgroup or 0
            if name == "bare" and _CODE.match(text, found.start(name)):
                continue
            if pattern is _ASSIGNED and _is_constant(found, found[name]):
                continue
            parts = found.groupdict()
            code = parts.get("code") and not parts.get("rest") and found[name].isdigit()
            if code or not _NUMBER.fullmatch(found[name]) or name in ("double", "single"):
                yield Span(*found.span(name), "secret")
                yield from _repeated(text, found.end(name))
    yield from _grouped(text)
    for found in _LEADING.finditer(text):
        if _leads(found):
            yield Span(*found.span("double"), "secret")
            yield from _repeated(text, found.end("double"))
    for found in _BYTES.finditer(text):
        yield Span(*found.span("value"), "secret")
    for pattern, checks in ((_CARD, _is_card), (_IBAN, _is_account)):
        for found in pattern.finditer(text):
            if checks(re.sub("[ -]", "", found[0])):
                yield Span(*found.span(), "secret")
    yield from _asked_for(text)
    for start, piece in _pieces(text):
        for pattern in (_SHAPES, *_detectors().PATTERNS):
            for found in pattern.finditer(piece):
                if len(found[0]) >= 8 and not _NUMBER.fullmatch(found[0]):
                    yield Span(start + found.start(), start + found.end(), "secret")
    yield from _of_high_entropy(text)


def _repeated(text: str, end: int) -> Iterator[Span]:
    """The rest of a secret's string that gdb goes on with."""
    while more := _REPEATED.match(text, end):
        end = more.end()
        if more[1]:
            yield Span(*more.span(1), "secret")


def _grouped(text: str) -> Iterator[Span]:
    """The strings of a structure or an array that is called a secret; what one holds is read once,
    however many others begin in it."""
    done = {False: 0, True: 0}
    for found in _OPENED.finditer(text):
        mild = found["called"].lower() in ("token", "auth")
        if found.start() < max(done[False], done[mild]):
            continue
        depth, end = 1, found.end() + (_MILD if mild else _GROUP)
        for sign in _INSIDE.finditer(text, found.end(), end):
            depth += (sign[0] == "{") - (sign[0] == "}")
            if not depth:
                end = sign.end()
                break
            if len(sign[1] or "") < 3 or re.match(r"\s?:", text[sign.end() : sign.end() + 2]):
                continue
            if not _is_word(found, sign[1]) or _HELD.search(text, found.end(), sign.start()):
                yield Span(*sign.span(1), "secret")
        for row in NUMBERS.finditer(text, found.end(), end):
            if "'" in row[0]:  # bytes, each with the character that it is
                yield Span(*row.span(), "secret" if len(row[0]) >= _ROW else "text")
        done[mild] = end


def _is_constant(found: re.Match[str], value: str) -> bool:
    """True for a word of a program's own: `token_type = IDENT`, `unexpected token: SEMICOLON`."""
    if _TRAIT.fullmatch(found["rest"]):
        return _CONSTANT.fullmatch(value) is not None
    if found["called"] not in ("token", "Token", "auth", "Auth") or found["rest"]:
        return False
    if _UPPER.fullmatch(value):
        return True
    before = found.string[max(0, found.start() - 16) : found.start()]
    return _PARSING.search(before) is not None and value.isalpha()


def _leads(found: re.Match[str]) -> bool:
    """True where a string behind a secret's name is its value: outside of another string, and with
    nothing else's name between them."""
    text, gap = found.string, found["gap"]
    if text.count('"', text.rfind("\n", 0, found.start()) + 1, found.start()) % 2:
        return False
    if _NO_LEAD.match(gap) or _is_word(found, found["double"]):
        return False
    names = _NAMED.findall(gap)
    return not names or _MEMBER.fullmatch(names[-1]) is not None


def _is_word(found: re.Match[str], value: str) -> bool:
    """True for what a parser calls a token: `token "function"`."""
    alone = not found.string[max(0, found.start("called") - 1)].isalpha() and not found["rest"]
    of_parser = found["called"].lower() == "token" and alone and not any(map(str.isdigit, value))
    return of_parser or _is_constant(found, value)


def _asked_for(text: str) -> Iterator[Span]:
    """The strings in an answer to a debugger's command that names a secret."""
    for asked in _ASKED.finditer(text):
        at, answered = asked.end() + 1, False
        for number in range(_ANSWER):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            answer = _ANSWERED.match(text, at, end)
            if answer is None and (answered or number >= _HEAD):
                break
            if answer is not None:
                answered = True
                if answer["text"]:
                    yield Span(*answer.span("text"), "secret")
                for found in _STRING.finditer(text, answer.end(), end):
                    if len(found[1]) > 2 and not _is_word(asked, found[1]):
                        yield Span(*found.span(1), "secret")
                for found in NUMBERS.finditer(text, answer.end(), end):
                    if len({*_ONE.findall(found[0])}) > 1:  # zeros alone tell nothing
                        yield Span(*found.span(), "secret" if len(found[0]) >= _ROW else "text")
            at = end + 1
            if at >= len(text):
                break


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The text, or where it has very long lines pieces of it that overlap by more than the longest
    token: some patterns of the plugins take the square of a line's length."""
    if all(len(line) <= _LINE for line in text.split("\n")):
        yield 0, text
        return
    for start in range(0, max(1, len(text)), _LINE - _OVERLAP):
        yield start, text[start : start + _LINE]


def _of_high_entropy(text: str) -> Iterator[Span]:
    """Quoted strings that look drawn by lot."""
    base64, hexadecimal = _detectors().ENTROPIES
    for found in _QUOTED.finditer(text):
        group = 1 if found[1] else 2
        value = found[group]
        if _HEX.fullmatch(value):
            drawn = len(value) >= _SHORTEST_HEX and _over(hexadecimal, value)
        else:
            drawn = not _SYMBOL.match(value) and _over(base64, value)
        if drawn:
            yield Span(*found.span(group), "secret")


def _over(plugin: Any, value: str) -> bool:
    return bool(plugin.calculate_shannon_entropy(value) > plugin.entropy_limit)


@cache
def _detectors() -> Any:
    from workbench.llm.redaction import detectors

    return detectors
