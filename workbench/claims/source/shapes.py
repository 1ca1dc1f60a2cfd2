"""What parts a node has, whichever grammar it is of: a declared name, a function's, a callee."""

from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from workbench.claims.source.parse import Parsed
from workbench.claims.source.text import GO, RUST, last_name, normal, words

FUNCTIONS = words(
    "function_definition function_item function_declaration method_declaration "
    "constructor_declaration destructor_declaration local_function_statement operator_declaration "
    "accessor_declaration"
)
CLOSURES = words(
    "lambda_expression closure_expression func_literal anonymous_method_expression async_block"
)
TYPES = words(
    "class_specifier struct_specifier union_specifier namespace_definition impl_item trait_item "
    "mod_item class_declaration struct_declaration record_declaration interface_declaration "
    "namespace_declaration struct_item type_spec property_declaration"
)
_NAMES = words(
    "identifier field_identifier type_identifier operator_name destructor_name "
    "qualified_identifier template_function"
)  # fmt: skip
_WRAPS = {"pointer_declarator": "*", "reference_declarator": "&"}


class Declared(NamedTuple):
    """One name of a declaration: what its declarator adds to the type (``*``), the length of its
    outermost array, and whether it is a function's prototype."""

    name: Node
    adds: str
    size: str
    prototype: Node | None


def named(node: Node) -> list[Node]:
    """Its parts without comments."""
    return [child for child in node.named_children if not child.type.endswith("comment")]


def declared(parsed: Parsed, node: Node) -> Declared | None:
    """What a declarator of C or C++ declares."""
    adds, sizes = "", []
    prototype: Node | None = None
    while node.type not in _NAMES:
        if node.type == "array_declarator":
            size = node.child_by_field_name("size")
            sizes.append(normal(parsed.text(size)) if size is not None else "")
        elif node.type == "function_declarator":
            prototype = node
        elif node.type == "parenthesized_declarator" and prototype is not None:
            parameters = prototype.child_by_field_name("parameters")
            adds += "(*)" + (normal(f"f{parsed.text(parameters)}")[1:] if parameters else "()")
            prototype = None
        elif node.type in _WRAPS and not adds.startswith("(*)"):
            text = parsed.text(node).lstrip()
            adds += "&&" if text.startswith("&&") else _WRAPS[node.type]
        inner = node.child_by_field_name("declarator")
        if inner is None:
            parts = [part for part in named(node) if part.type != "type_qualifier"]
            if not parts:
                return None
            inner = parts[0] if node.type != "init_declarator" else parts[-1]
        node = inner
    adds += "".join(f"[{size}]" for size in reversed(sizes[:-1]))
    return Declared(node, adds, sizes[-1] if sizes else "", prototype)


def type_text(parsed: Parsed, node: Node) -> str:
    """A declaration's type with its qualifiers, without storage class and declarators; of a
    structure that is defined there its name."""
    words = []
    for child in named(node):
        if child.type == "type_qualifier":
            words.append(parsed.text(child))
        elif child == node.child_by_field_name("type"):
            body = child.child_by_field_name("body")
            end = body.start_byte if body is not None else child.end_byte
            words.append(parsed.data[child.start_byte : end].decode("utf-8", "replace"))
    return normal(" ".join(word for word in words if word not in ("constexpr", "constinit")))


def function_name(parsed: Parsed, node: Node) -> str:
    """A function's own name, without the types that hold it but for those it names itself."""
    name = node.child_by_field_name("name")
    if name is None:
        declarator = node.child_by_field_name("declarator")
        if declarator is None:
            return ""
        found = declared(parsed, declarator)
        return normal(parsed.text(found.name)) if found is not None and found.prototype else ""
    text = normal(parsed.text(name))
    receiver = node.child_by_field_name("receiver")
    if parsed.language == GO and receiver is not None:
        for part in named(receiver):
            type_ = part.child_by_field_name("type")
            if type_ is not None:
                holder = normal(parsed.text(type_)).lstrip("*").partition("[")[0]
                return f"{holder}.{text}"
    return text


def holder_name(parsed: Parsed, node: Node) -> str:
    """The name of a type, a namespace, or what is implemented, without type arguments; of
    a structure that only a ``typedef`` names that name."""
    name = node.child_by_field_name("name") or node.child_by_field_name("type")
    if name is None and node.parent is not None and node.parent.type == "type_definition":
        name = node.parent.child_by_field_name("declarator")
    text = normal(parsed.text(name)).partition("<")[0] if name is not None else ""
    return text.lstrip("&*").removeprefix("mut ").removeprefix("dyn ")


def parameters(node: Node) -> list[Node]:
    """The parameters of a function or closure."""
    holder = node.child_by_field_name("parameters")
    declarator = node.child_by_field_name("declarator")
    while holder is None and declarator is not None:
        holder = declarator.child_by_field_name("parameters")
        declarator = declarator.child_by_field_name("declarator") or next(
            iter(named(declarator) if holder is None else []), None
        )
    return named(holder) if holder is not None else []


_PATHS = {
    "field_expression": ("argument", "field"), "selector_expression": ("operand", "field"),
    "member_access_expression": ("expression", "name"),
    "conditional_access_expression": ("condition", ""), "member_binding_expression": ("", "name"),
    "generic_function": ("", "function"), "qualified_identifier": ("", "name"),
    "scoped_identifier": ("", "name"), "dependent_name": ("", ""),
}  # fmt: skip
"""What a callee may be but a name: the parts that say what it is called on, and its last name."""


class Call(NamedTuple):
    """``receiver`` is what a method is called on; ``method`` where it is called by name."""

    callee: str
    name: Node
    receiver: str
    arguments: tuple[Node, ...]


def arguments(holder: Node) -> tuple[Node, ...]:
    """What is given; of C#'s named arguments the values."""
    parts = ((part, named(part)) for part in named(holder))
    return tuple(inner[-1] if part.type == "argument" and inner else part for part, inner in parts)


def call_of(parsed: Parsed, node: Node) -> Call | None:
    """A call's parts; None where it is none, or calls what is computed in place."""
    function = node.child_by_field_name("function")
    holder = node.child_by_field_name("arguments")
    if function is None or holder is None:
        return None
    name, receiver = function, ""
    while name.type in _PATHS:
        object_, last = _PATHS[name.type]
        if object_ == "argument" and parsed.language == RUST:
            object_ = "value"
        holder_ = name.child_by_field_name(object_) if object_ else None
        if holder_ is not None and not receiver:
            receiver = normal(parsed.text(holder_))
        parts = named(name)
        inner = name.child_by_field_name(last) if last else parts[-1] if parts else None
        if inner is None:
            break
        name = inner
    return Call(normal(parsed.text(function)), name, receiver, arguments(holder))


@lru_cache(maxsize=4096)
def plain_callee(callee: str) -> str:
    """A callee without ``std::`` and the like and without type arguments."""
    path = callee.removeprefix("::")
    for prefix in ("std::", "core::", "alloc::", "System.Runtime.InteropServices.", "this->"):
        if path.count("::") != 1 or prefix == "std::":
            path = path.removeprefix(prefix)
    if "<" in path:
        depth, kept = 0, ""
        for sign in path:
            depth += (sign == "<") - (sign == ">")
            kept += sign if not depth and sign != ">" else ""
        path = kept.replace("::::", "::").removesuffix("::")
    parts = path.split("::")
    return "::".join(parts[-2:]) if len(parts) > 2 else path


def member(expression: str) -> str:
    """``len`` of ``q->len`` and of ``this->q[3].len``; "" of a bare name."""
    name = last_name(expression)
    head = expression[: len(expression) - len(name)] if name else ""
    return name if head.endswith(("->", ".")) else ""
