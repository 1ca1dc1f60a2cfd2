"""What becomes of each value that a listing of C or C++ names."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, TypeGuard

from tree_sitter import Node

from workbench.claims.source import shapes
from workbench.claims.source.parse import parsed
from workbench.claims.source.reader import Handler, Inner, Reader, Scope
from workbench.claims.source.text import CPP, C, Row, SourceText, normal, words

_PATHS = words("identifier this field_expression subscript_expression pointer_expression "
               "call_expression qualified_identifier")  # fmt: skip
_OF = {"field_expression": "argument", "subscript_expression": "argument",
       "pointer_expression": "argument"}  # fmt: skip
"""The part of a longer path that is one itself."""
_WHOLE = words("parenthesized_expression comma_expression condition_clause")
"""What has the value of what stands in it."""
_READS = words(
    "unary_expression if_statement while_statement do_statement for_statement "
    "switch_statement case_statement sizeof_expression alignof_expression "
    "delete_expression condition_clause decltype array_declarator "
    "new_declarator static_assert_declaration conditional_expression"
)
"""What compares or counts a value, or drops it."""
_NAMES = words(
    "declaration parameter_declaration field_declaration optional_parameter_declaration "
    "function_declarator pointer_declarator reference_declarator enumerator type_definition "
    "for_range_loop parenthesized_declarator structured_binding_declarator template_declaration "
    "attributed_declarator goto_statement using_declaration namespace_alias_definition "
    "preproc_def preproc_function_def preproc_params preproc_defined preproc_ifdef preproc_call "
    "preproc_if preproc_elif init_declarator array_declarator catch_clause alias_declaration "
    "namespace_definition destructor_name function_definition lambda_default_capture "
    "template_argument_list attribute field_designator"
)
"""Where a name that stands as no value is declared or meant itself."""
_CASTS = words("static_cast reinterpret_cast const_cast dynamic_cast")
_MOVES = words("std::move std::forward")
_COMPARES = words("== != < > <= >= && || <=>")
_GIVES_BACK = words(
    "strchr strrchr strstr strpbrk memchr strcpy strncpy stpcpy strcat strncat memcpy memmove "
    "memset fgets"
)
"""Functions of C's library that return where they were led to by their first argument (C23)."""


class Becomes(NamedTuple):
    """What becomes of a value. ``form``: ``reads``; ``indexes``; ``asm``; ``target`` (it is set);
    ``stores`` (what it leads to is written); ``sets`` another path; ``given`` to a callee at an
    index from 1; ``returns``; "" where nothing is known. ``cast``: the type that it was cast to."""

    form: str = ""
    into: str = ""
    nth: int = 0
    cast: str = ""

    def row(self) -> dict[str, str | int | Node]:
        """As columns of a row."""
        return {"form": self.form, "into": self.into, "index": self.nth, "cast": self.cast}


def _use(reader: Reader, node: Node, scope: Scope) -> Inner:
    """Rows of a path that is no part of a longer one."""
    parent = node.parent
    if parent is None or parent.type == "qualified_identifier" or node in (
        parent.child_by_field_name(_OF.get(parent.type, "?")),
        parent.child_by_field_name("function") if parent.type == "call_expression" else None,
    ):  # fmt: skip
        return None
    called = shapes.call_of(reader.parsed, node) if node.type == "call_expression" else None
    if called is not None and (
        called.callee.partition("<")[0] in _MOVES
        or shapes.plain_callee(called.callee.partition("<")[0]) in _CASTS
    ):  # fmt: skip
        return None  # what it is of stands for it
    for one in _becomes(reader, node):
        place = node
        while one.form == "given" and place.type != "argument_list" and place.parent is not None:
            place = place.parent  # it stands where its call does
        row = place.start_point.row
        if reader.parsed.shown(row):
            at = reader.parsed.at(row)
            reader.emit("uses", scope, node, None, path=node, at=at, **one.row())
    return None


def _made(reader: Reader, node: Node, scope: Scope) -> Inner:
    """``Guard g(p);`` of C++, which the grammar takes for a function's declaration."""
    holder = node.parent.parent if node.parent is not None else None
    of = holder.parent if holder is not None else None
    made = of.parent if of is not None and of.type == "function_declarator" else None
    if node.parent is None or node.parent.child_by_field_name("declarator") is not None or (
        holder is None or made is None or made.type != "declaration" or not scope.leaves
    ):  # fmt: skip
        return None
    type_, index = made.child_by_field_name("type"), shapes.named(holder).index(node.parent) + 1
    if type_ is not None:
        one = Becomes("given", normal(reader.text(type_)), index)
        reader.emit("uses", scope, node, None, path=node, **one.row())
    return None


def _becomes(reader: Reader, node: Node) -> Iterator[Becomes]:
    """All that becomes of a value; nothing of a name that is declared or meant itself."""
    cast, led, first = "", False, node
    while (parent := node.parent) is not None:
        kind, is_in = parent.type, parent.child_by_field_name
        sign = is_in("operator")
        operator = reader.text(sign) if sign is not None else ""
        if kind == "update_expression":
            yield Becomes("stores" if led and first.type == "identifier" else "target", cast=cast)
            node = parent
        elif kind in _WHOLE or (kind == "conditional_expression" and is_in("condition") != node):
            node = parent
        elif kind == "binary_expression":
            if operator in _COMPARES:
                yield Becomes("reads", cast=cast)
                return
            if reader.language == CPP and operator in ("<<", ">>"):  # a type's own, it may be
                yield Becomes("reads" if led else "operator", cast=cast)
                return
            node = parent
        elif kind == "cast_expression":
            to = is_in("type")
            cast = normal(reader.text(to)) if to is not None else "?"
            node = parent
        elif _OF.get(kind) and is_in(_OF[kind]) == node:
            if operator == "&":  # of a longer path, which has a row of its own
                yield Becomes("reads" if led else "", cast=cast)
                return
            led, node = True, parent
        elif kind == "assignment_expression":
            yield _assigned(reader, node, parent, operator, first, led)._replace(cast=cast)
            if is_in("right") != node or led or operator != "=":
                return
            node = parent  # what it is assigned to has it, and the whole is a value, too
            if parent.parent is not None and parent.parent.type == "expression_statement":
                return
        elif led:
            known = kind in _READS | {"return_statement", "init_declarator", "expression_statement",
                                      "argument_list"}  # fmt: skip
            known |= kind == "call_expression" and is_in("function") == node  # its method is called
            yield Becomes("reads" if known else "", cast=cast)
            return
        elif kind == "argument_list" and (passed := _passed(reader, node, parent)):
            callee = passed.into.partition("<")[0]
            on = passed.nth == 1 and shapes.plain_callee(callee) in _GIVES_BACK
            if shapes.plain_callee(callee) in _CASTS:
                cast = passed.into.partition("<")[2][:-1]
            elif callee not in _MOVES:
                yield passed._replace(cast=cast)
                if not on:
                    return
            if parent.parent is None:
                return
            node = parent.parent
        elif kind in _NAMES and first.type in ("identifier", "qualified_identifier") and (
            (kind != "array_declarator" or is_in("size") != node)
            and (kind not in ("init_declarator", "for_range_loop", "declaration")
                 or node not in (is_in("value"), is_in("right")))
        ):  # fmt: skip
            return
        else:
            yield _kept(reader, node, parent)._replace(cast=cast)
            return


def _assigned(
    reader: Reader, node: Node, parent: Node, operator: str, first: Node, led: bool
) -> Becomes:
    left = parent.child_by_field_name("left")
    if left == node:
        return Becomes("stores" if led else "target" if node is first else "")
    if led:
        return Becomes("reads")
    if operator != "=":
        return Becomes("operator" if reader.language == CPP else "reads")
    return Becomes("sets", normal(reader.text(left))) if left is not None else Becomes()


def _passed(reader: Reader, node: Node, arguments: Node) -> Becomes | None:
    """What an argument is given to: a function, or the type that a constructor makes."""
    of, index = arguments.parent, shapes.named(arguments).index(node) + 1
    if of is not None and of.type == "field_initializer":
        return None
    if of is not None and of.type == "init_declarator":
        of = of.parent
    named = of.child_by_field_name("function") or of.child_by_field_name("type") if of else None
    return Becomes("given", normal(reader.text(named)) if named is not None else "", index)


def _kept(reader: Reader, node: Node, parent: Node) -> Becomes:
    kind, of = parent.type, parent.parent
    if kind in ("init_declarator", "for_range_loop") or (
        kind == "declaration" and parent.child_by_field_name("value") == node
    ):  # the last one of a condition
        return Becomes("sets", _declared(reader, parent))
    if kind == "initializer_pair" and of is not None and of.parent is not None:
        name = shapes.named(parent)[0]
        of, field = of.parent, normal(reader.text(name))
        plain = of.type == "init_declarator" and field.startswith(".")
        return Becomes("sets", f"{_declared(reader, of)}{field}") if plain else Becomes()
    if kind == "initializer_list" and of is not None and of.type == "init_declarator":
        at = shapes.named(parent).index(node)
        return Becomes("sets", f"{_declared(reader, of)}.@{at}")
    if kind == "initializer_list" and of is not None and of.type == kind and _is_array(of.parent):
        places = f".@{shapes.named(of).index(parent)}.@{shapes.named(parent).index(node)}"
        return Becomes("sets", f"{_declared(reader, of.parent)}{places}")
    if kind == "argument_list" and of is not None and len(shapes.named(parent)) == 1:
        kind, parent = of.type, of  # of a constructor's list of members
    if kind == "field_initializer":
        return Becomes("sets", normal(reader.text(shapes.named(parent)[0])))
    if kind == "lambda_capture_specifier":  # what the body does with it has rows of its own
        before = node.prev_sibling
        return Becomes("" if before is not None and reader.text(before) == "&" else "reads")
    if kind == "return_statement":
        return Becomes("" if _in_lambda(parent) else "returns")
    if kind == "expression_statement":  # the last one of ({ ... }) is its value
        inner = (
            of is not None
            and of.parent is not None
            and (of.type == "compound_statement" and of.parent.type == "parenthesized_expression")
        )
        return Becomes("" if inner else "reads")
    if "asm" in kind:
        return Becomes("asm")
    if kind in ("subscript_expression", "subscript_argument_list"):
        return Becomes("indexes")
    return Becomes("reads" if kind in _READS else "")


def _is_array(node: Node | None) -> TypeGuard[Node]:
    """True for a declaration of an array of so many elements, with what it begins with."""
    made = node.child_by_field_name("declarator") if node else None
    return (
        node is not None and node.type == "init_declarator"
        and made is not None and made.child_by_field_name("size") is not None
    )  # fmt: skip


def _declared(reader: Reader, node: Node) -> str:
    declarator = node.child_by_field_name("declarator")
    found = shapes.declared(reader.parsed, declarator) if declarator is not None else None
    return normal(reader.text(found.name)) if found else ""


def _in_lambda(node: Node | None) -> bool:
    while node is not None and node.type != "function_definition":
        if node.type == "lambda_expression":
            return True
        node = node.parent
    return False


_HANDLERS: dict[str, Handler] = {**dict.fromkeys(_PATHS, _use), "type_identifier": _made}


@lru_cache(maxsize=32)
def uses(source: SourceText) -> tuple[tuple[Row, ...], tuple[tuple[str, str], ...]]:
    """A row ``uses`` of each value that is named, and the type that each function returns; of a
    language that is neither C nor C++ none."""
    tree = parsed(source)
    if tree is None or tree.language not in (C, CPP):
        return (), ()
    reader = Reader(tree, _HANDLERS, faulty=True)
    reader.read()
    found = tuple(row for row in reader.rows if row.kind == "uses")
    return found, tuple(reader.results.items())
