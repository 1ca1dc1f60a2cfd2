"""A root cause is a chain: verified statements from the fault back to an origin, in which what one
hands on is what the next one takes over (`kinds`: ``<`` and ``>``)."""

import functools
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from workbench.claims.kinds import KINDS
from workbench.claims.values import NULL, number, plain_name, scalar
from workbench.model.claims import Claim


def words(text: str) -> frozenset[str]:
    """A table of words. Where a word stands for a kind, ``kind.argument`` is one of that kind that
    has the argument."""
    return frozenset(text.split())


FAULT = words("access fault_address transfer raised message exception finding waits cycle repeats "
              "signal stack loop bugcheck register.slot headers.chunk role.signal")  # fmt: skip
"""With what a chain may begin: what failed."""
ENDS = words("message exception raised signal")
"""How a process says that it ended itself: where, its frames tell."""
_STANDS = words("waits loop") | ENDS
"""What a thread is at: any frame of its stack may tell why."""
_AROUND = words("loops under_lock")
_PLACED = words("frame assigns calls returns frees allocates compares loops converts")
"""Kinds of one line of a function."""
_COPIES = words(
    "memcpy memmove strcpy strncpy strcat strncat sprintf vsprintf snprintf stpcpy wcscpy bcopy "
    "memset gets fgets read recv fread pread scanf sscanf copy_nonoverlapping std::copy"
)
_CLEARS = words(
    "memset bzero explicit_bzero clear reset release take replace swap std::exchange "
    "drain truncate pop remove swap_remove split_off retain dedup pop_front pop_back"
)
UNMAPS = words(
    "munmap mremap mprotect shmdt ftruncate truncate madvise VirtualFree UnmapViewOfFile"
)


class Shown(NamedTuple):
    """How a kind of origin is shown: kinds of the last link, the functions that a call must be of,
    whether an assignment must be of null; and the categories that it may be the root of."""

    kinds: frozenset[str]
    categories: frozenset[str]
    callees: frozenset[str] = frozenset()
    null: bool = False


def _shown(
    kinds: str, categories: str, callees: frozenset[str] = frozenset(), **more: bool
) -> Shown:
    return Shown(words(kinds), words(categories), callees, **more)


_OVERFLOWS = (
    "heap-buffer-overflow stack-buffer-overflow buffer-overflow out-of-bounds-write "
    "corrupted-pointer"
)
OVERFLOWS = words(_OVERFLOWS)
_NULLS = "null-pointer-dereference null-function-pointer-call"
_CHECKS = "assertion-failure explicit-abort panic uncaught-exception std-terminate"
CHECKS = words(_CHECKS)
"""Categories of a process that ended itself for what it found."""
SHOWN_BY = {
    "freed": _shown("frees", "use-after-free double-free invalid-free"),
    "released-early": _shown("frees", "use-after-free double-free data-race"),
    "written": _shown("assigns calls", f"{_OVERFLOWS} type-confusion data-race {_CHECKS}", _COPIES),
    "truncated": _shown("converts", f"{_OVERFLOWS} integer-overflow divide-by-zero panic"),
    "computed": _shown("assigns returns loops compares",
                       f"{_OVERFLOWS} out-of-bounds-read integer-overflow divide-by-zero "
                       f"infinite-loop wild-pointer {_CHECKS}"),
    "cleared": _shown("assigns calls returns",
                      f"{_NULLS} divide-by-zero uninitialized-value {_CHECKS}", _CLEARS, null=True),
    "never-set": _shown("never_sets unset", f"uninitialized-pointer uninitialized-value {_NULLS}"),
    "allocated-too-small": _shown("allocates declares.size", f"{_OVERFLOWS} integer-overflow"),
    "unmapped": _shown("calls frees", "use-after-free truncated-mapping bus-error wild-pointer",
                       UNMAPS),
    "returned": _shown("returns returned_by", f"{_NULLS} unchecked-allocation divide-by-zero "
                       "out-of-bounds-read panic"),
    "passed-wrong": _shown("calls.expression", f"{_OVERFLOWS} {_NULLS} integer-overflow "
                           "out-of-bounds-read invalid-free mismatched-deallocation use-after-free "
                           "type-confusion divide-by-zero"),
    "locked": _shown("under_lock", "deadlock"),
    "looped": _shown("loops", "infinite-loop high-cpu"),
    "recursed": _shown("calls", "stack-overflow"),
}  # fmt: skip
"""The kinds of origins, and what shows each."""
_OBJECT = re.compile(r"(?:^|\.|->)[\w:]+$")
"""The method at the end of a callee: what is in front of it is what it is called on."""
_COPY = re.compile(r"[&*]*[A-Za-z_][\w.:>\[\]-]*")
"""An expression that is a place: what is assigned has its value or its address."""
_LEADS = re.compile(rf"({_COPY.pattern})\s*\+.*")
"""What leads on from a place: ``ring->cells + n``."""
_FUNCTION = re.compile(r"~?[A-Za-z_][\w:~<>, *&]*")
_NAME = re.compile(r"[A-Za-z_]\w*")
_LEAST = 256
"""Smaller numbers are the same by chance: what they count links by its name."""
_NEAR = 0x10000
"""No memory is mapped below (proc(5), vm.mmap_min_addr)."""
_PAGE = 0x1000
_BLOCKS = (16, 32, 64)
"""Bytes that a string function of libc reads at once."""
_MOST_WAYS = 400
"""Beginnings of chains that are followed."""
_MOST_TOLD = 4
_BRACKETS = re.compile(r"\[[^\[\]]*\]")
_CALLING = {"caller": ("function",), "calls": ("callee", "expression"),
            "assigns": ("expression",), "returns": ("expression",)}  # fmt: skip
"""Where a statement names what is called."""
_CALLED = re.compile(r"(?<=\w)\([^()]*\)")
_CAST = re.compile(r"(?<![\w)\]])\((?:const |unsigned |struct )*[A-Za-z_]\w*[\s*]*\)(?=\s*[\w(])")
_GROUPED = re.compile(r"(?<!\w)\(([^()]*)\)")
_TESTS = re.compile(r"[!=<>]=|&&|\|\||(?<![-<])<(?!<)|(?<![->])>(?!>)|!")
_SUM = re.compile(r"[\w)\]]\s*(?:[+/%&|^*]|-(?!>)|<<|>>)\s*[\w(~-]")
_PART = re.compile(r"\*|\]|->|\.")
"""A store into memory, not into a variable."""
_MEMBER = r"\(?\w+(?:(?:->|\.)\w+)+\)?"
_HELD = re.compile(
    rf"(?:<|(?<!-)>)=?\s*{_MEMBER}$|(?:^|[\s(!&|]){_MEMBER}\s*(?<!-)>=?\s*\(?[A-Za-z_]\w*\)?$"
)
"""A comparison whose bound is a member, which another line made what it is; on the left, of what
counts up to it."""
_LITERAL = re.compile(r"(?<![\w.])\d")

End = int | str | tuple[str | None, str | int]
"""A number, a field, or a variable or a line with its function (None: of no function in
particular)."""


class Break(Struct, frozen=True):
    """Where a chain does not hold: between which links, and why."""

    link: int
    reason: str


def breaks(chain: Sequence[Claim], *, met: bool = False) -> tuple[Break, ...]:
    """What keeps statements from being a chain; empty where they are one, from what failed to
    something that code did. ``met``: that the last one was done to the object that those before it
    name is proved by other means than what they share."""
    if not chain:
        return (Break(0, "it has no links"),)
    found = [
        Break(at, f"{claim.id or claim.kind} is {claim.status}: {claim.reason}")
        for at, claim in enumerate(chain)
        if not claim.holds
    ]
    if not _fails(chain[0]):
        found.append(Break(0, f"it begins with {chain[0].kind}, which is not what failed"))
    found += [
        Break(at, f"nothing that {left.id or left.kind} states is what {right.id or right.kind} "
              f"begins with: state what leads from {_told(left, gives=True)} to "
              f"{_told(right, gives=False)}")
        for at, (left, right) in enumerate(itertools.pairwise(chain), 1)
        if not (linked(left, right) or (met and at == len(chain) - 1))
    ]  # fmt: skip
    found += [
        Break(at, f"{link.id or link.kind} is reached by one of its names and left by another")
        for at, (left, link, right) in enumerate(zip(chain, chain[1:], chain[2:], strict=False), 1)
        if not _leads(left, link, right)
    ]
    found += [
        Break(at, f"{right.id or right.kind} is of {right.get('function')}, which it came out of")
        for at, (left, link, right) in enumerate(zip(chain, chain[1:], chain[2:], strict=False), 2)
        if link.kind in _CALLING and _own(left) == _own(right) != _own(link)
        and any(same_function(one, other) for one in _own(left) for other in _calls(link))
    ]  # fmt: skip
    return tuple(found)


def way(start: Claim, goal: Claim, between: Sequence[Claim]) -> tuple[Claim, ...]:
    """The shortest chain from what failed to a statement, over others; empty where none leads
    there."""
    begun: list[tuple[Claim, ...]] = [(start,)]
    left = [one for one in (*between, goal) if one != start]
    for links in begun:
        if links[-1] == goal:
            return links
        for one in [one for one in left if linked(links[-1], one)]:
            left.remove(one)
            begun.append((*links, one))
    return ()


def onward(stated: Sequence[Claim]) -> dict[Claim, list[Claim]]:
    """Which of some statements may follow each verified one of them in a chain."""
    held = [one for one in dict.fromkeys(stated) if one.holds]
    return {one: [two for two in held if two != one and linked(one, two)] for one in held}


def ways(goal: Claim, follow: Mapping[Claim, Sequence[Claim]]) -> Iterator[tuple[Claim, ...]]:
    """The chains that verified statements make from what failed to one of them, those of the
    fewest first, by what may ``follow`` each: in which order, and with what beside, they were told
    says nothing of them."""
    begun: list[tuple[Claim, ...]] = [(one,) for one in follow if one != goal and _fails(one)]
    for links in itertools.islice(begun, _MOST_WAYS):
        for one in follow[links[-1]]:
            if one == goal and not breaks((*links, one)):
                yield (*links, one)
            elif one != goal and one not in links:
                begun.append((*links, one))


def _fails(claim: Claim) -> bool:
    return _among(claim, FAULT)


def _among(claim: Claim, table: frozenset[str]) -> bool:
    """True for one of the kinds of a table of words."""
    return claim.kind in table or any(f"{claim.kind}.{arg.name}" in table for arg in claim.args)


def shared(left: Claim, right: Claim) -> frozenset[End]:
    """The numbers, fields, variables and lines that one hands on and the other takes over."""
    return _ends(left, gives=True) & _ends(right, gives=False)


@functools.lru_cache(maxsize=1 << 14)
def linked(left: Claim, right: Claim, without: frozenset[str] = frozenset()) -> bool:
    """True where the two share what the kinds' links carry: a number, a field (but those
    ``without`` which), a variable of the same function, a member of a class that one declares, a
    frame's line; where one is of a call whose function the other is of; where what failed is
    followed by the frame that it failed in, a message by a comparison that it quotes, what a thread
    is at by a frame of its stack, and a frame by the loop or the lock around its line."""
    if right.kind == "frame" and (
        left.kind in _STANDS or (_fails(left) and right.get("index") == 0)
    ):
        of = {left.get("thread"), left.get("owner")} - {None}
        told = right.get("thread") is not None
        return right.get("thread") in of or (left.kind in _STANDS and not (of and told))
    if left.kind == "message" and right.kind == "compares":
        tested = "".join(str(right.get(name)) for name in ("left", "operator", "right"))
        words = r"\s*".join(map(re.escape, "".join(tested.split())))
        return re.search(rf"(?<![\w.>]){words}(?![\w.(\[]|->)", str(left.get("text"))) is not None
    if (left.kind == "frame" and right.kind in _AROUND) or left.kind == "repeats":
        return _stands_in(left, right)
    if left.kind == "frame" and right.kind == "compares" and _is_in_front(left, right):
        return True
    if right.kind == "value" and _fails_by(left, right):
        return True
    if left.kind == "access" and _begins_a_block(left, right):
        return True
    one, other = (
        {end for end in _ends(claim, gives=gives) if (end[1] if isinstance(end, tuple)
         and str(end[0]).endswith("::") else end) not in without}
        for claim, gives in ((left, True), (right, False))
    )  # fmt: skip
    if one & other or _is_member(left, other) or _is_member(right, one):
        return True
    if any(same_function(a, b) for a in _calls(left) for b in _own(right)) or any(
        same_function(a, b) for a in _own(left) for b in _calls(right)
    ):
        return True
    return any(
        a[1] == b[1]
        and (
            a[0] is None
            or b[0] is None
            or a[0] == b[0]
            or (isinstance(a[1], int) and same_function(a[0], b[0]))
        )
        for a in one
        for b in other
        if isinstance(a, tuple) and isinstance(b, tuple)
    )


def _fails_by(left: Claim, value: Claim) -> bool:
    """True for a value of the frame that failed, for null where the access was as near to it as a
    member or an element is, and for a divisor's."""
    if left.kind == "frame":
        return left.get("index") == 0 and any(
            same_function(one, other) for one in _own(left) for other in _own(value)
        )
    address = left.get({"access": "address", "transfer": "pc"}.get(left.kind, ""))
    held, divisor = value.get("value"), left.get("divisor")
    if left.kind == "access" and divisor is not None and held is not None:
        return scalar(str(held)) == number(divisor) == 0
    at = number(address) if address is not None else None
    return at is not None and at < _NEAR and held is not None and scalar(str(held)) == 0


def _begins_a_block(access: Claim, right: Claim) -> bool:
    """True where a string function read the aligned block that a pointer is in: what it would read
    from the pointer on leaves its page (glibc, sysdeps/x86_64/multiarch/strlen-evex-base.S)."""
    read = number(access.get("address") or "")
    return any(
        isinstance(end, int) and end % _PAGE > _PAGE - max(_BLOCKS)
        and read in {end & -block for block in _BLOCKS}
        for end in _ends(right, gives=False)
    )  # fmt: skip


def _is_in_front(frame: Claim, test: Claim) -> bool:
    """True for a comparison of a frame's function that does not stand behind its line."""
    line, at = frame.get("line"), test.get("at")
    return isinstance(line, int) and (not isinstance(at, int) or at <= line) and any(
        same_function(one, other) for one in _own(frame) for other in _own(test)
    )  # fmt: skip


def _stands_in(left: Claim, right: Claim) -> bool:
    """True for what is around the line of a frame, and for a call by what is on the stack."""
    line, first, last = left.get("line"), right.get("at"), right.get("to")
    inside = isinstance(first, int) and isinstance(line, int) and (
        first <= line <= (last if isinstance(last, int) else first)
    )  # fmt: skip
    return (inside or left.kind == "repeats") and any(
        same_function(one, other) for one in _own(left) for other in _own(right)
    )


def _leads(left: Claim, link: Claim, right: Claim) -> bool:
    """False for a call to which a chain comes by one of its arguments, and which it leaves by
    another: each may be followed into the function, or to where it came from, and none is made of
    the other, but what a copy writes of what it copies and how much."""
    parts = [arg for arg in link.args if arg.name in ("arguments", "expression")]
    if link.kind != "calls" or not parts or plain_name(str(link.get("callee"))) in _COPIES:
        return True
    rest = replace(link, args=tuple(arg for arg in link.args if arg not in parts))
    if linked(left, rest) or linked(rest, right):
        return True
    one, other = _ends(left, gives=True), _ends(right, gives=False)
    for part in (part for arg in parts for part in str(arg.value).split(",")):
        names = _names(part, _scope(link))
        if names & one & other or (_COPY.fullmatch(part.strip()) and names & one and names & other):
            return True
    return False


@functools.lru_cache(maxsize=1 << 12)
def _ends(claim: Claim, *, gives: bool) -> frozenset[End]:
    """What a link hands on, or takes over: of an assignment that is no copy these differ."""
    kind = KINDS.get(claim.kind)
    if kind is None:
        return frozenset()
    if _reckoned(claim) or claim.get("relation") not in (None, "equal"):
        return frozenset()
    found: set[End] = set()
    scope = _scope(claim)
    line = claim.get("line" if claim.kind == "frame" else "at")
    if scope is not None and isinstance(line, int) and (
        claim.kind == "frame" if gives else kind.name in _PLACED
    ):  # fmt: skip
        found.add((scope, line))
    if claim.get("of") is not None:
        return frozenset({str(claim.get("name"))})
    for arg in claim.args:
        column = kind.columns.get(arg.name)
        if column is None or not (column.gives if gives else column.takes):
            continue
        value = number(arg.value)
        if value is not None:
            if abs(value) >= _LEAST:
                found.add(value)
        elif column.type in ("name", "code") and _flows(claim, arg.name, gives):
            found |= _names(str(arg.value), scope)
        elif claim.kind == "assigns" and (led := _LEADS.fullmatch(str(claim.get("expression")))):
            found |= _names(led[1] if arg.name == "expression" else str(arg.value), scope)
    made = str(claim.get("expression"))
    if not gives and moves(made):  # it does something to what it moves from
        found |= _names(made.strip().removeprefix("std::move(")[:-1], scope)
    callee = claim.get("callee")
    if claim.kind == "calls" and isinstance(callee, str):
        found |= _names(_OBJECT.sub("", callee), scope)
    return frozenset(found)


def _told(claim: Claim, *, gives: bool) -> str:
    """What a link hands on, or takes over, for a reader: addresses and names before lines."""
    ends = [end if isinstance(end, int | str) else end[1] for end in _ends(claim, gives=gives)]
    once = dict.fromkeys(
        f"{end:#x}" if isinstance(end, int) and end >= _LEAST else str(end)
        for end in sorted(ends, key=lambda end: (str(end).isdigit(), str(end)))
    )
    return " or ".join([*once][:_MOST_TOLD]) or "what failed"


def _scope(claim: Claim) -> str | None:
    function = claim.get("function")
    return plain_name(function) if isinstance(function, str) else None


def _flows(claim: Claim, name: str, gives: bool) -> bool:
    """Whether an expression is what a chain, on its way back, hands on or takes over. What is no
    place is made of its names, and is the value of none. Of an assignment that is a copy, or a
    move, both sides are one value; else the value is taken for the target, and made of the
    expression, and of what the target is reached through."""
    if claim.kind not in ("assigns", "value"):
        return True
    made = str(claim.get("expression"))
    if _COPY.fullmatch(made) or (claim.kind == "assigns" and moves(made)):
        return True
    if claim.kind == "value":
        return gives
    bare = _NAME.fullmatch(str(claim.get("target"))) is not None
    return name == "expression" or not bare if gives else name != "expression"


def _is_member(declared: Claim, ends: set[End]) -> bool:
    """True for a member of a class that a method of it calls by its bare name."""
    owner, name = declared.get("of"), declared.get("name")
    return isinstance(owner, str) and any(
        end[1] == name and end[0].rpartition("::")[0].rpartition("::")[2] == owner
        for end in ends
        if isinstance(end, tuple) and end[0] is not None
    )


@functools.lru_cache(1 << 14)  # each row of the source is asked for each function
def same_function(one: str, other: str) -> bool:
    """True for two names of which one may leave out what it is in, and what it is called on."""
    bare = (plain_name(re.split(r"->|\.", name)[-1]) for name in (one, other))
    short, long = sorted(bare, key=len)
    return _FUNCTION.fullmatch(short) is not None and f"::{long}".endswith(f"::{short}")


def _reckoned(claim: Claim) -> bool:
    """True for a value that its expression makes of numbers of its own."""
    if claim.kind != "value":
        return False
    return bool(_LITERAL.search(_BRACKETS.sub("", str(claim.get("expression")))))


def _names(expression: str, scope: str | None) -> set[End]:
    """The fields of an expression, which are the same anywhere, and its variables."""
    found: set[End] = set()
    for match in _NAME.finditer(expression):
        if expression[match.end() :].lstrip().startswith("("):
            continue  # what is called; its object stands in front
        before = expression[: match.start()]
        own = before.endswith("this->")
        found.add(match[0] if before.endswith(("->", ".")) else (scope, match[0]))
        if (of := (scope or "").rpartition("::")[0]) and (own or (scope, match[0]) in found):
            found.add((f"{of}::", match[0]))  # it may be a member of the class
    return found


def _calls(claim: Claim) -> set[str]:
    """The functions that a statement says are called, or handed on to be called."""
    names = (claim.get(name) for name in _CALLING.get(claim.kind, ()))
    return {plain_name(name) for name in names if isinstance(name, str)}


def _own(claim: Claim) -> set[str]:
    """The function that a statement is of."""
    name = claim.get("caller" if claim.kind == "caller" else "function")
    return {plain_name(name)} if isinstance(name, str) else set()


def shows(kind: str, last: Claim) -> bool:
    """True when the last link shows such an origin: by its kind, and where it is a call or an
    assignment by what it calls or assigns."""
    row = SHOWN_BY.get(kind)
    if row is None or not _among(last, row.kinds):
        return False
    if last.kind == "calls" and row.callees:
        callee = plain_name(str(last.get("callee") or ""))
        called = {callee, callee.rpartition("::")[2], callee.rpartition(".")[2]} & row.callees
        return bool(called) or (row.null and moves(str(last.get("expression"))))
    made = str(last.get("expression"))
    if last.kind in ("assigns", "returns") and row.null:
        return moves(made) or (last.kind == "assigns" and made.strip() in NULL)
    if kind == "written" and last.kind == "assigns":
        return _PART.search(str(last.get("target"))) is not None
    if last.kind == "allocates":
        target = re.escape(str(last.get("target")))
        one = re.fullmatch(rf"sizeof\s*\(?\s*\*\s*{target}\s*\)?", str(last.get("size")))
        return one is None or last.get("count") is not None
    if kind == "computed":
        if last.kind in ("compares", "loops"):
            told = [
                str(last.get(name) or "") for name in ("condition", "left", "operator", "right")
            ]
            equal = last.kind == "compares" and told[2] in ("==", "!=")
            parts = re.split(r"&&|\|\|", "".join(told))
            return not equal and not any(_HELD.search(part.strip()) for part in parts)
        return _reckons(last)
    return True


def moves(expression: str) -> bool:
    """True for what is moved from, in C++."""
    return re.fullmatch(r"\s*std::move\([\w.>\[\]-]+\)\s*", expression) is not None


def _reckons(claim: Claim) -> bool:
    """True for an expression that is arithmetic itself, and not what a call or a test gives."""
    made, outer = _CAST.sub("", str(claim.get("expression") or "")), ""
    while made != outer:
        made, outer = _GROUPED.sub(r"\1", _CALLED.sub("called", made)), made
    compound = str(claim.get("operator") or "=") != "="
    return compound or (_TESTS.search(made) is None and _SUM.search(made) is not None)
