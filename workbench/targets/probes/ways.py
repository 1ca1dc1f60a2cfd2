"""Does any way lead out of the code from an address on? All branches are followed, whatever their
conditions; what is not known (an indirect branch, a system call) counts as a way out."""

from typing import TYPE_CHECKING

from msgspec import Struct, field

from workbench.targets.probes import x86
from workbench.targets.probes.places import executable

if TYPE_CHECKING:
    from workbench.targets.dump import Dump

_MOST = 3000
_DEEPEST = 6
_LONGEST = 15
_LEAVES = frozenset({"syscall", "sysenter", "int", "int1", "int3", "ud2", "hlt", "xbegin", "retf",
                     "iretq", "ud0", "ud1"})  # fmt: skip


class Ways(Struct):
    """The instructions that can follow, until one leaves; calls count as returning where all that
    can follow in what they call is known and stays in the program."""

    core: "Dump"
    seen: int = 0
    _calm: dict[int, bool] = field(default_factory=dict)

    def closed(self, start: int) -> frozenset[int] | None:
        """The addresses that control can get to from ``start``, or None when it can return or
        leave."""
        return self._follow(start, returns=False, depth=0)

    def calm(self, start: int, depth: int = 0) -> bool:
        """True when control that goes on at ``start`` can do nothing but compute and return."""
        known = self._calm.get(start)
        if known is None:
            self._calm[start] = True  # recursion adds nothing
            known = self._follow(start, returns=True, depth=depth) is not None
            self._calm[start] = known
        return known

    def _follow(self, start: int, returns: bool, depth: int) -> frozenset[int] | None:
        todo, reached = [start], set[int]()
        while todo:
            at = todo.pop()
            while at not in reached:
                self.seen += 1
                insn = self._decode(at) if self.seen <= _MOST else None
                if insn is None or insn.mnemonic.rsplit(" ", 1)[-1] in _LEAVES:
                    return None
                reached.add(at)
                if insn.is_return:
                    if not returns:
                        return None
                    break
                if insn.is_call and not self._returns(insn, depth):
                    return None
                if insn.is_jump:
                    if insn.target is None:
                        return None
                    if insn.mnemonic.rsplit(" ", 1)[-1] == "jmp":
                        at = insn.target
                        continue
                    todo.append(insn.target)
                at = insn.end
        return frozenset(reached)

    def _returns(self, insn: x86.Instruction, depth: int) -> bool:
        if insn.target is None or depth >= _DEEPEST:
            return False
        return self.calm(insn.target, depth + 1)

    def _decode(self, at: int) -> x86.Instruction | None:
        if not executable(self.core, at):
            return None
        return x86.decode_one(self.core.read(at, _LONGEST) or b"", at)
