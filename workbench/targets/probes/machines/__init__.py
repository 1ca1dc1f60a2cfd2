"""Instructions of each processor: one module an architecture, picked by its name.

`x86` has operands as data from capstone. For the others `base` reads them from the text that it
prints, which is the same in all its versions; of RISC-V's short forms and atomics, Power's indexed
forms and z's registers its data say less, and its tables of accesses are wrong for most of these.
"""

from functools import lru_cache
from importlib import import_module

from workbench.targets.probes.machines.base import Machine

_MACHINES = {
    "aarch64": ("aarch64", "Aarch64"), "arm64": ("aarch64", "Aarch64"), "arm": ("arm", "Arm"),
    "i386": ("x86", "X86"), "ppc64": ("ppc", "Power"), "ppc64le": ("ppc", "Power"),
    "ppc": ("ppc", "Power"), "riscv64": ("riscv", "RiscV"), "riscv32": ("riscv", "RiscV"),
    "s390x": ("s390x", "S390x"), "x86_64": ("x86", "X86"),
}  # fmt: skip


@lru_cache(maxsize=8)
def machine(arch: str, bits: int, little_endian: bool) -> Machine | None:
    """The machine of an architecture, or None when its instructions are not read here."""
    if arch not in _MACHINES:
        return None
    module, name = _MACHINES[arch]
    found: Machine = getattr(import_module(f"{__name__}.{module}"), name)(bits, little_endian)
    return found
