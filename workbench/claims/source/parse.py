"""A listing's syntax tree, by tree-sitter. A grammar is loaded when its first listing is read."""

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import NamedTuple

from tree_sitter import Language, Node, Parser

from workbench.claims.source import cut
from workbench.claims.source.lexed import LEXERS, STRINGS, blanked, tokens_of
from workbench.claims.source.text import C_SHARP, CPP, GO, RUST, C, SourceText, language_of, words

_ELSE = re.compile(r"\s*#\s*el(?:se|if)")
_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(?:if|el|endif)", re.MULTILINE)
"""Without such a line the grammars know what to do with directives."""
_ATTRIBUTES = frozenset(("__attribute__", "__declspec", "__attribute"))


def without_comment_tail(text: str, language: str) -> str:
    """Text without the end of a comment that began before it; "" where it may be all comment."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if lines and all(line.startswith("*") for line in lines):
        return ""
    end, begin = text.find("*/"), text.find("/*")
    if end < 0 or 0 <= begin < end:
        return text
    for found in LEXERS[language].finditer(text[: text.find("\n", end) + 1 or len(text)]):
        if found.lastgroup in ("comment", "text", "d") and found.start() < end < found.end():
            return text
    return blanked(text, 0, end + 2)


def without_macro_tail(text: str, language: str) -> str:
    """Text without the end of a macro's definition that began before it."""
    end = -1
    while language in (C, CPP) and text[end + 1 :].partition("\n")[0].endswith("\\"):
        end = text.find("\n", end + 1)
        if end < 0:
            return ""
    return blanked(text, 0, text.find("\n", end + 1)) if end >= 0 else text


def preprocessed(text: str, language: str) -> tuple[str, frozenset[int]]:
    """Text without directives and what they leave out, and the lines, from 0, of which it is not
    known whether they are compiled."""
    if language in (RUST, GO) or not _CONDITIONAL.search(text):
        return text, frozenset()
    tokens = tokens_of(text, language)
    directives = [token for token in tokens if token.kind == "line"]
    unsure: set[int] = set()
    branches: list[tuple[str, int]] = []  # what became of the open conditionals' branches, where
    out = text
    for index, token in enumerate(directives):
        out = blanked(out, token.start, token.end)
        name, _, rest = token.text[1:].strip().partition(" ")
        name, rest = re.sub(r"\W.*", "", name, flags=re.DOTALL), rest.split("//")[0].strip()
        if name in ("if", "ifdef", "ifndef"):
            following = directives[index + 1].text.split() if index + 1 < len(directives) else []
            branches.append((_taken(name, rest, following, language), token.end))
        elif name in ("else", "elif", "elifdef", "elifndef", "endif"):
            state, begin = branches.pop() if branches else ("unsure", 0)
            if state in ("dead", "done"):
                out = blanked(out, begin, token.start)
            elif state == "unsure":
                first = text.count("\n", 0, begin)
                unsure.update(range(first, text.count("\n", 0, token.start) + 1))
            if name != "endif":
                then = {"dead": "live" if name == "else" else "unsure"}.get(state, "done")
                branches.append((then, token.end))
    for state, begin in branches:  # ends below the listing
        if state in ("dead", "done"):
            out = blanked(out, begin, len(out))
        elif state == "unsure":
            unsure.update(range(text.count("\n", 0, begin), text.count("\n") + 1))
    return out, frozenset(unsure)


@lru_cache(maxsize=64)
def otherwise(source: SourceText) -> tuple[SourceText, frozenset[int]]:
    """A listing with the branches behind an ``#else`` or ``#elif`` in place of the first, where it
    is not known which is compiled; and the source lines of those branches."""
    language = source.language or C
    if language not in (C, CPP) or not any(_ELSE.match(line) for _, _, line in source.lines):
        return source, frozenset()
    lines, opened = [line for _, _, line in source.lines], list[tuple[int, bool]]()
    found, inside = set[int](), 0
    for row, line in enumerate(lines):
        name, _, rest = line.strip().removeprefix("#").strip().partition(" ")
        if line.lstrip()[:1] != "#":
            found.update([source.lines[row][1]] if inside else [])
        elif name in ("if", "ifdef", "ifndef"):
            following = lines[row + 1].split() if row + 1 < len(lines) else []
            known = _taken(name, rest.split("//")[0].strip(), following, language) != "unsure"
            opened.append((-1 if known else row, False))
        elif name in ("else", "elif", "elifdef", "elifndef") and opened and opened[-1][0] >= 0:
            lines[opened[-1][0]] = "#if 0"
            lines[row] = "" if opened[-1][1] else "#else"  # of several all are read
            inside += not opened[-1][1]
            opened[-1] = opened[-1][0], True
        elif name == "endif" and opened:
            inside -= opened.pop()[1]
    made = tuple((at, of, line) for (at, of, _), line in zip(source.lines, lines, strict=True))
    return source._replace(lines=made), frozenset(found)


def _taken(name: str, condition: str, following: list[str], language: str) -> str:
    """live, dead or unsure: zero and one are known, the guard of a header, and the language."""
    if name == "if":
        return {"0": "dead", "1": "live", "false": "dead", "true": "live"}.get(condition, "unsure")
    if condition == "__cplusplus":
        return "live" if (language == CPP) == (name == "ifdef") else "dead"
    guards = name == "ifndef" and following[:2] == ["#define", condition]
    return "live" if guards else "unsure"


def without_attributes(text: str, language: str) -> str:
    """Text without what compilers add to declarations, which the grammars know in few places."""
    if not any(word in text for word in _ATTRIBUTES):
        return text
    tokens = tokens_of(text, language)
    for index, token in enumerate(tokens):
        if token.text in _ATTRIBUTES:
            depth, end = 0, token.end
            for after in tokens[index + 1 :]:
                depth += (after.text == "(") - (after.text == ")")
                if depth <= 0:
                    end = after.end if after.text == ")" else end
                    break
            text = blanked(text, token.start, end)
    return text


_GRAMMARS = {
    C: "tree_sitter_c", CPP: "tree_sitter_cpp", RUST: "tree_sitter_rust", GO: "tree_sitter_go",
    C_SHARP: "tree_sitter_c_sharp",
}  # fmt: skip
_MAX_LINES = 20_000
_MAX_BYTES = 500_000
_MAX_LINE = 4_000
_MAX_FAULTS = 20_000
_TRIES = 8
"""Frames that are tried for a listing that is cut."""

CASES = words(
    "case_statement switch_section expression_case default_case type_case communication_case"
)
"""Arms that hold statements without braces."""
BODIES = words(
    "translation_unit source_file compilation_unit compound_statement block statement_list "
    "declaration_list field_declaration_list switch_body switch_block match_block"
)
"""What holds statements or members one after another: each of them stands for itself."""
COMPOUND = words(
    "function_definition function_item function_declaration method_declaration func_literal "
    "lambda_expression closure_expression anonymous_method_expression constructor_declaration "
    "destructor_declaration local_function_statement property_declaration accessor_list "
    "accessor_declaration operator_declaration indexer_declaration impl_item trait_item mod_item "
    "namespace_definition namespace_declaration file_scoped_namespace_declaration "
    "linkage_specification template_declaration class_specifier struct_specifier union_specifier "
    "class_declaration struct_declaration record_declaration interface_declaration if_statement "
    "else_clause for_statement for_range_loop while_statement do_statement switch_statement "
    "case_statement switch_section labeled_statement try_statement catch_clause finally_clause "
    "seh_try_statement seh_except_clause seh_finally_clause lock_statement using_statement "
    "foreach_statement unsafe_statement fixed_statement checked_statement if_expression "
    "while_expression loop_expression for_expression match_expression match_arm unsafe_block "
    "async_block const_block expression_switch_statement type_switch_statement select_statement "
    "expression_case default_case type_case communication_case struct_item type_declaration "
    "type_spec struct_type global_statement extern_crate local_declaration_list"
)
"""What holds bodies: a fault in one of its parts is no fault of the others."""


class Parsed(NamedTuple):
    """``data`` is the text that was parsed, whose row 0 is what was added in front; the listing's
    first line is row 1. Nothing is said of the rows ``unsure``."""

    source: SourceText
    language: str
    data: bytes
    root: Node
    unsure: frozenset[int]

    def text(self, node: Node) -> str:
        """What a node spans."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def shown(self, row: int) -> bool:
        """True for a row of the listing."""
        return 0 < row <= len(self.source.lines)

    def at(self, row: int) -> int:
        """The source's line."""
        return self.source.lines[row - 1][1]

    def cited(self, row: int) -> int:
        """The evidence's line."""
        return self.source.lines[row - 1][0]


@cache
def _new_parser(language: str) -> Callable[[], Parser]:
    """A parser serves one thread; its grammar serves all."""
    return partial(Parser, Language(import_module(_GRAMMARS[language]).language()))


def _clean(line: str) -> str:
    """A line without control characters, which a lexer may take for the end; no huge one."""
    if len(line) > _MAX_LINE:
        return ""
    return line if line.isprintable() else "".join(c if c.isprintable() else " " for c in line)


def _tree(text: str, language: str) -> tuple[bytes, Node]:
    data = text.encode("utf-8", "replace")
    return data, _new_parser(language)().parse(data).root_node


def reparsed(tree: Parsed, data: bytes) -> Parsed:
    """A listing with other signs in the place of some of its own."""
    return tree._replace(data=data, root=_new_parser(tree.language)().parse(data).root_node)


def is_cut(source: SourceText) -> bool:
    """True for a listing with a line that is too long to be read."""
    return any(len(line) > _MAX_LINE for _, _, line in source.lines)


def _faults(root: Node) -> int:
    """How many bytes lie in faults; a missing token counts one."""
    found, nodes = 0, [root]
    while nodes:
        node = nodes.pop()
        if node.is_error:
            found += node.end_byte - node.start_byte + 1
        elif node.is_missing:
            found += 1
        elif node.has_error:
            nodes += node.children
    return found


@lru_cache(maxsize=16)
def parsed(source: SourceText) -> Parsed | None:
    """None: no language that is known, too much to read, or nothing but a comment's inside."""
    if len(source.lines) > _MAX_LINES or not source.lines:
        return None
    text = "\n".join(_clean(line.expandtabs(8)) for _, _, line in source.lines)
    if len(text) > _MAX_BYTES:
        return None
    language = source.language or language_of(source.file)
    wanted = {None: (C, CPP, RUST, GO, C_SHARP), C: (C, CPP)}.get(language, (language or "",))
    if language == C and not (source.file or "").lower().endswith(".h"):
        wanted = (C,)
    best: tuple[int, Parsed] | None = None
    for one in wanted:
        if one not in STRINGS:
            continue
        for faults, tree in _tried(source, text, one):
            if best is None or faults < best[0]:
                best = faults, tree
            if not faults:
                return tree
            if faults > _MAX_FAULTS:  # no program, which takes long to read
                break
    return best[1] if best is not None else None


def _tried(source: SourceText, text: str, language: str) -> Iterator[tuple[int, Parsed]]:
    """The trees that a listing may have, with their faults."""
    top = source.lines[0][1] > 1
    if "*/" in text or text.lstrip().startswith("*"):
        text = without_comment_tail(text, language) if top else text
    if top:
        text = without_macro_tail(text, language)
    text, unsure = preprocessed(text, language)
    text = without_attributes(text, language)
    rows = frozenset(row + 1 for row in unsure)
    if not top:
        data, root = _tree("\n" + text, language)
        yield (_faults(root) if root.has_error else 0), Parsed(source, language, data, root, rows)
    whole = cut.without_cut_ends(text, language, top)
    for before, behind in cut.frames(whole, language)[:_TRIES]:
        data, root = _tree(f"{before}\n{whole}\n{behind}", language)
        faults = _faults(root) if root.has_error else 0
        yield faults, Parsed(source, language, data, root, rows)
