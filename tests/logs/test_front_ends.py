"""What gdb's front ends print at a stop, and what Apple's gdb did."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.model.category import Category as C
from workbench.model.facts import Finding

SEGV = "Program received signal SIGSEGV, Segmentation fault.\n"
PEDA = f"""\
{SEGV}[----------------------------------registers-----------------------------------]
EAX: 0x43434343 ('CCCC')
EBX: 0x804c000 --> 0x804bf14
ESP: 0xbffff2f0 --> 0x3
EIP: 0x804919e (<count+14>:	mov    eax,DWORD PTR [eax+0x8])
[-------------------------------------code-------------------------------------]
   0x8049198 <count+8>:	mov    eax,DWORD PTR [ebp+0x8]
=> 0x804919e <count+14>:	mov    eax,DWORD PTR [eax+0x8] <---- reads the drawer
Stopped reason: SIGSEGV
0x0804919e in count ()
"""
PWNDBG = f"""\
{SEGV} RAX  0x0
*RBX  0x4141414141414141 ('AAAAAAAA')
 RSP  0x7fffffffe2a8 ◂— 'AAAAAAAABBBB'
 RIP  0x555555555189 (shut+64) ◂— ret
 ► 0x555555555189 <shut+64>    ret    <0x4141414141414141>
pwndbg> info proc
"""
GEF = f"""\
{SEGV}$rax   : 0x0
$rbx   : 0x00555555557dd8  →  0x0000555555555130
$rsp   : 0x007fffffffe2c0
 →  0x555555555158 <count+15>       mov    eax, DWORD PTR [rax+0x8]
0x0000555555555158 in count ()
gef➤  bt
#0  0x0000555555555158 in count ()
#1  0x0000555555555171 in main ()
"""
OLD = """\
Program received signal EXC_BAD_ACCESS, Could not access memory.
Reason: {reason} at address: {address}
0x00001f3c in count (it=0x0) at till.c:9
9         return it->coins;
(gdb) bt
#0  0x00001f3c in count (it=0x0) at till.c:9
#1  0x00001f6a in main () at till.c:15
"""


@pytest.mark.parametrize(
    ("text", "category", "address"),
    [
        (PEDA, C.WILD_POINTER, 0x4343434B),
        (PWNDBG, C.CORRUPTED_POINTER, 0x4141414141414141),
        (GEF, C.NULL_POINTER_DEREFERENCE, 8),
    ],
)
def test_the_operand_is_computed_from_their_context(
    tmp_path: Path, text: str, category: C, address: int
) -> None:
    read = read_text(tmp_path, text)
    assert read.category is category
    assert [f.address for f in read.facts.all(Finding)] == [address]


def test_a_return_to_nowhere_is_no_access_at_zero(tmp_path: Path) -> None:
    text = PWNDBG.replace("fault.", "fault (fault address: 0x0).")
    assert read_text(tmp_path, text).category is C.CORRUPTED_POINTER


@pytest.mark.parametrize(
    ("reason", "address", "category"),
    [
        ("KERN_PROTECTION_FAILURE", "0x00000008", C.NULL_POINTER_DEREFERENCE),
        ("KERN_INVALID_ADDRESS", "0x9b9b9b9c", C.WILD_POINTER),
    ],
)
def test_apples_gdb_says_where_in_a_line_of_its_own(
    tmp_path: Path, reason: str, address: str, category: C
) -> None:
    read = read_text(tmp_path, OLD.format(reason=reason, address=address))
    assert (read.category, read.function) == (category, "count")


def test_one_register_of_x86_64_is_enough_to_know_its_width(tmp_path: Path) -> None:
    text = f"""\
{SEGV}0x0000000000401136 in count (it=0x7ffffff0) at till.c:9
9         return it->coins;
(gdb) x/i $rip
=> 0x401136 <count+4>:\tmov    0x10(%rsi),%rsi
(gdb) info reg $rsi
rsi            0x1f00440011008800  2233870096937125888
"""
    [found] = read_text(tmp_path, text).facts.all(Finding)
    assert found.address == 0x1F00440011008810
