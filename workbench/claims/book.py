"""What statements are checked against: facts, stored texts, and the rows that only these give."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from workbench.claims.kinds import KINDS
from workbench.claims.rows import Row, overlaps, rows
from workbench.claims.values import member, number, same
from workbench.model.citation import Citation
from workbench.model.claims import Claim, Value
from workbench.model.evidence import Evidence, Source
from workbench.model.facts import (
    AnyFact,
    FactBook,
    Frame,
    Locals,
    ManagedMethod,
    Memory,
    Process,
    Region,
    Stack,
    StackGroups,
    Threads,
    Wait,
)
from workbench.model.gdb_commands import bare_command, selected_level

Read = Callable[[str], FactBook]
"""The facts of one item that was not read into the case's: a model's or a person's command."""
Infer = Callable[[FactBook], Iterable[AnyFact]]
"""The facts that follow from several others: waits and rings."""
_MOST_LINES = 4000
_PRINTED = re.compile(r"\$\d+ = (?P<value>.+)")
_LLDB_PRINTED = re.compile(r"\((?P<type>[^()]+)\) (?:\$\d+ = )?(?P<value>.+)")
_PRINT = re.compile(r"^(?:p|print|output|call|inspect|expr(?:ession)?|v|frame variable)(?:/\w+)?\s+"
                    r"(?:--\s+)?(?P<expression>.+)$")  # fmt: skip
_THREAD = re.compile(r"\bthread\s+apply\s+(\d{1,9})\s")
_WORDS = re.compile(r"^(?P<at>0x[0-9a-f]+)(?: <[^>]*>)?:\s+(?P<words>(?:0x[0-9a-f]+\s*)+)$")
_SYMBOL = re.compile(r"^(?P<name>[^\s+]+)(?: \+ (?P<offset>\d+))? in section (?P<section>\S+)")
_POINTED = re.compile(r"(?P<at>0x[0-9a-f]{1,16}) <(?P<name>[^<>+]+)(?:\+\d+)?>")
_ARGUMENT = re.compile(r"(?:^|, )(?P<name>[A-Za-z_]\w*)=")
_REPEATS = 3


class Book:
    """Facts and texts of one investigation. ``text_of`` gives an item's stored text; ``infer`` what
    follows from facts; ``read`` the facts of an item that is in ``evidence`` and was not read into
    ``facts``."""

    def __init__(
        self,
        facts: FactBook,
        evidence: Mapping[str, Evidence],
        text_of: Callable[[str], str],
        infer: Infer,
        read: Read | None = None,
    ) -> None:
        self.facts = facts
        self.evidence = evidence
        self._text_of = text_of
        self._infer = infer
        self._read = read
        self._lines: dict[str, list[str]] = {}
        self._more: dict[str, FactBook] = {}

    def lines(self, evidence: str) -> list[str]:
        """The lines of an item, split at LF as the store counts them; empty where there is none."""
        if evidence not in self._lines:
            try:
                text = self._text_of(evidence) if evidence in self.evidence else ""
            except (LookupError, OSError):
                text = ""
            found = text.split("\n")
            self._lines[evidence] = found[:-1] if found and not found[-1] else found
        return self._lines[evidence]

    def exists(self, citation: Citation) -> bool:
        """True when it leads to lines that are there."""
        item = self.evidence.get(citation.evidence)
        if item is None:
            return False
        last = citation.last or citation.first
        return not citation.first or 1 <= citation.first <= last <= max(item.lines, 1)

    def cited(self, citation: Citation, most: int = _MOST_LINES) -> Iterator[tuple[int, str]]:
        """The numbered lines of a citation."""
        lines = self.lines(citation.evidence)
        first = max(citation.first, 1)
        last = (citation.last or citation.first) or len(lines)
        yield from enumerate(lines[first - 1 : min(last, first + most - 1)], first)

    def rows(self, claim: Claim, near: Iterable[Citation] = ()) -> Iterator[Row]:
        """The rows that a statement of this kind is compared with; with ``near`` those of these
        lines."""
        kind = KINDS[claim.kind]
        wanted = tuple(near)
        if kind.decided == "facts":
            for facts in self._books(wanted):
                for row in rows(kind, facts, wanted):
                    yield self._threaded(row) if "thread" in kind.columns else row
            if claim.kind in ("waits", "owns", "cycle"):
                yield from rows(kind, self._inferred, wanted)
            return
        if kind.decided == "source":
            from workbench.claims.listed import source_rows  # parsers, which most runs never need

            yield from source_rows(self, claim, wanted)
            return
        producer = getattr(self, f"_{claim.kind}", None)
        if producer is not None:
            yield from producer(claim, wanted)

    def _threaded(self, row: Row) -> Row:
        """A row with its thread, which goes without saying where there is one."""
        if self._only is None or "thread" in row.values:
            return row
        return row._replace(values={**row.values, "thread": self._only})

    @cached_property
    def _only(self) -> int | None:
        process = self.facts.first(Process)
        return process.threads[0] if process is not None and len(process.threads) == 1 else None

    def _books(self, near: tuple[Citation, ...]) -> Iterator[FactBook]:
        yield self.facts
        for name in dict.fromkeys(c.evidence for c in near):
            item = self.evidence.get(name)
            if (
                item is not None
                and self._read is not None
                and (item.by_model or item.source is Source.USER)
            ):
                if name not in self._more:
                    self._more[name] = self._read(name)
                yield self._more[name]

    # ---- rows of several facts -------------------------------------------------------------

    def _stacks(self, near: tuple[Citation, ...]) -> Iterator[Stack]:
        for facts in self._books(near):
            for stack in facts.all(Stack):
                if not near or any(overlaps(stack.cite, c) for c in near):
                    yield stack

    def _caller(self, claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
        for stack in self._stacks(near):
            for inner, outer in zip(stack.frames, stack.frames[1:], strict=False):
                if inner.function and outer.function and inner.index + 1 == outer.index:
                    values: dict[str, Value] = {
                        "function": inner.function,
                        "caller": outer.function,
                    }
                    yield _row(_threaded(values, stack), stack, outer)

    def _frame_argument(self, claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
        for stack in self._stacks(near):
            for frame in stack.frames:
                for name, value in arguments_of(frame.args):
                    values: dict[str, Value] = {"name": name, "value": value}
                    if frame.function:
                        values["function"] = frame.function
                    yield _row(_threaded(values, stack), stack, frame)

    def _local(self, claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
        yield from self._variables(str(claim.get("name") or ""), near)

    def _repeats(self, claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
        for stack in self._stacks(near):
            seen: dict[str, int] = {}
            for frame in stack.frames:
                values: dict[str, Value] = {}
                for name, value in (("function", frame.function), ("address", frame.address)):
                    key = f"{name} {value}"
                    seen[key] = seen.get(key, 0) + 1
                    if value and seen[key] == _REPEATS:
                        values[name] = value
                if values:
                    yield _row(values, stack, frame)

    def _threads_in(self, claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
        wanted, found = str(claim.get("function") or ""), dict[int, tuple[Stack, Frame]]()
        for stack in self.facts.all(Stack):
            for frame in stack.frames:
                if frame.function and same("name", frame.function, wanted):
                    found.setdefault(stack.thread or -(stack.number or 0), (stack, frame))
                    break
        for stack, frame in list(found.values())[:1]:
            yield _row({"function": wanted, "count": len(found)}, stack, frame)

    def _waiting(self, claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
        """How many threads wait for what a statement names; none, only where each is known."""
        inferred = [f for f in self._inferred.all(Wait) if f.kind != "running"]
        waits = {wait.thread: wait for wait in (*self.facts.all(Wait), *inferred)}
        wanted = {name: claim.get(name) for name in ("kind", "lock", "owner")}
        found = [
            wait
            for wait in waits.values()
            if wait.kind != "running"
            and wanted["kind"] in (None, wait.kind)
            and (wanted["lock"] is None or wait.address == number(wanted["lock"]))
            and (wanted["owner"] is None or wait.owner == number(wanted["owner"]))
        ]
        threads = {tid for process in self.facts.all(Process) for tid in process.threads}
        cites = [wait.cite for wait in found or waits.values()]
        if not cites or (not found and not (threads and threads <= waits.keys())):
            return
        lines = [cite for cite in cites if cite.evidence == cites[0].evidence]
        first, last = min(c.first for c in lines), max(c.last or c.first for c in lines)
        cite = Citation(cites[0].evidence, first, last)
        given = {name: value for name, value in wanted.items() if value is not None}
        yield Row({**given, "count": len(found)}, cite, cite)

    def _gone(self, claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
        """Owners of locks that are no thread of the process."""
        threads = {tid for process in self.facts.all(Process) for tid in process.threads}
        for wait in self.facts.all(Wait) if threads else ():
            if wait.owner is not None and wait.owner not in threads:
                yield Row({"thread": wait.owner}, wait.cite, wait.cite)

    def _thread_count(self, claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
        for process in self.facts.all(Process):
            if process.threads:
                yield Row({"count": len(process.threads)}, process.cite, process.cite)
        for listed in self.facts.all(Threads):
            yield Row({"count": len(listed.items)}, listed.cite, listed.cite)
        for groups in self.facts.all(StackGroups):
            yield Row({"count": groups.total}, groups.cite, groups.cite)

    def _all_wait(self, claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
        """Where every thread of the process is known to wait, or all but one."""
        waits = {wait.thread: wait for wait in self.facts.all(Wait)}
        busy = [thread for thread, wait in waits.items() if wait.kind == "running"]
        process = self.facts.first(Process)
        threads = set(process.threads) if process is not None and process.threads else set(waits)
        if not threads or not threads <= set(waits) or len(busy) > 1:
            return
        cite = waits[next(iter(busy or waits))].cite
        yield Row({"but": busy[0]} if busy else {"count": len(threads)}, cite, cite)

    def _mapped(self, claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
        address = _address(claim)
        memory = self._regions
        if address is None or memory is None:
            return
        region = memory.region(address)
        if region is None:
            yield Row({"address": address, "kind": "unmapped memory"}, memory.cite, memory.cite)
            return
        values: dict[str, Value] = {"address": address, "kind": region.kind, "perms": region.perms}
        if region.path:
            values["path"] = region.path
        yield Row(values, _line(memory, region), memory.cite)

    def _unmapped(self, claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
        address = _address(claim)
        memory = self._regions
        if address is None or memory is None or not memory.regions:
            return
        if memory.region(address) is None:
            yield Row({"address": address}, memory.cite, memory.cite)

    @cached_property
    def _inferred(self) -> FactBook:
        """Waits and rings that stacks and tables of locks tell together."""
        return FactBook(self._infer(self.facts))

    @cached_property
    def _regions(self) -> Memory | None:
        return self.facts.first(Memory)

    # ---- rows of a text that a debugger printed ---------------------------------------------

    def _texts(self, near: tuple[Citation, ...]) -> Iterator[tuple[Evidence, int, str]]:
        cited = near or tuple(Citation(name) for name in self.evidence)
        for citation in cited:
            item = self.evidence.get(citation.evidence)
            if item is not None:
                for number_, line in self.cited(citation):
                    yield item, number_, line

    def _value(self, claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
        wanted = str(claim.get("expression") or "")
        for item, number_, line in self._texts(near):
            expression = printed_expression(item.command)
            match = _PRINTED.fullmatch(line.strip()) or (
                _LLDB_PRINTED.fullmatch(line.strip()) if expression else None
            )
            if expression is None or match is None:
                continue
            value = match["value"]
            if path := _path(expression, wanted):
                value = member(value, path) or ""
                expression = wanted
            if value:
                cite = Citation(item.id, number_, number_)
                yield self._placed(Row({"expression": expression, "value": value}, cite, cite))
        for row in self._variables(wanted, near) if wanted else ():
            if row.values["name"] == wanted:
                values = {"expression": wanted, **row.values}
                del values["name"]
                yield row._replace(values=values)

    def _variables(self, wanted: str, near: tuple[Citation, ...]) -> Iterator[Row]:
        """Locals and arguments of the frame that their command selects; a name with a path reads a
        member out of a printed structure."""
        root = re.match(r"[A-Za-z_]\w*", wanted)
        for facts in self._books(near):
            for listed in facts.all(Locals):
                if near and not any(overlaps(listed.cite, c) for c in near):
                    continue
                for variable in listed.variables:
                    name, value, line = variable.name, variable.value, variable.line
                    cite = Citation(listed.cite.evidence, line, line)
                    if root is not None and name == root[0] and wanted != name:
                        # The fact keeps the beginning of a long value; the line has all of it.
                        whole = self._line(cite.evidence, line).partition(" = ")[2]
                        name, value = wanted, member(whole, wanted[root.end() :]) or ""
                    values: dict[str, Value] = {"name": name, "value": value}
                    if listed.function:
                        values["function"] = listed.function
                    if value:
                        yield self._placed(Row(values, cite, listed.cite))

    def _placed(self, row: Row) -> Row:
        """A printed value with the function of the frame that its command selects; without
        ``thread apply`` the engine's commands run in the thread of the case."""
        command = self.evidence[row.line.evidence].command
        level, thread = selected_level(command) or 0, _THREAD.search(command)
        if "function" in row.values:
            return row
        for stack in self.facts.all(Stack):
            if stack.number == int(thread[1]) if thread else self._is_selected(stack):
                for frame in stack.frames:
                    if frame.index == level and frame.function:
                        return row._replace(values={**row.values, "function": frame.function})
        return row

    def _is_selected(self, stack: Stack) -> bool:
        """True for the stack of the thread in which commands run that name none."""
        command = self.evidence[stack.cite.evidence].command
        return stack.current or command.split()[:1] == ["bt"]

    def _line(self, evidence: str, number_: int) -> str:
        lines = self.lines(evidence)
        return lines[number_ - 1] if 0 < number_ <= len(lines) else ""

    def _memory(self, claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
        for item, number_, line in self._texts(near):
            match = _WORDS.match(line.strip())
            if match is None:
                continue
            words = match["words"].split()
            width = max((len(word) - 2) // 2 for word in words)
            at = int(match["at"], 16)
            for index, word in enumerate(words):
                cite = Citation(item.id, number_, number_)
                yield Row({"address": at + index * width, "value": int(word, 16)}, cite, cite)

    def _symbol(self, claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
        for item, number_, line in self._texts(near):
            cite = Citation(item.id, number_, number_)
            match = _SYMBOL.match(line)
            asked = re.fullmatch(r"info symbol (0x[0-9a-fA-F]+)", item.command.strip())
            if match is not None and asked is not None and not match["offset"]:
                yield Row({"address": int(asked[1], 16), "name": match["name"]}, cite, cite)
            for found in _POINTED.finditer(line):
                yield Row({"address": int(found["at"], 16), "name": found["name"]}, cite, cite)
        for method in self.facts.all(ManagedMethod):
            yield Row({"address": method.address, "name": method.name}, method.cite, method.cite)

    def _quote(self, claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
        wanted = " ".join(str(claim.get("text") or "").split())
        for item, number_, line in self._texts(near):
            cite = Citation(item.id, number_, number_)
            said = " ".join(line.replace("`", "'").split())
            yield Row({"text": wanted if wanted and wanted in said else said}, cite, cite)


def arguments_of(text: str) -> Iterator[tuple[str, str]]:
    """Name and value of each argument that a frame's line prints: ``a=1, b=b@entry=0x10``."""
    starts = list(_ARGUMENT.finditer(text))
    for at, match in enumerate(starts, 1):
        value = text[match.end() : starts[at].start() if at < len(starts) else len(text)]
        name, entry, rest = value.partition("@entry=")
        yield match["name"], rest if entry and name == match["name"] else value


def printed_expression(command: str) -> str | None:
    """The expression that a command prints, without the selection in front of it; None for a
    command that prints none."""
    match = _PRINT.match(bare_command(command))
    return match["expression"].strip() if match is not None else None


def _path(printed: str, wanted: str) -> str:
    """The way from a printed expression to a wanted one in it: ``.used`` from ``table`` to
    ``table.used``, from ``*queue`` to ``queue->used``, ``(*queue).used`` or Rust's ``queue.used``;
    empty where none."""
    ways = [(printed, "")]
    if printed.startswith("*"):
        ways += [(f"({printed})", ""), (f"{printed[1:]}->", "."), (f"{printed[1:]}.", ".")]
    return next((step + wanted[len(w) :] for w, step in ways if wanted.startswith(w)), "")


def _address(claim: Claim) -> int | None:
    stated = claim.get("address")
    return number("" if stated is None else stated)


def _threaded(values: dict[str, Value], stack: Stack) -> dict[str, Value]:
    if stack.thread is not None:
        values["thread"] = stack.thread
    return values


def _row(values: dict[str, Value], stack: Stack, frame: Frame) -> Row:
    line = frame.line_no
    cite = Citation(stack.cite.evidence, line, line) if line else stack.cite
    return Row(values, cite, stack.cite)


def _line(memory: Memory, region: Region) -> Citation:
    if not region.line:
        return memory.cite
    return Citation(memory.cite.evidence, region.line, region.line)
