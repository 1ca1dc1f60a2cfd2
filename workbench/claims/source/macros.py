"""Lines of C and C++ with what the listed macros stand for in the place of their names."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from workbench.claims.source.queue import queue_header
from workbench.claims.source.text import CPP, C, SourceText
from workbench.claims.tokens import TOKEN

_DEEPEST = 3
"""Macros within macros."""
_MOST = 60
"""Macros that one line stands for, those within others counted."""
_LONGEST = 600
"""Characters of a macro's body, and three of them of a line, that are looked at."""
_BLOCK = re.compile(r"do\s*\{(.*)\}\s*while\s*\(\s*0\s*\)\s*")
_EXPECT = re.compile(r"__builtin_expect \( ! ! (\( .* \)) , [01] \)")
_PATH = re.compile(r"[A-Za-z_]\w*(?:\s*(?:->|\.|::)\s*[A-Za-z_]\w*|\[[\w+. -]*\])*")
_OTHER = re.compile(r"# #|\( \{|\b(?:asm|__asm__|goto|case)\b")
"""What no text in its place says: pasted names, blocks with a value, jumps."""
_QUEUE = {f"{a}{of}/queue.h{b}" for a, b in (("<", ">"), ('"', '"')) for of in ("sys", "bsd/sys")}
_HEAD = re.compile(r"^(?:[A-Za-z_][\w:<>,]*[\s*&]+)+(\w+)\s*\([^;]*$")
"""Where a function begins, or is declared over several lines."""
_HEADER = re.compile(r"\.(?:h|hh|hpp|hxx|inc|inl|def)$")
_CALLED = "()"
"""In the place of what a macro is given: it is another name of what is called."""
_MORE = "__VA_ARGS__"


class Macro(NamedTuple):
    """What a macro is given, and what it stands for."""

    parameters: tuple[str, ...]
    body: str


@lru_cache(maxsize=16)
def macros(texts: tuple[SourceText, ...]) -> dict[str, tuple[Macro, str, int]]:
    """The macros with arguments that listings define in one way whatever is asked for before, and
    no function as well, by their names; each with the file and the line that defines it."""
    found: dict[str, list[tuple[Macro | None, str, int]]] = {}
    texts = tuple(text for text in texts if text.language in (C, CPP))
    includes = any("".join(words[1:]).strip() in _QUEUE for text in texts
                   for _, words in directives(text) if words[0] == "include")  # fmt: skip
    for text in (*texts, *([queue_header()] if includes else [])):
        depth = 0
        for at, words in directives(text):
            depth += (words[:1] in (["if"], ["ifdef"], ["ifndef"])) - (words[:1] == ["endif"])
            if words[:1] in (["define"], ["undef"]) and len(words) > 1:
                guard = depth == 1 and len(words) == 2  # of a header
                depth -= guard
                made = _macro(words[2:]) if depth <= 0 and words[0] == "define" else None
                found.setdefault(words[1], []).append((made, text.file or "", at))
    heads = {name for text in texts for _, _, line in text.lines for name in _HEAD.findall(line)}
    return {
        name: (one, file, at)
        for name, made in found.items() if name not in heads and len({one[0] for one in made}) == 1
        for one, file, at in made[:1] if one is not None and _is_text(one)
    }  # fmt: skip


@lru_cache(maxsize=64)
def directives(text: SourceText) -> tuple[tuple[int, list[str]], ...]:
    """The line and the words of each directive of the preprocessor, with what goes on behind a
    backslash; of what a macro is given ``(`` alone where it stands right behind the name."""
    told = _directives(text) if text.language in (None, C, CPP) else ()
    return tuple((at, words) for at, words in told if words[words[:1] == ["define"] :])


def _directives(text: SourceText) -> Iterator[tuple[int, list[str]]]:
    if not any(line.lstrip()[:1] == "#" for _, _, line in text.lines):
        return
    whole = "\n".join(line for _, _, line in text.lines)
    words, end = list[str](), 0
    inside, fresh, row = False, True, 0
    for token in TOKEN.finditer(whole):
        gap = whole[end : token.start()]
        if "\n" in gap:
            fresh = words[-1:] != ["\\"] or not inside
            if not fresh:
                words.pop()
            elif inside:
                yield text.lines[row][1], words
                inside = False
        end = token.end()
        if fresh and token[0] == "#":
            inside, words, row = True, [], whole.count("\n", 0, token.start())
        elif inside and token.lastgroup != "comment":
            words += [" "] if len(words) == 2 and gap else []
            words.append(token[0])
        fresh = fresh and token.lastgroup == "comment"
    if inside:
        yield text.lines[row][1], words


def _macro(words: Sequence[str]) -> Macro | None:
    """None of one without arguments that is no other name of a function."""
    bare = [one for one in words if one != " "]
    if len(bare) == 1 and _PATH.fullmatch(bare[0]):
        return Macro((_CALLED,), bare[0])
    if words[:1] != ["("] or ")" not in words:
        return None
    end = words.index(")")
    names = "".join(words[1:end])
    body = " ".join(words[end + 1 :])
    if len(body) <= _LONGEST:
        body = _EXPECT.sub(r"\1", body)
    return Macro(tuple(filter(None, names.split(","))), body)


def _is_text(macro: Macro) -> bool:
    """True for a macro of which the body's text is all that it means."""
    body = macro.body.replace(f", # # {_MORE}", "")
    return len(body) <= _LONGEST and not _OTHER.search(body)


@lru_cache(maxsize=256)
def expanded(text: SourceText, beside: tuple[SourceText, ...]) -> SourceText:
    """A listing with what macros stand for where a line names one with all that it is given; the
    lines that define them stay."""
    known = macros(beside) if text.language in (C, CPP) else {}
    own = {first: (name, one) for name, (one, file, first) in known.items()
           if file == (text.file or "")}  # fmt: skip
    here = {name: one for name, (one, file, _) in known.items()
            if file != (text.file or "") and _HEADER.search(file)}  # fmt: skip
    lines, defined = [], False
    for shown, at, line in text.lines if own or here else ():
        defined = defined or line.lstrip()[:1] == "#"
        lines.append((shown, at, line if defined else _in_place(line, here, [_MOST])))
        defined = defined and line.rstrip()[-1:] == "\\"
        here |= [own[at]] if at in own else []
    return text._replace(lines=tuple(lines)) if own or here else text


def _in_place(line: str, known: dict[str, Macro], left: list[int], depth: int = _DEEPEST) -> str:
    """A line with what its macros stand for, of as many as are ``left``."""
    tokens = list(TOKEN.finditer(line)) if len(line) <= _LONGEST else []
    for nth, token in enumerate(tokens):
        macro = known.get(token[0]) if token.lastgroup == "word" else None
        found = _given(line, tokens, nth + 1) if macro is not None else None
        if macro is None or found is None or not depth:
            continue
        left[0] -= 1
        if left[0] < 0:
            return line
        rest = {name: one for name, one in known.items() if name != token[0]}
        if macro.parameters == (_CALLED,):
            whole = f"{line[: token.start()]}{macro.body}{line[token.end() :]}"
            return _in_place(whole, rest, left, depth)
        given, last = found
        more = macro.parameters[-1:] == ("...",)
        if len(given) != len(macro.parameters) and not (
            given == [""] and not macro.parameters
        ) and not (more and len(given) >= len(macro.parameters) - 1):  # fmt: skip
            continue
        body = _filled(macro, given)
        block = _BLOCK.fullmatch(body)
        end = tokens[last].end()
        if block is not None:  # with the semicolon behind it, so that an else may follow
            body = f"{{ {block[1]} }}"
            end = tokens[last + 1].end() if [t[0] for t in tokens[last + 1 :][:1]] == [";"] else end
        made = _in_place(body, rest, left, depth - 1)
        whole = f"{line[: token.start()]}{made}{_in_place(line[end:], known, left, depth)}"
        return whole if len(whole) <= 3 * _LONGEST else line
    return line


def _given(line: str, tokens: Sequence[re.Match[str]], nth: int) -> tuple[list[str], int] | None:
    """What stands between the parenthesis that a token opens and its end, and which token that
    is; None where it does not."""
    depth, parts, start = 0, list[str](), 0
    for at in range(nth, len(tokens)):
        sign = tokens[at][0]
        depth += (sign in "([{") - (sign in ")]}") if len(sign) == 1 else 0
        if at == nth and sign != "(":
            return None
        if at == nth:
            start = tokens[at].end()
        elif depth == 0 or (depth == 1 and sign == ","):
            parts.append(line[start : tokens[at].start()].strip())
            start = tokens[at].end()
            if depth == 0:
                return parts, at
    return None


def _after(tokens: Sequence[str], nth: int) -> bool:
    """True where a cast may stand in front of a token."""
    sign = tokens[nth] if nth < len(tokens) else ""
    return sign != "->" and re.match(r"[\w(\"'&*~!+-]", sign) is not None


def _filled(macro: Macro, given: Sequence[str]) -> str:
    """A macro's body with what it is given; a path without the parentheses around it."""
    by, parts = dict(zip(macro.parameters, given, strict=False)), list[str]()
    if macro.parameters[-1:] == ("...",):
        by[_MORE] = ", ".join(given[len(macro.parameters) - 1 :])
    body = macro.body.replace(f", # # {_MORE}", f", {_MORE}" if by.get(_MORE) else "")
    tokens = [one[0] for one in TOKEN.finditer(body)]
    for nth, token in enumerate(tokens):
        if token not in by:
            parts.append(token)
        elif parts[-1:] == ["#"]:
            parts[-1] = '""'  # its text
        elif (
            by[token][:1] == "&" and _PATH.fullmatch(by[token][1:])
            and parts[-1:] == ["("] and tokens[nth + 1 : nth + 3] == [")", "->"]
        ):  # fmt: skip
            parts[-1] = by[token][1:]
            tokens[nth + 1 : nth + 3] = ["", "."]
        elif _PATH.fullmatch(by[token]) and parts[-1:] == ["("] and (
            tokens[nth + 1 : nth + 2] == [")"] and (
                tokens[nth + 2 : nth + 3] in (["->"], ["."])
                or not (re.match(r"[\w\])]", (*parts, "")[-3:][0]) or _after(tokens, nth + 2))
            )
        ):  # fmt: skip
            parts[-1] = by[token]
            tokens[nth + 1] = ""
        else:
            parts.append(by[token])
    return " ".join(filter(None, parts))
