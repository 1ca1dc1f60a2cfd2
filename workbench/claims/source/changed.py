"""What parts of the source may set, and which lines run together."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from workbench.claims.source import names, shapes
from workbench.claims.source.order import around
from workbench.claims.source.parse import Parsed
from workbench.claims.source.text import CPP, SourceText, normal, words
from workbench.claims.values import NULL, number

LEAVES = words("return_statement break_statement continue_statement goto_statement "
                "throw_statement co_return_statement return_expression break_expression "
                "continue_expression")  # fmt: skip
"""Statements behind which the next one does not run."""
_READS = words(
    "strcmp strncmp strcasecmp strlen memcmp printf fprintf puts fputs snprintf sizeof abs isdigit "
    "isspace isalpha isalnum tolower toupper assert std::strcmp std::strlen std::printf strchr "
    "strrchr strstr strspn strcspn strpbrk strnlen memchr atoi atol atoll atof strdup strndup "
    "putchar fputc getenv clock"
)
"""Functions of C's library that change nothing of what they are led to; snprintf what it prints to
alone."""
_PRINTS = words("print println eprint eprintln format write writeln vec assert assert_eq assert_ne")
"""Macros of Rust's library behind which the next statement runs, if anything does."""
_OWN = words("this self")
_NAMES = re.compile(r"[A-Za-z_]\w*")
_PARTS = re.compile(r"(?:(?<=->)|(?<=\.))\w+|[A-Za-z_]\w*(?=\[)")
"""Members, and arrays of which an element is named."""
_DECLARES = words("parameter_declaration optional_parameter_declaration declaration parameter "
                  "for_range_loop let_declaration")  # fmt: skip
_SETS = {"assignment_expression": "left", "init_declarator": "declarator",
         "update_expression": "argument", "pointer_expression": "argument",
         "compound_assignment_expr": "left", "let_declaration": "pattern",
         "reference_expression": "value"}  # fmt: skip


class Known(NamedTuple):
    """Functions that the program defines, which are no library's of that name; those of them that
    never return."""

    own: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()

    def is_end(self, callee: str) -> bool:
        """True for the name of a function that does not return."""
        return callee in self.ends or callee in names.NO_RETURN - self.own


NOTHING = Known()


class View(NamedTuple):
    """A parsed listing with what a function of it calls its own: parameters and variables of which
    nothing has the address."""

    tree: Parsed
    local: frozenset[str]
    known: Known

    @property
    def language(self) -> str:
        """The language that it is parsed as."""
        return self.tree.language

    def text(self, node: Node) -> str:
        """What a node spans."""
        return self.tree.text(node)


def view_of(tree: Parsed, inside: Node, known: Known) -> View:
    """The view of the function that a node stands in."""
    function: Node | None = inside
    while function is not None and function.type not in shapes.FUNCTIONS:
        function = function.parent
    declared, taken = set[str](), set[str]()
    for one in nodes(function) if function is not None else ():
        if one.type in _DECLARES and not tree.text(one).startswith("static"):
            for name in (
                *one.children_by_field_name("declarator"),
                one.child_by_field_name("pattern"),
            ):
                inner = name
                while inner is not None and inner.type not in (
                    "identifier",
                    "reference_declarator",
                ):
                    inner = inner.child_by_field_name("declarator")
                declared.add(tree.text(inner) if inner is not None else "")
        elif one.type in ("pointer_expression", "reference_expression"):
            place = one.child_by_field_name("argument") or one.child_by_field_name("value")
            sign = one.child_by_field_name("operator")
            if place is not None and (sign is None or sign.type == "&"):
                taken.add(tree.text(place))
        elif one.type == "lambda_capture_specifier" and "&" in tree.text(one):
            return View(tree, frozenset(), known)
    return View(tree, frozenset(declared - taken), known)


class Changed:
    """What parts of the source may set: by an assignment to a name or through a pointer, by a call
    that is given its place; of what lies in memory by any call that does more than read."""

    def __init__(self, tree: View, parts: Iterable[Node] = ()) -> None:
        self._tree = tree
        self._memory = self._through = False
        self._names, self._last = set[str](), set[str]()  # what is set; and the end of its path
        self._led = set[str]()  # local variables of which what they lead to is
        for part in parts:
            self.add(part)

    def add(self, node: Node) -> None:
        """Take what a part of the source may set."""
        for one in nodes(node):
            if one.type == "call_expression":
                self._call(one)
            place = one.child_by_field_name(_SETS[one.type]) if one.type in _SETS else None
            sign = one.child_by_field_name("operator")
            taken = one.type == "pointer_expression"
            if place is not None and not (taken and (sign is None or sign.type != "&")):
                self._set(place, through=not taken and one.type != "init_declarator")

    def _set(self, place: Node, *, through: bool) -> None:
        target = normal(self._tree.text(place))
        self._through |= target[:1] == "*" and through
        self._names.add(target.lstrip("*&("))
        self._last.update(_NAMES.findall(target.partition("[")[0])[-1:])

    def _call(self, call: Node) -> None:
        callee, given = (call.child_by_field_name(name) for name in ("function", "arguments"))
        name = self._tree.text(callee) if callee is not None else ""
        for target in shapes.named(given)[:1] if name == "snprintf" and given is not None else ():
            if self._tree.text(target) in self._tree.local:
                self._led.add(self._tree.text(target))
            else:
                self._set(target, through=True)
        if name not in _READS - self._tree.known.own:
            self._memory = True
            if self._tree.language == CPP or name.isupper():  # by a reference, by a macro
                parts = shapes.named(given) if given is not None else []
                self._names.update(normal(self._tree.text(part)) for part in parts)

    def may(self, text: str) -> bool:
        """True where an expression, or what it is reached through, may be set."""
        return number(text) is None and (
            self._through
            or (self._memory and not (text in self._tree.local | NULL or text.isupper()))
            or not (self._names | (self._led - {text})).isdisjoint(_NAMES.findall(text))
            or not self._last.isdisjoint(_PARTS.findall(text))
        )


def nodes(node: Node, *, every: bool = False) -> Iterator[Node]:
    """A part of the source and all that it is made of, without the signs in it, or with them."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        waiting += one.children if every else one.named_children
        yield one


def run_together(
    source: SourceText, first: int, second: int, name: str, known: Known, *, calls: bool = False
) -> bool:
    """True where either of two lines runs with the other, in one list of statements that nothing
    leaves in between, and a name is the same for both. ``calls``: also where other functions run in
    between, which come back if they return at all."""
    found = [around(source, line) for line in sorted((first, second))]
    if not all(one is not None and one[1] for one in found):
        return False
    (tree, path), (_, other) = (one for one in found if one is not None)
    (holder, start, one), (second_holder, end, two) = path[-1], other[-1]
    if holder != second_holder or holder == one or any(
        part.type == "labeled_statement" for part in shapes.named(holder)[start + 1 : end + 1]
    ):  # fmt: skip
        return False
    between, view = shapes.named(holder)[start : end + 1], view_of(tree, holder, known)
    last = shapes.named(two) if two.type == "return_statement" else [two]
    return (
        one.type == "expression_statement"
        and (last != [two] or two.type == one.type)
        and not (
            (name not in _OWN and Changed(view, between[:-1]).may(name))
            or any(
                _may_go(view, part, calls=calls) for part in (*between[1:-1], *last * (one != two))
            )
        )
    )


def _may_go(tree: View, part: Node, *, calls: bool) -> bool:
    """True for what may leave, and for other functions of the program: but for ``calls``, for those
    that do not return."""
    callees = [one.child_by_field_name("function") for one in nodes(part)]
    macros = [one.child_by_field_name("macro") for one in nodes(part)]
    kept = (_READS | {"free"}) - tree.known.own
    return any(one.type in LEAVES or one.type == "try_expression" for one in nodes(part)) or any(
        tree.known.is_end(tree.text(one)) if calls else tree.text(one) not in kept
        for one in callees if one is not None and not tree.text(one).startswith("static_cast<")
    ) or any(tree.text(one) not in _PRINTS for one in macros if one is not None)  # fmt: skip
