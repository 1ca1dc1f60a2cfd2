"""What declares and what assigns."""

import re

from tree_sitter import Node

from workbench.claims.source import names, shapes
from workbench.claims.source.calls import called
from workbench.claims.source.control import condition
from workbench.claims.source.names import bits_of
from workbench.claims.source.reader import Handler, Inner, Reader, Scope
from workbench.claims.source.text import C_SHARP, CPP, FILE_SCOPE, C, normal


def _assignment(reader: Reader, node: Node, scope: Scope) -> Inner:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return None
    sign = node.child_by_field_name("operator")
    operator = reader.text(sign) if sign is not None else "="
    if operator == "=" and (reader.language == CPP or left.type == "field_expression"):
        reader.released.append((scope, left, operator, normal(reader.text(left))))
    return _pairs(reader, scope, left, operator.replace(":=", "="), right)


def _pairs(reader: Reader, scope: Scope, left: Node, operator: str, right: Node) -> Inner:
    """One target or several; several of one value have all of it."""
    several = ("expression_list", "tuple_pattern", "tuple_expression")
    if left.type not in several:
        return reader.assign(scope, left, operator, right)
    targets = shapes.named(left)
    values = shapes.named(right) if right.type in several else [right]
    inner: list[tuple[Node, Scope]] = []
    for index, target in enumerate(targets):
        value = values[index] if len(values) == len(targets) else right
        parts = reader.assign(scope, target, operator, value)
        inner += parts if index == 0 or value is not right else parts[:1]
    return inner


def _update(reader: Reader, node: Node, scope: Scope) -> Inner:
    operator = next((c.type for c in node.children if c.type in ("++", "--")), "")
    parts = shapes.named(node)
    return reader.assign(scope, parts[-1], operator, None) if operator and parts else None


def _declaration(reader: Reader, node: Node, scope: Scope) -> Inner:
    type_ = shapes.type_text(reader.parsed, node)
    inner: list[tuple[Node, Scope]] = []
    for declarator in node.children_by_field_name("declarator"):
        found = shapes.declared(reader.parsed, declarator)
        local = scope.function != FILE_SCOPE
        value = declarator.child_by_field_name("value") or node.child_by_field_name("value")
        made = reader.language == CPP and local and value is None
        if found is None or (found.prototype is not None and not made):
            if found is not None:
                reader.emit("prototypes", scope, found.name, name=found.name)
            continue
        reader.declare(scope, found.name, type_ + found.adds, found.size)
        made = made or (value is not None and value.type == "argument_list") or (
            reader.language == CPP and local and all(c.type != "=" for c in declarator.children)
        )  # fmt: skip
        if made and not found.adds:
            _constructed(reader, scope, node, type_, value or found.prototype)
        if value is None:
            inner += [(part, scope) for part in shapes.named(declarator) if part != found.name]
        elif value.type == "argument_list":
            inner.append((value, scope))
        else:
            inner += reader.assign(scope, found.name, "=", value)[1:]
    inner += [(t, scope) for t in node.children_by_field_name("type")]
    return inner


def _constructed(reader: Reader, scope: Scope, node: Node, type_: str, holder: Node | None) -> None:
    """A constructor's call, which the grammar may take for a prototype."""
    place = node.child_by_field_name("type")
    if holder is not None and holder.type == "function_declarator":
        holder = holder.child_by_field_name("parameters")
    if place is not None and holder is not None and not bits_of(type_, CPP):
        called(reader, scope, place, holder, type_, tuple(shapes.named(holder)))


def _alias(reader: Reader, node: Node, scope: Scope) -> Inner:
    """``typedef``: another name of a type."""
    type_ = shapes.type_text(reader.parsed, node)
    for declarator in node.children_by_field_name("declarator"):
        found = shapes.declared(reader.parsed, declarator)
        if found is not None and found.prototype is None and type_ not in (
            "struct", "union", "enum"
        ):  # fmt: skip
            reader.emit("aliases", scope, found.name, name=found.name, type=type_ + found.adds)
    return None


def _named(reader: Reader, node: Node, scope: Scope) -> Inner:
    """``using`` of C++ that names a type."""
    name, type_ = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is not None and type_ is not None:
        reader.emit("aliases", scope, name, name=name, type=type_)
    return None


def _field(reader: Reader, node: Node, scope: Scope) -> Inner:
    of = scope.owner[-1] if scope.owner else "(unnamed)"
    if reader.language in (C, CPP):
        type_, inner = shapes.type_text(reader.parsed, node), list[tuple[Node, Scope]]()
        fields = [(node.field_name_for_child(at), one) for at, one in enumerate(node.children)]
        for at, (field, declarator) in enumerate(fields):
            if field != "declarator":
                continue
            found = shapes.declared(reader.parsed, declarator)
            if found is not None and found.prototype is not None:
                reader.emit("prototypes", scope, found.name, name=found.name)
            elif found is not None:
                reader.declare(scope, found.name, type_ + found.adds, found.size, of)
                value = next(
                    (one for kind, one in fields[at:][1:3] if kind == "default_value"), None
                )
                if value is not None:
                    begin = scope._replace(function=FILE_SCOPE)
                    inner += reader.assign(begin, found.name, "=", value)
        return inner or None
    elif reader.language != C_SHARP:
        type_node = node.child_by_field_name("type")
        for name in node.children_by_field_name("name"):
            reader.declare(scope, name, *reader.typed(type_node), of)
    return None


def _bases(reader: Reader, node: Node, scope: Scope) -> Inner:
    """What a class of C++ derives from: parts of its objects without a name of their own."""
    for base in shapes.named(node) if scope.owner else ():
        if base.type in ("type_identifier", "qualified_identifier", "template_type"):
            reader.emit("declares", scope._replace(function=FILE_SCOPE), base, None, name=base,
                        type=base, size="", of=scope.owner[-1], base=1)  # fmt: skip
    return None


def _variables(reader: Reader, node: Node, scope: Scope) -> Inner:
    """C#'s and Go's: several names of one type."""
    type_node = node.child_by_field_name("type")
    type_ = reader.typed(type_node)
    if type_[0] == "var":
        type_ = ("", "")
    if node.type in ("var_spec", "const_spec"):
        found = node.children_by_field_name("name")
        value = node.child_by_field_name("value")
        for name in found:
            reader.declare(scope, name, *type_)
        values = shapes.named(value) if value is not None else []
        inner = []
        for index, name in enumerate(found):
            if len(values) == len(found):
                inner += reader.assign(scope, name, "=", values[index])[1:]
            elif value is not None:
                inner += reader.assign(scope, name, "=", value)[1 : 2 if not index else 1]
        return inner
    inner = []
    of = scope.owner[-1] if scope.function == "" and scope.owner else ""
    for part in shapes.named(node):
        own = part.child_by_field_name("name")
        if part.type == "variable_declarator" and own is not None:
            reader.declare(scope, own, *type_, of)
            value = shapes.named(part)[-1]
            if value != own:
                at = scope._replace(function=FILE_SCOPE) if of else scope
                inner += reader.assign(at, own, "=", value)[1:]
    return inner


def _let(reader: Reader, node: Node, scope: Scope) -> Inner:
    pattern = node.child_by_field_name("pattern") or node.child_by_field_name("name")
    value = node.child_by_field_name("value")
    if pattern is None:
        return None
    if node.type != "let_condition" and pattern.type == "identifier":
        type_ = node.child_by_field_name("type")
        if type_ is None and value is not None and value.type == "struct_expression":
            type_ = value.child_by_field_name("name")
        reader.declare(scope, pattern, *reader.typed(type_))
    inner = _pairs(reader, scope, pattern, "=", value) if value is not None else []
    other = node.child_by_field_name("alternative")
    return [*(inner or []), *([(other, scope)] if other is not None else [])]


def _short(reader: Reader, node: Node, scope: Scope) -> Inner:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return None
    for name in shapes.named(left):
        reader.declare(scope, name, "")
    one = shapes.named(left), shapes.named(right)
    if len(one[0]) == len(one[1]) == 1:
        left, right = one[0][0], one[1][0]
    return _pairs(reader, scope, left, "=", right)


def _literal_part(reader: Reader, node: Node, scope: Scope) -> Inner:
    """A member that a literal names: ``.n = 3``, ``n: 3``; and one of a constructor's list."""
    parts = shapes.named(node)
    if len(parts) < 2 and node.type != "shorthand_field_initializer":
        return None
    name, value = parts[0], parts[-1]  # of ``S { len }`` the same
    text = normal(reader.text(name))
    if node.type == "field_initializer" and reader.language == CPP:
        if value.type == "argument_list" and len(shapes.named(value)) == 1:
            value = shapes.named(value)[0]
        reader.emit("assigns", scope, name, target=text, operator="=", expression=value)
        return [(value, scope._replace(target=text))]
    if node.type == "keyed_element":
        if not text.isidentifier():
            return None
        value = shapes.named(value)[0] if shapes.named(value) else value
    if node.type == "initializer_pair":
        text = text.removeprefix(".") if text.startswith(".") else text
    target = f"{scope.target}{'' if text.startswith('[') else '.'}{text}"
    reader.emit("assigns", scope, name, target=target, operator="=", expression=value)
    return [(value, scope._replace(target=target))]


def _initializer(reader: Reader, node: Node, scope: Scope) -> Inner:
    """C#'s members of a new object."""
    inner: list[tuple[Node, Scope]] = []
    for part in shapes.named(node):
        left, right = part.child_by_field_name("left"), part.child_by_field_name("right")
        if part.type != "assignment_expression" or left is None or right is None:
            inner.append((part, scope._replace(target="")))
            continue
        target = f"{scope.target}.{normal(reader.text(left))}"
        reader.emit("assigns", scope, left, target=target, operator="=", expression=right)
        inner.append((right, scope._replace(target=target)))
    return inner


def _element(reader: Reader, node: Node, scope: Scope) -> Inner:
    """The variable of a loop over elements."""
    declarator = node.child_by_field_name("declarator")
    left = node.child_by_field_name("left")
    if declarator is not None:
        found = shapes.declared(reader.parsed, declarator)
        if found is not None:
            reader.declare(scope, found.name, shapes.type_text(reader.parsed, node) + found.adds)
    elif left is not None and left.type == "identifier":
        type_ = reader.typed(node.child_by_field_name("type"))[0]
        reader.declare(scope, left, "" if type_ == "var" else type_)
    return condition(reader, node, scope)


def _property(reader: Reader, node: Node, scope: Scope) -> Inner:
    name = node.child_by_field_name("name")
    of = scope.owner[-2] if len(scope.owner) > 1 else "(unnamed)"
    if name is not None:
        reader.declare(scope, name, *reader.typed(node.child_by_field_name("type")), of)
    return None


def add_released(reader: Reader) -> None:
    """A row for each call of a method, or assignment, that gives back what its object owns."""
    known = names.RELEASES[reader.language]
    for scope, place, how, receiver in reader.released:
        types = reader.types_of(scope, receiver) or {""}
        if how in known and any(re.search(known[how], type_) for type_ in types):
            callee = f"{receiver}.{how}" if how != "=" else how
            reader.emit("frees", scope, place, callee=callee, expression=receiver)


HANDLERS: dict[str, Handler] = {
    "assignment_expression": _assignment, "assignment_statement": _assignment,
    "compound_assignment_expr": _assignment, "update_expression": _update,
    "postfix_unary_expression": _update, "prefix_unary_expression": _update,
    "inc_statement": _update, "dec_statement": _update, "declaration": _declaration,
    "field_declaration": _field, "base_class_clause": _bases, "type_definition": _alias,
    "alias_declaration": _named, "variable_declaration": _variables, "var_spec": _variables,
    "const_spec": _variables, "let_declaration": _let, "let_condition": _let, "static_item": _let,
    "const_item": _let, "short_var_declaration": _short, "for_range_loop": _element,
    "foreach_statement": _element, "property_declaration": _property,
    "initializer_pair": _literal_part, "field_initializer": _literal_part,
    "shorthand_field_initializer": _literal_part, "initializer_expression": _initializer,
    "keyed_element": _literal_part,
}  # fmt: skip
