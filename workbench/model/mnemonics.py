"""What the name of an instruction tells, where a log has its text alone."""

import re

_ONLY_READS = re.compile(
    r"v?p?cmp(?!xchg)|v?u?comis|v?p?test|push|call|jmp|j[a-z]{1,4}$|i?div|i?mul|bt[bwlq]?$|cmov|"
    r"v?ld(?!add|clr|eor|set|[su](?:max|min))|prefetch|lods|scas|f(?:ld|ild|bld)|fi?(?:add|subr?|mul|divr?|comp?)[dlqstw]{0,2}$|"
    r"f?x?rstor|l[gi]dt"
)
# The atomic ones of Arm write back what they made of what they loaded (LDADD and its siblings).
_STORES = re.compile(r"v?st(?!c)|cas|swp|ld(?:add|clr|eor|set|[su](?:max|min))")


def access(mnemonic: str, target: bool) -> str:
    """What an instruction of x86 or Arm does with its operand in memory, read | write, by its name:
    ``target`` is true of the operand that stands where what is written stands."""
    if _ONLY_READS.match(mnemonic):
        return "read"
    return "write" if target or _STORES.match(mnemonic) else "read"
