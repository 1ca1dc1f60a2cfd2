"""Does any way lead out of the code from an address on? All branches are followed, whatever their
conditions; what is not known (an indirect branch, a system call) counts as a way out."""

from msgspec import Struct, field

from workbench.targets.dump import Dump
from workbench.targets.probes import x86
from workbench.targets.probes.places import executable

_MOST = 3000
_DEEPEST = 6
_LONGEST = 15
_LEAVES = frozenset({"syscall", "sysenter", "int", "int1", "int3", "ud2", "hlt", "xbegin", "retf",
                     "iretq", "ud0", "ud1"})  # fmt: skip


class Ways(Struct):
    """The instructions that can follow, until one leaves; calls count as returning where all that
    can follow in what they call is known and stays in the program."""

    core: Dump
    seen: int = 0
    _calm: dict[int, bool] = field(default_factory=dict)

    def closed(self, start: int) -> frozenset[int] | None:
        """The addresses that control can get to from ``start``, or None when it can return or
        leave."""
        found = self._follow(start, returns=False, depth=0)
        return None if found is None else frozenset(found)

    def round(self, start: int) -> frozenset[int]:
        """Of what `closed` gives the part that ``start`` comes back from: its loop."""
        after = self._follow(start, returns=False, depth=0) or {}
        before: dict[int, list[int]] = {}
        for at, following in after.items():
            for one in following:
                before.setdefault(one, []).append(at)
        todo, found = [start], set[int]()
        while todo:
            for one in before.get(todo.pop(), ()):
                if one not in found:
                    found.add(one)
                    todo.append(one)
        return frozenset(found)

    def calm(self, start: int, depth: int = 0) -> bool:
        """True when control that goes on at ``start`` can do nothing but compute and return."""
        known = self._calm.get(start)
        if known is None:
            self._calm[start] = True  # recursion adds nothing
            known = self._follow(start, returns=True, depth=depth) is not None
            self._calm[start] = known
        return known

    def _follow(self, start: int, returns: bool, depth: int) -> dict[int, list[int]] | None:
        """Each address that control gets to, and which ones follow it."""
        todo, reached = [start], dict[int, list[int]]()
        while todo:
            at = todo.pop()
            while at not in reached:
                self.seen += 1
                insn = self._decode(at) if self.seen <= _MOST else None
                if insn is None or insn.mnemonic.rsplit(" ", 1)[-1] in _LEAVES:
                    return None
                following = reached[at] = list[int]()
                if insn.is_return:
                    if not returns:
                        return None
                    break
                if insn.is_call and not self._returns(insn, depth):
                    return None
                if insn.is_jump:
                    if insn.target is None:
                        return None
                    following.append(insn.target)
                    if insn.mnemonic.rsplit(" ", 1)[-1] == "jmp":
                        at = insn.target
                        continue
                    todo.append(insn.target)
                following.append(insn.end)
                at = insn.end
        return reached

    def _returns(self, insn: x86.Instruction, depth: int) -> bool:
        if insn.target is None or depth >= _DEEPEST:
            return False
        return self.calm(insn.target, depth + 1)

    def _decode(self, at: int) -> x86.Instruction | None:
        if not executable(self.core, at):
            return None
        return x86.decode_one(self.core.read(at, _LONGEST) or b"", at)
