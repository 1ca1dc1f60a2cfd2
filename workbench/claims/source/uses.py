"""What becomes of each value that a listing of C or C++ names."""

from functools import lru_cache

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
_WHOLE = words("parenthesized_expression update_expression comma_expression condition_clause")
"""What has the value of what stands in it."""
_READS = words(
    "binary_expression unary_expression if_statement while_statement do_statement for_statement "
    "switch_statement case_statement expression_statement sizeof_expression alignof_expression "
    "delete_expression condition_clause decltype array_declarator "
    "new_declarator static_assert_declaration else_clause labeled_statement compound_statement"
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


def _use(reader: Reader, node: Node, scope: Scope) -> Inner:
    """A row of a path that is no part of a longer one."""
    parent = node.parent
    if (
        parent is None
        or parent.type == "qualified_identifier"
        or node
        in (
            parent.child_by_field_name(_OF.get(parent.type, "?")),
            parent.child_by_field_name("function") if parent.type == "call_expression" else None,
        )
    ):
        return None
    form, into, index, cast = _becomes(reader, node)
    place = node
    while form == "given" and place.type != "argument_list" and place.parent is not None:
        place = place.parent  # it stands where its call does
    row = place.start_point.row
    if form != "declared" and reader.parsed.shown(row):
        reader.emit("uses", scope, node, path=node, form=form, into=into, index=index, cast=cast,
                    at=reader.parsed.at(row))  # fmt: skip
    return None


def _becomes(reader: Reader, node: Node) -> tuple[str, str, int, str]:
    """``reads``; ``indexes``; ``asm``; ``stores`` (what it leads to is written); ``target``;
    ``sets`` another path; ``given`` to a callee at an index from 1; ``returns``; "" where nothing
    is known. The last is the type that it was cast to."""
    cast, led, first = "", False, node
    while (parent := node.parent) is not None:
        kind, is_in = parent.type, parent.child_by_field_name
        sign = is_in("operator")
        operator = reader.text(sign) if sign is not None else ""
        if kind in _WHOLE or (kind == "binary_expression" and operator in ("+", "-")) or (
            kind == "conditional_expression" and is_in("condition") != node
        ):  # fmt: skip
            node = parent
        elif kind == "cast_expression":
            to = is_in("type")
            cast = normal(reader.text(to)) if to is not None else "?"
            node = parent
        elif _OF.get(kind) and is_in(_OF[kind]) == node:
            if operator == "&":
                return "", "", 0, cast
            led, node = True, parent
        elif kind == "assignment_expression" and is_in("left") == node:
            return "stores" if led else "target" if node is first else "", "", 0, cast
        elif led:
            return (
                (
                    "reads"
                    if kind in _READS | {"return_statement", "init_declarator"}
                    or kind == "assignment_expression"
                    else ""
                ),
                "",
                0,
                cast,
            )
        elif kind == "assignment_expression":
            left = is_in("left")
            kept = parent.parent is not None and parent.parent.type in _READS | _WHOLE
            return "sets" if kept and operator == "=" else "reads" if operator != "=" else "", (
                normal(reader.text(left)) if left is not None else ""), 0, cast  # fmt: skip
        elif kind in ("init_declarator", "for_range_loop") and (
            node in (is_in("value"), is_in("right"))
        ):  # fmt: skip
            name = is_in("declarator")
            found = shapes.declared(reader.parsed, name) if name is not None else None
            return "sets", normal(reader.text(found.name)) if found else "", 0, cast
        elif kind == "initializer_list" and parent.parent is not None and (
            parent.parent.type == "init_declarator"
        ):  # fmt: skip
            name = parent.parent.child_by_field_name("declarator")
            found = shapes.declared(reader.parsed, name) if name is not None else None
            at = shapes.named(parent).index(node)
            return "sets", f"{normal(reader.text(found.name))}.@{at}" if found else "", 0, cast
        elif kind == "field_initializer" or (
            kind == "argument_list" and parent.parent is not None
            and parent.parent.type == "field_initializer"
            and len(shapes.named(parent)) == 1
        ):  # fmt: skip
            of = parent if kind == "field_initializer" else parent.parent
            name = shapes.named(of)[0] if of is not None else node
            return ("declared" if name == node else "sets"), normal(reader.text(name)), 0, cast
        elif kind == "argument_list":
            call = shapes.call_of(reader.parsed, parent.parent) if parent.parent else None
            callee, index = _callee(reader, parent), shapes.named(parent).index(node) + 1
            plain = shapes.plain_callee(callee.partition("<")[0])
            moved = callee.partition("<")[0] in _MOVES
            if call is None or parent.parent is None or not (plain in _CASTS or moved):
                return "given", callee, index, cast
            cast = cast if moved else callee.partition("<")[2][:-1]
            node = parent.parent
        elif kind == "return_statement":
            return "" if _in_lambda(parent) else "returns", "", 0, cast
        elif "asm" in kind:
            return "asm", "", 0, cast
        elif kind in ("subscript_expression", "subscript_argument_list"):
            return "indexes", "", 0, cast
        elif kind in _NAMES and first.type in ("identifier", "qualified_identifier") and (
            kind != "array_declarator" or is_in("size") != node
        ):  # fmt: skip
            return "declared", "", 0, ""
        else:
            known = kind in _READS or kind == "conditional_expression"
            return "reads" if known or kind.endswith("_statement") else "", "", 0, cast
    return "", "", 0, cast


def _in_lambda(node: Node | None) -> bool:
    while node is not None and node.type != "function_definition":
        if node.type == "lambda_expression":
            return True
        node = node.parent
    return False


def _callee(reader: Reader, arguments: Node) -> str:
    """What a list of arguments is given to: a function, or the type that a constructor makes."""
    of = arguments.parent
    while of is not None and of.type in ("init_declarator",):
        of = of.parent
    named = of.child_by_field_name("function") or of.child_by_field_name("type") if of else None
    return normal(reader.text(named)) if named is not None else ""


_HANDLERS: dict[str, Handler] = dict.fromkeys(_PATHS, _use)


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
