"""``@memory ADDR [BYTES]``: what the dump holds there, in hexadecimal and as ASCII."""

from workbench.targets.dump import Dump

_ROW = 16
_BYTES, _MOST = 256, 4096


def answer(dump: Dump, args: list[str]) -> str:
    """Rows of 16 bytes, ``??`` for those that are not in the dump."""
    try:
        address, size = int(args[0], 16), int(args[1], 0) if args[1:] else _BYTES
    except (IndexError, ValueError):
        return "usage: @memory ADDR [BYTES], as in @memory 0x4052a0 64\n"
    if dump.region(address) is None:
        return f"{address:#x}: not in the dump\n"
    rows = []
    for start in range(address, address + min(size, _MOST), _ROW):
        cells = [dump.read(start + at, 1) for at in range(_ROW)]
        digits = " ".join(cell.hex() if cell else "??" for cell in cells)
        text = "".join(chr(cell[0]) if cell and 32 <= cell[0] < 127 else "." for cell in cells)
        rows.append(f"{start:#x}: {digits}  {text}")
    return "\n".join(rows) + "\n"
