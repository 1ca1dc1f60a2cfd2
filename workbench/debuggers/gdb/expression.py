"""Expressions as gdb reads them: does this one only read?

A tokeniser and the few rules that matter, not a parser: an assignment, an increment, a call. What
could be either a cast or a call is asked about, whatever the program's language. Overloaded
operators cannot be told apart by their text; the debugger runs with ``may-call-functions off``.
"""

# ruff: noqa: SIM905 - long tables of words read better as text

import re

from msgspec import Struct, field

from workbench.debuggers.policy import Decision, accept, ask, forbid

_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>\.?[0-9][0-9A-Za-z_.]*)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<variable>\$[A-Za-z0-9_$]*)"
    r'|(?P<string>"(?:[^"\\]|\\.)*")'
    r"|(?P<quoted>'(?:[^'\\]|\\.)*')"
    r"|(?P<op><<=|>>=|->\*|->|\+\+|--|[-+*/%&|^:]=|==|!=|<=|>=|<<|>>|&&|\|\||::"
    r"|[-+*/%&|^~!<>?:,.@()\[\]{}=])"
)
_WRITES = frozenset("= += -= *= /= %= &= |= ^= := <<= >>= ++ -- and_eq or_eq xor_eq".split())
_UNEVALUATED = frozenset(
    "sizeof alignof _Alignof typeof __typeof __typeof__ decltype __decltype typeid".split()
)
_TYPE_WORDS = frozenset(
    "void bool _Bool char short int long float double signed unsigned __int128 wchar_t char8_t "
    "char16_t char32_t const volatile size_t ssize_t ptrdiff_t intptr_t uintptr_t off_t time_t "
    "pthread_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t".split()
)
_TAGS = frozenset({"struct", "union", "enum", "class"})
_CASTS = frozenset({"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"})
_CALLING_WORDS = frozenset({"operator", "new", "delete", "throw"})
# gdb's own functions that only look (manual, "Convenience Functions"). $_shell is not one.
_LOOKING = frozenset(
    f"$_{name}"
    for name in "any_caller_is any_caller_matches as_string caller_is caller_matches cimag creal "
    "gdb_maint_setting gdb_maint_setting_str gdb_setting gdb_setting_str isvoid memeq regex streq "
    "strlen".split()
)
_SYMBOL = re.compile(r"'(?:[\w./:~$@<>,*& ]+|\\[0-9a-z]{1,4}|\w)'")


class _Group(Struct):
    """An open bracket: ``kind`` says what it is, ``tokens`` what stands in it."""

    kind: str  # call, cast-or-group, index, braces, unevaluated, looking
    tokens: list[str] = field(default_factory=list)


def check_expression(text: str, *, strings: bool = False) -> Decision:
    """Judge an expression, or several with commas. ``strings`` allows string literals anywhere:
    elsewhere gdb may have to put one into the target's memory."""
    try:
        return _check(text, strings)
    except _Stop as stop:
        return stop.decision


class _Stop(Exception):
    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.reason)
        self.decision = decision


def _tokens(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None or not text[at].isascii():
            raise _Stop(ask(f"cannot read {text[at]!r} in an expression"))
        if token.lastgroup != "space":
            found.append((str(token.lastgroup), token[0]))
        at = token.end()
    return found


def _check(text: str, strings: bool) -> Decision:
    tokens = _tokens(text)
    # First what is never right, so that a doubt before it does not soften the answer.
    template = False
    for kind, token in tokens:
        if token in _WRITES:
            raise _Stop(forbid(f"{token} writes"))
        if kind == "name" and token in _CALLING_WORDS:
            raise _Stop(forbid(f"{token} calls into the target"))
        # "name<int>=3" assigns to an instance of a template.
        template = template or token == "<"
        if token == ">=" and template:
            raise _Stop(forbid(">= after < may assign to a template's instance"))
    doubt: Decision | None = None
    groups: list[_Group] = [_Group("all")]
    before: tuple[str, str] = ("start", "")
    closed: _Group | None = None
    for index, (kind, token) in enumerate(tokens):
        after = tokens[index + 1][1] if index + 1 < len(tokens) else ""
        group = groups[-1]
        if token == "(":
            opened, worry = _open(before, closed, tokens, index)
            doubt = doubt or worry
            group.tokens.append("()" if opened.kind == "declarator" else "(")
            groups.append(opened)
        elif token == "[":
            cast = before[1] == ")" and closed is not None and _may_be_type(closed)
            if cast or not _is_operand(before):
                doubt = doubt or ask("[ without an array may send a message")
            groups.append(_Group("index"))
        elif token == "{":
            groups.append(_Group("braces"))
        elif token in {")", "]", "}"}:
            if len(groups) == 1:
                raise _Stop(ask(f"{token} without its beginning"))
            closed = groups.pop()
            if token == "}" and not _is_type(closed.tokens):
                doubt = doubt or ask("a list in braces is put into the target's memory")
        else:
            group.tokens.append(token)
            doubt = doubt or _literal(kind, token, before, after, group, strings)
        before = (kind, token)
    if len(groups) != 1:
        return doubt or ask("a bracket is not closed")
    return doubt or accept()


def _literal(
    kind: str, token: str, before: tuple[str, str], after: str, group: _Group, strings: bool
) -> Decision | None:
    if kind == "quoted" and not _SYMBOL.fullmatch(token):
        return ask(f"cannot read {token} for sure")
    if kind == "string":
        between = before[1] in {"(", ",", ""} and after in {")", ",", ""}
        if "\\" in token or not (between and (strings or group.kind == "looking")):
            return ask("a string may be put into the target's memory")
    return None


def _open(
    before: tuple[str, str], closed: _Group | None, tokens: list[tuple[str, str]], index: int
) -> tuple[_Group, Decision | None]:
    """What a round bracket begins. Stops at a call."""
    kind, token = before
    inside = [one[1] for one in tokens[index + 1 :]]
    stars = 0
    while stars < len(inside) and inside[stars] in {"*", "&"}:
        stars += 1
    if stars and inside[stars : stars + 1] == [")"]:
        return _Group("declarator"), None  # "(*)" stands in types only
    if kind == "variable":
        if token in _LOOKING:
            return _Group("looking"), None
        raise _Stop(forbid(f"{token}( calls a function"))
    if kind == "name":
        if token in _UNEVALUATED:
            return _Group("unevaluated"), None
        if token in _TYPE_WORDS:
            return _Group("conversion"), None
        raise _Stop(forbid(f"{token}( calls into the target"))
    if kind in {"quoted", "string", "number"} or token in {"]", "}"}:
        raise _Stop(forbid(f"{token}( calls into the target"))
    if token == ")" and closed is not None:
        if closed.kind == "declarator":
            return _Group("parameters"), None
        if closed.kind == "group" and _is_type(closed.tokens):
            return _Group("group"), None  # a cast of what follows
        if _may_be_type(closed):
            return _Group("group"), ask(f"({''.join(closed.tokens)})( is a cast or a call")
        raise _Stop(forbid(")( calls into the target"))
    if token == ">" and not _is_cast([one[1] for one in tokens[: index - 1]]):
        return _Group("group"), ask(">( may call an instance of a template")
    return _Group("group"), None


def _is_operand(before: tuple[str, str]) -> bool:
    kind, token = before
    return kind in {"name", "variable", "number", "quoted", "string"} or token in {")", "]", "}"}


def _is_cast(words: list[str]) -> bool:
    """True when the ``>`` after these words ends ``static_cast<...>`` or one of its kin, or when
    it can only be a comparison."""
    depth = 1
    for index in range(len(words) - 1, -1, -1):
        depth += {">": 1, ">>": 2, "<": -1, "<<": -2}.get(words[index], 0)
        if depth <= 0:
            return depth == 0 and index > 0 and words[index - 1] in _CASTS
    return "<" not in words and "<<" not in words


def _may_be_type(group: _Group) -> bool:
    """True when a bracket holds a plain name, of a variable, a function or a type, or a type."""
    names = [one for one in group.tokens if one != "::"]
    plain = len(names) <= len(group.tokens) // 2 + 1 and all(one.isidentifier() for one in names)
    return group.kind == "group" and bool(names) and (plain or _is_type(group.tokens))


def _is_type(tokens: list[str]) -> bool:
    """True when the tokens can only be the name of a type."""
    words = [one for one in tokens if one[:1].isalpha() or one[:1] == "_"]
    others = set(tokens) - set(words)
    if not words or not others <= {"*", "&", "&&", "::", "<", ">", ",", "()"}:
        return False
    if tokens[-1] in {"*", "&", "&&"}:
        return True
    if not others <= {"*", "::", "()"}:
        return False
    return words[0] in _TAGS or all(one in _TYPE_WORDS for one in words)
