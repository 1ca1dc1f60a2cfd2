"""`taint` on processors other than x86-64: where the value of a failed read would have gone."""

import re

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes.machines.base import Machine, Raw
from workbench.targets.probes.places import read_some
from workbench.targets.probes.taint import line_of

_MOST = 64
_WORD = re.compile(r"[a-z]\w*")
# Branches that compare for themselves end the block as all others do; bic and bfi are none.
_BRANCHES = re.compile(r"(?:c\.)?(?:b(?!ic|f[imx]|clr|ext|set|inv)|cb|tb[nz]|j|loop|cr|cg|clr|clg)")
_SETS = ("mov", "ld", "l", "li", "adr", "c.l", "c.mv", "c.mov", "pop", "mr")


def taint_lines(core: Dump, thread: CoreThread, machine: Machine, raw: Raw) -> list[str]:
    """The line on what a failed read's value decides about, as `taint.taint_lines`."""
    names = machine.registers({})
    tainted = set(machine.written(raw)) - {machine.sp}
    start = raw.address + raw.size
    code = read_some(core, start, _MOST * machine.longest)
    for insn in machine.decode(code, start, thread.registers, _MOST):
        if not tainted:
            return []
        branch = machine.branch(insn, names)
        touched = machine.accesses(insn, names)
        if branch is not None or _BRANCHES.match(insn.mnemonic):
            held = branch.register if branch is not None else None
            held = (
                held
                if held in tainted
                else next((a.base for a in touched if a.base in tainted and not a.implicit), None)
            )
            if branch is None or held is None:
                return []
            kind = {"call": "call", "jump": "branch"}.get(branch.kind, "return")
            return [line_of(kind, held, insn.text, insn.address)]
        for access in touched:
            through = next((r for r in (access.base, access.index) if r in tainted), None)
            if through is not None and "write" in access.how and not access.implicit:
                return [line_of("store", through, insn.text, insn.address)]
        _pass_on(machine, insn, tainted)
    return []


def _pass_on(machine: Machine, insn: Raw, tainted: set[str]) -> None:
    """Mark what an instruction computes from marked registers; unmark what it sets otherwise."""
    written = machine.written(insn) - {machine.sp}
    _, _, sources = insn.operands.partition(",")
    read = {machine.others.get(word, word) for word in _WORD.findall(sources)}
    if read & tainted:
        tainted |= written
    elif insn.mnemonic.startswith(_SETS):
        tainted -= written
