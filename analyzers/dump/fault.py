"""Reads ``@fault``: the faulting instruction, its operands, and the origin of its pointer."""

import re
from typing import Any

from msgspec.structs import replace

from analyzers.base import Analysis, Document
from analyzers.dump.shapes import Said, read
from workbench.model import facts as f
from workbench.model.aliases import public

_SHAPES = {
    "thread": "thread {thread:n}",
    "pc": "pc {pc:x}: {where:.*}",
    "sp": "stack pointer {stack_pointer:x}: {}",
    "instruction": "instruction {instruction:(?!not decoded).{1,160}}",
    "mnemonic": "mnemonic {mnemonic}",
    "update": "update: {updated_at:x} would go on to write to {:x}",
    "access": "access {access:read|write|execute} at {operand:x}[ through {through:.{1,80}}]"
    "[: {where:.*}]",
    "operand": "[implicit ]operand {name} = {:x}: {:[a-z ]+} of {size:n} bytes, {where}",
    "register": "{which:base|index} register {name:w} = {value:x}: {region:.*}",
    "divisor": "divisor {:w} = {divisor:x} {}",
    "overflow": "quotient overflow: {}",
    "transfer": "transfer {transfer:call|return|unknown}: {how:.*}",
    "tail": "tail jump: {} by {} at {at:x} ({where})",
    "left": "left: the call that returns to {back:x} went to {to:x} ({where}), which went on by "
    "{:a jump|.* at }[{at:x}]",
    "target": "target cell {} = {source:x} ({}) holds {value:x}[, by an index from {led:x}]",
    "load": "origin {:n}: {register:w} was loaded with {value:x} from {source:x} ({}) by {:.*?} at "
    "{at:x}[, before the call to {freed_by}][; on {skipped:one way} nothing {:.*}]",
    "unread": "origin {:n}: {register:w} was loaded with an unknown value from {source:x} ({}) by "
    "{:.*?} at {at:x}[, before the call to {freed_by}][; on {skipped:one way} nothing {:.*}]",
    "far load": "origin 1: {:w} was loaded with {:x} from an address no longer known by {}",
    "other load": "{which:index|divisor} origin {:n}: {:w} was loaded with {value:x} from {:x} "
    "({where:.*?}) by {}",
    "index made": "index origin {:n}: {:w} was computed as {:x} by {}",
    "computed": "origin {:n}: {register:w} was computed as {:x} by {} at {at:x}[, {}]",
    "other way": "origin {:n}: {:x} was stored to {:x} from {}",
    "other name": "origin {:n}: {:w} = {:x} was copied by {}",
    "call": "{which:(?:(?:index|divisor) )?}origin {:n}: {:w} = {value} was returned by the call "
    "to {function} at {at:x}",
    "passed": "origin {:n}: {register:w} = {value:x} was passed in as argument {number:n} of the "
    "function at {:x}[ by the call at {call:x} ({})]",
    "unset": "{index:(?:index )?}origin {:n}: {value:x} at {cell:x} was never set: {} at "
    "{function:x} ({}",
    "unset register": "{index:(?:index )?}origin {:n}: {:w} = {value:x} was never set by {} at "
    "{function:x} ({}",
    "virtual": "virtual call: the object at {object:x} ({}) has its table at {table:x}: {where}",
    "taint": "taint {kind:call|branch|return|store}: {} at {at:x}",
    "outside": "bounds: the cell {cell:x} is not in the variable {variable:w} at {start:x}, {}",
    "misaligned": "misaligned: {} wants an address that is a multiple of {alignment:n}",
    "root": "root: {:x} was made from {root:x} by the {}",
    "member": "member: the cell {cell:x} lies {offset:x} bytes into the object at {object:x}, "
    "whose table is that of class {kind} (bases: {bases})[; a method of class {method_of} "
    "reads it]",
    "run": "run: {what} from {start:x} to {end:x} covers the cell {cell:x}",
    "spelled": r'text: the bytes of {value:x} are the characters "{text:[\x20-\x7e]{4,16}}"',
    "copy": "copy: the word {value:x} stands at {cell:x} ({}), in {run} from {start:x} to {end:x}",
    "changed": "origin {:n}: {register:w} was loaded by {} at {at:x} from {source:x} ({}",
}
# What a line says by itself, as a part of the fault of the line's name.
_PARTS = {
    "virtual": f.VirtualCall, "taint": f.Taint, "outside": f.Outside, "run": f.DataRun,
    "spelled": f.Spelled,
}  # fmt: skip
_OWN = re.compile(r"\[(?:[er]sp\b|[er]bp - )")
# What the address of a cell is the sum of: a pointer, and an index, added here or before.
_INDEXED = re.compile(r"\[(r\w+) \+ r\w+(?:\*[1248])?(?: [+-] \w+)?\] at ")
_PLAIN = re.compile(r"\[(r\w+)(?: [+-] (?:0x)?[0-9a-f]+)?\] at ")
_ADDED = re.compile(r"by (?:add (r\w+), r\w+|lea r\w+, \[(r\w+) \+ r\w+\*[1248]) ?")
_BELOW = re.compile(r"\[r\w+ - (0x[0-9a-f]{1,8}|\d)\]")
_SCALES = range(1, 1 << 12)
"""By what an index is multiplied for elements of up to a page."""
_SYMBOL = re.compile(r"\w+(?: .{1,200})? [r?-][w?-][x?-][ps]?, (?=\S)")
_FROM = re.compile(
    r".* lies behind .* at (0x[0-9a-f]{1,16}) \(.*|.* at (0x[0-9a-f]{1,16}) goes to 0x[0-9a-f]+"
)
_LEFT = re.compile(r".* went to (0x[0-9a-f]{1,16}) \(.*\), which was left by a jump")
_CODE = re.compile(r"file (?P<module>.{1,200}) [r?-][w?-][x?][ps]?(?:, (?P<function>.{1,2000}))?")


def fault(document: Document) -> Analysis:
    """One `Fault` when the thread and its pc are there."""
    said = list(read(document, _SHAPES))
    found: dict[str, Any] = {"instruction": None, "mnemonic": None, "access": "none"}
    loads: list[f.Load] = []
    steps: set[int] = set()
    pointed: set[str] = set()  # the walks that go on to the pointer by which a value was loaded
    operands: dict[str, tuple[int, str]] = {}
    places: dict[int, str] = {}
    given: list[f.Argument | None] = []
    added: str | None = None  # the register with the sum that the last load's cell is
    base: str | None = None  # the one with the pointer that an index was added to for it
    through = where = None
    for item in said:
        name, line, fields = item.name, item.number, item.fields
        if name in ("load", "changed", "unread", "passed", "other way", "other name", "call"):
            if base is not None and fields.get("register") == base and "value" in fields:
                loads[-1] = replace(loads[-1], led=fields["value"])
            added = base = None
        match name:
            case "pc":
                found["pc"] = fields["pc"]
                found["running"] = _frame(fields["pc"], fields["where"], line)
            case "access":
                through, where = fields.pop("through"), fields.pop("where")
                found |= fields
            case "operand":
                operands[fields["name"]] = fields["size"], fields["where"]
            case "register":
                found[f"{fields['which']}_register"] = fields["name"]
                found[f"{fields['which']}_value"] = fields["value"]
                places[fields["value"]] = fields["region"]
            case "overflow":
                found["quotient_overflow"] = True
            case "transfer":
                found["transfer"] = fields["transfer"]
                if (at := _FROM.fullmatch(fields["how"])) is not None:
                    found["transfer_from"] = int(at[1] or at[2], 16)
                if (left := _LEFT.fullmatch(fields["how"])) is not None:
                    found["transfer"] = "jump"
                    found["running"] = f.Frame(index=0, address=int(left[1], 16), line_no=line)
            case "tail":  # it left no frame: what ran last is the function that jumped
                found |= {"transfer": "jump", "transfer_from": fields["at"]}
                found["running"] = _frame(fields["at"], fields["where"], line)
            case "left" if (frame := _frame(fields["to"], fields["where"], line)) is not None:
                at = fields["at"] if frame.function or fields["at"] else fields["to"]
                gone = f.Left(replace(frame, address=at), fields["back"])
                found["left"] = (*found.get("left", ()), gone)
            case "target":
                at_call = found.get("transfer_from") or 0
                loads.append(f.Load(at=at_call, register="rip", line=line, **fields))
            case "load" | "changed" | "unread":
                own = _OWN.search(item.line) is not None
                under = _BELOW.search(item.line) if not own else None
                below = int(under[1], 0) if under is not None else 0
                given_by = {"value": None, **fields, "skipped": bool(fields.get("skipped"))}
                loads.append(f.Load(own=own, line=line, below=below, **given_by))
                plain, indexed = _PLAIN.search(item.line), _INDEXED.search(item.line)
                added, base = plain and plain[1], indexed and indexed[1]
            case "far load":
                found["loaded_far"] = _OWN.search(item.line) is None
            case "other load":
                if not fields["where"].startswith("stack "):
                    pointed.add(fields["which"])
                if fields["which"] == "index" and found.get("index_root", 0) is None:
                    found["index_root"] = _scaled_from(found.get("index_value"), fields["value"])
            case "index made":
                found.setdefault("index_root", None)
            case "computed":
                sum_of = _ADDED.search(item.line) if added == fields["register"] else None
                added, base = None, sum_of and (sum_of[1] or sum_of[2])
                used = (None, found.get("base_value"))  # a loop steps a local on behind its use
                if all(load.own and load.value in used for load in loads):
                    found.setdefault("computed_line", line)
                if fields["at"] in steps:
                    found.setdefault("stepped_line", line)
                steps.add(fields["at"])
            case "passed":
                if fields["value"] == found.get("base_value") and "passed_line" not in found:
                    found["passed_line"] = line
                    given.append(_given(document, item, found, places[fields["value"]]))
            case "call":
                value, function = fields["value"], fields["function"]
                number = int(value, 16) if re.fullmatch(r"0x[0-9a-f]{1,16}", value) else None
                if which := (fields["which"] or "").strip():
                    if which not in pointed:
                        found.setdefault(f"{which}_call", f.Returned(function, number, line))
                elif "origin_call" not in found:
                    found |= {
                        "origin_value": number,
                        "origin_call": function,
                        "origin_line": line,
                        "origin_at": fields["at"],
                    }
            case "unset" | "unset register":
                key = "index_unset" if fields.pop("index") else "unset"
                found[key] = f.Unset(**{"cell": None, **fields}, line=line)
            case "member":
                bases = fields.pop("bases")
                known = tuple(bases.split(", ")) if bases != "none" else ()
                found["member"] = f.Member(bases=known, line=line, **fields)
            case "copy":
                found["spelled"] = _copied(found.get("spelled"), item)
            case "left" | "other way" | "other name":
                pass
            case _ if name in _PARTS:
                found[name] = _PARTS[name](line=line, **fields)
            case _:
                found |= fields
                if name == "update":
                    found["updated_line"] = line
    if "thread" not in found or "pc" not in found:
        return Analysis("no fault to read")
    if through in operands:
        found["operand_size"], where = operands[through]
    found["operand_region"] = _place(where)
    if found["operand_region"] == "near-null" and not places:
        found["base_value"] = 0  # compilers know by themselves that the pointer is null
    if where and _SYMBOL.match(where):
        found["operand_symbol"] = _SYMBOL.sub("", where)
    cite = document.cite(said[0].number, said[-1].number)
    fact = f.Fault(cite=cite, origin=tuple(loads), **found)
    what = fact.instruction or "no instruction was decoded"
    if fact.access == "execute" and fact.instruction is None:
        what = "no code may run there"
    head = f"thread {fact.thread}" if fact.access == "none" else f"{fact.access} fault"
    summary = f"{head} at {fact.pc:#x}: {what}"
    arguments = [each for each in given if each is not None]
    return Analysis(summary, (fact, *arguments), (f"{summary} [{fact.cite}]",))


def _given(document: Document, item: Said, found: dict[str, Any], where: str) -> f.Argument | None:
    """What the function that failed had been given, where that is known by its name."""
    running: f.Frame | None = found.get("running")
    if running is None or running.function is None:
        return None
    return f.Argument(
        cite=document.cite(item.number),
        function=public(running.function),
        region=_place(where) or "unknown",
        at=found["pc"],
        **item.fields,
    )


def _copied(spelled: f.Spelled | None, item: Said) -> f.Spelled | None:
    """With another place where the pointer's characters stand."""
    fields = item.fields
    if spelled is None or spelled.value != fields.pop("value"):
        return spelled
    places = (*spelled.places, (fields["cell"], fields["start"], fields["end"]))
    fields["cell"] = fields["cell"] if not spelled.places else None
    return replace(spelled, places=places, **fields)


def _frame(pc: int, where: str, number: int) -> f.Frame | None:
    """The frame at ``pc`` out of ``file server r-x, handle+0x1a``; None where it is no file's."""
    found = _CODE.fullmatch(where)
    if found is None:
        return None
    function = found["function"]
    if function is not None:
        function = re.sub(r"\+0x[0-9a-f]{1,16}$", "", function)
    return f.Frame(
        index=0,
        function=function,
        module=found["module"],
        address=pc,
        trust="unwound",
        line_no=number,
    )


def _scaled_from(index: int | None, loaded: int) -> int | None:
    """A number that was loaded, where an index in a register is a multiple of it."""
    far, count = (one - (1 << 64) if one >> 63 else one for one in (index or 0, loaded))
    return loaded if far and count and not far % count and far // count in _SCALES else None


def _place(where: str | None) -> str | None:
    """Kind out of ``file libc.so.6 r-x, puts+0x1a`` or ``near null, unmapped``."""
    if where is None or where.startswith("near null"):
        return where and "near-null"
    return where.split(" ", 1)[0].rstrip(",")
