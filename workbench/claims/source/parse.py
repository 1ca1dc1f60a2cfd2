"""A listing's syntax tree, by tree-sitter. A grammar is loaded when its first listing is read."""

from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import import_module
from typing import NamedTuple

from tree_sitter import Language, Node, Parser

from workbench.claims.source import cut, preprocess
from workbench.claims.source.lexed import STRINGS
from workbench.claims.source.text import C_SHARP, CPP, GO, RUST, C, SourceText, language_of, words

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
def _grammar(language: str) -> Language:
    return Language(import_module(_GRAMMARS[language]).language())


def _clean(line: str) -> str:
    """A line without control characters, which a lexer may take for the end; no huge one."""
    if len(line) > _MAX_LINE:
        return ""
    return line if line.isprintable() else "".join(c if c.isprintable() else " " for c in line)


def _tree(text: str, language: str) -> tuple[bytes, Node]:
    data = text.encode("utf-8", "replace")
    return data, Parser(_grammar(language)).parse(data).root_node


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
        text = preprocess.without_comment_tail(text, language) if top else text
    if top:
        text = preprocess.without_macro_tail(text, language)
    text, unsure = preprocess.preprocessed(text, language)
    text = preprocess.without_attributes(text, language)
    rows = frozenset(row + 1 for row in unsure)
    if not top:
        data, root = _tree("\n" + text, language)
        yield (_faults(root) if root.has_error else 0), Parsed(source, language, data, root, rows)
    whole = cut.without_cut_ends(text, language, top)
    for before, behind in cut.frames(whole, language)[:_TRIES]:
        data, root = _tree(f"{before}\n{whole}\n{behind}", language)
        faults = _faults(root) if root.has_error else 0
        yield faults, Parsed(source, language, data, root, rows)
