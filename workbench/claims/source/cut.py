"""A listing made whole enough to parse: what is cut at either end blanked, braces that stand
outside of the listing added.

Blanked text keeps its line ends, and what is added in front stands on one line of its own, so that
line *n* of the result is line *n* - 1 of the listing.
"""

from typing import NamedTuple

from workbench.claims.source.lexed import Token, blanked, tokens_of
from workbench.claims.source.text import C_SHARP, CPP, GO, RUST, C, words

_OPENS = {"{": "}", "(": ")", "[": "]"}
_BEGINS = words(
    "if for while do switch return goto break continue case default else struct union enum static "
    "const unsigned int char void typedef try throw delete namespace class template using let fn "
    "pub impl match loop unsafe use mod trait func var type defer go package import select public "
    "private protected internal foreach lock throw void bool long short double float size_t"
)
"""Words with which nothing goes on that the line before began."""
_HEAD_ENDS = words(") ] | => const noexcept override final mutable")
"""What stands before the brace of a body rather than of values."""
_MARKS = words("=> case default return if for while do switch goto break continue else match let")
"""What tells that statements stand at a level, or the arms of a choice."""
_HEADS = {
    C: ("void x(){", ""), CPP: ("void x(){", "class x{"), RUST: ("fn x(){", "impl x{"),
    GO: ("func x(){", ""), C_SHARP: ("void x(){", "class x{"),
}  # fmt: skip
"""What opens a function, and what opens a type that holds functions."""
_STRUCTS = {C: "struct x{", CPP: "struct x{", RUST: "struct x{", GO: "type x struct{", C_SHARP: ""}


def without_cut_ends(text: str, language: str, top: bool) -> str:
    """Text without the statement that its first lines end and the one that its last lines begin;
    ``top``: it may begin within one."""
    tokens = tokens_of(text, language)
    while True:  # each closing parenthesis that nothing opened ends what was cut
        span = _cut_head(tokens, text, language, top)
        if span is None:
            break
        text = blanked(text, *span)
        tokens = [token for token in tokens if not span[0] <= token.start < span[1]]
        top = False
    end = _whole_until(tokens, text, language)
    return blanked(text, end, len(text)) if end < len(text) else text


def _cut_head(tokens: list[Token], text: str, language: str, top: bool) -> tuple[int, int] | None:
    """The first span that is the rest of something."""
    if top and tokens and tokens[0].text not in "{}" and _goes_on(tokens, text, language):
        return 0, _behind_literal(tokens, _boundary(tokens, 0, language, text))
    stack: list[str] = []
    last = 0
    for index, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        if token.text in _OPENS:
            stack.append(_OPENS[token.text])
        elif token.text in ")]}" and stack and stack[-1] == token.text:
            stack.pop()
        elif token.text in (")", "]") and not stack:
            return last, _boundary(tokens, index + 1, language, text)
        if token.text in (";", "{", "}") and (not stack or stack[-1] == "}"):
            last = token.end
    return None


def _goes_on(tokens: list[Token], text: str, language: str) -> bool:
    """True unless the first line surely begins a statement: by its word, by standing as far in as
    the statement after it, or at the margin; or is the only one, and ends one. (What it may go on
    with there makes no other call, for every parenthesis is closed that it opens.)"""
    first, alone = tokens[0], "\n" not in text.strip("\n")
    if first.text in _BEGINS or not _indent(text, first):
        return False
    if first.kind in ("mark", "other") and first.text not in (
        "*",
        "(",
        "&",
        "!",
        "~",
        "#",
        "++",
        "--",
    ):
        return True
    for index, token in enumerate(tokens[:-1]):
        if token.text == ")" and not _depth_at(tokens, index):
            return True
        after = tokens[index + 1]
        if (
            language == GO
            and not _depth_at(tokens, index)
            and _ends_line(token, tokens, index, text)
        ):
            return after.text == "}" or _indent(text, first) != _indent(text, after)
        if token.text in (";", "{", "}"):
            if alone and token.text == ";":
                return False
            if language == GO and token.text == "{":
                continue
            if token.text == ";" and after.text != "}" and "\n" in text[token.end : after.start]:
                return _indent(text, first) != _indent(text, after)
            return True
    return not (alone and tokens[-1].text == ";")


def _behind_literal(tokens: list[Token], end: int) -> int:
    """Where a cut statement ends: behind the values in braces that it ends with, before the body
    that it is the head of."""
    place = next((i for i, token in enumerate(tokens) if token.start >= end), len(tokens))
    if place == len(tokens) or tokens[place].text != "{" or tokens[place].start != end:
        return end
    if place and tokens[place - 1].text in _HEAD_ENDS:
        return end
    depth = 0
    for token in tokens[place:]:
        depth += (token.text == "{") - (token.text == "}")
        if not depth:
            return token.end
    return tokens[-1].end


def _depth_at(tokens: list[Token], index: int) -> int:
    """How many of the tokens before are open there; a lone closing one is not counted."""
    depth = 0
    for token in tokens[:index]:
        depth += (token.text == "(") - (token.text == ")")
    return max(depth, 0)


def _indent(text: str, token: Token) -> str:
    start = text.rfind("\n", 0, token.start) + 1
    before = text[start : token.start]
    return before if before.isspace() else before[: len(before) - len(before.lstrip())]


def _boundary(tokens: list[Token], index: int, language: str, text: str) -> int:
    """Where what is cut ends: behind a semicolon, before a brace; in Go at the line's end."""
    depth = 0
    for place in range(index, len(tokens)):
        token = tokens[place]
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if token.text == "{" or (depth <= 0 and token.text == "}"):
            return token.start
        if depth <= 0 and token.text == ";":
            return token.end
        if language == GO and depth <= 0 and _ends_line(token, tokens, place, text):
            return token.end
    return len(text)


def _ends_line(token: Token, tokens: list[Token], place: int, text: str) -> bool:
    """Go puts a semicolon where a line ends with one of these (specification, "Semicolons")."""
    after = tokens[place + 1].start if place + 1 < len(tokens) else len(text)
    ends = token.kind in ("word", "text") or token.text in (")", "]", "}", "++", "--")
    return ends and ("\n" in text[token.end : after] or after == len(text))


def _whole_until(tokens: list[Token], text: str, language: str) -> int:
    """Where the last statement that is not cut ends."""
    stack: list[str] = []
    last = 0
    for place, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        if token.text in _OPENS:
            stack.append(_OPENS[token.text])
        elif token.text in ")]}" and stack and stack[-1] == token.text:
            stack.pop()
        inner = not stack or stack[-1] == "}"
        if inner and (
            token.text in ";{}"
            or (token.text == "," and language == RUST)
            or (language == GO and _ends_line(token, tokens, place, text))
        ):
            last = token.end
    if language == GO and (not stack or stack[-1] == "}"):
        for place in range(len(tokens) - 1, -1, -1):
            if tokens[place].end <= last:
                break
            if _ends_line(tokens[place], tokens, place, text):
                return tokens[place].end
    return last


class _Level(NamedTuple):
    """What stands between two closing braces that nothing opened: ``marks`` are its own words that
    tell what it is, ``after`` the token behind the brace that ends it."""

    marks: frozenset[str]
    after: str
    margin: bool


def frames(text: str, language: str) -> list[tuple[str, str]]:
    """What may stand before and behind the text so that its braces close, likeliest first."""
    tokens = [token for token in tokens_of(text, language) if token.kind != "line"]
    stack: list[str] = []
    levels: list[_Level] = []
    marks: set[str] = set()
    for index, token in enumerate(tokens):
        if not stack and token.text in _MARKS:
            marks.add(token.text)
        if token.kind != "mark":
            continue
        if token.text in _OPENS:
            stack.append(_OPENS[token.text])
        elif token.text in ")]}" and stack:
            if stack[-1] == token.text:
                stack.pop()
        elif token.text == "}":
            after = tokens[index + 1].text if index + 1 < len(tokens) else ""
            if after == "while" and not _ends_do(tokens, index + 2):
                after = ""
            levels.append(_Level(frozenset(marks), after, not _indent(text, token)))
            marks = set()
    tail = "".join(reversed(stack))
    at_margin = bool(tokens) and not _indent(text, tokens[0])
    return _wrapped(levels, frozenset(marks), tail, language, at_margin)


def _ends_do(tokens: list[Token], index: int) -> bool:
    """True where a semicolon follows what stands in parentheses: ``while (…);``."""
    depth = 0
    for place in range(index, len(tokens)):
        depth += (tokens[place].text == "(") - (tokens[place].text == ")")
        if depth <= 0:
            return place + 1 < len(tokens) and tokens[place + 1].text == ";"
    return False


def _wrapped(
    levels: list[_Level], rest: frozenset[str], tail: str, language: str, at_margin: bool
) -> list[tuple[str, str]]:
    function, holder = _HEADS[language]
    inner = list(reversed(levels))  # from the outermost
    if not inner:
        within = function + _choice(rest, language)
        close = tail + "}" * within.count("{")
        choices = [("", tail), (within, close)]
        if holder:
            choices.append((holder, tail + "}"))
        return choices if at_margin else [*choices[1:], choices[0]]
    choices = []
    openers = []
    for index, level in enumerate(inner):
        opener = _opener(level.marks, level.after, language)
        if (
            language == RUST
            and index
            and "=>" in inner[index - 1].marks
            and "=>" not in level.marks
        ):
            opener = "_ => {"
        openers.append(opener)
    if not inner[0].margin:
        outer = function + _choice(rest, language)
        first = openers[0] if "=>" not in rest else "_ => {"
        choices.append((outer + "".join([first, *openers[1:]]), tail + "}" * outer.count("{")))
    for types in range(3 if holder else 1):
        if types < len(inner):
            head = holder * types + function + "".join(openers[types + 1 :])
            choices.append((head, tail))
            if holder and not inner[0].margin and not types:
                choices.append((holder + head, tail + "}"))
    if holder and len(inner) < 4:
        choices.append((holder * len(inner), tail))
        if language == RUST:
            choices.append(("mod x{" * len(inner), tail))
    if holder and inner[0].after == ";":  # a class ends so, a function does not
        choices.sort(key=lambda choice: not choice[0].startswith(holder))
    if _STRUCTS[language] and len(inner) == 1 and not inner[0].marks:
        choices.append((_STRUCTS[language], tail))
        if inner[0].after == ";":
            choices.insert(0, choices.pop())
    return choices


def _choice(marks: frozenset[str], language: str) -> str:
    """What opens a choice of which arms are seen; "" where none is."""
    if language == RUST and "=>" in marks:
        return "match x {"
    if marks & {"case", "default"} and language in (GO, C_SHARP):
        return "switch {case x:" if language == GO else "switch(x){case 1:"
    return ""


def _opener(marks: frozenset[str], after: str, language: str) -> str:
    """What opens a block of which these words and the one behind its end are seen."""
    if _choice(marks, language):
        return _choice(marks, language)
    if after == "else":
        return "if x {" if language in (RUST, GO) else "if(x){"
    if after == "while" and language not in (RUST, GO):
        return "do{"
    if after in ("catch", "finally"):
        return "try{"
    return "{"
