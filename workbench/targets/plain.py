"""Text out of a dump is data: shown on one line, bounded, its control characters as escapes."""

_LIMIT = 4096


def one_line(text: str, limit: int = _LIMIT) -> str:
    """``text`` with every character that is not printable as ``\\x1b`` or ``\\u202e``; bytes that
    were no UTF-8 (surrogates of PEP 383) as ``\\xff``. Cut after ``limit`` characters, with ``…``.
    """
    kept = text[:limit]
    shown = kept if kept.isprintable() else "".join(map(_shown, kept))
    return shown + "…" if len(text) > limit else shown


def _shown(letter: str) -> str:
    if letter.isprintable():
        return letter
    code = ord(letter)
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
