"""A filter between a debugger's bytes and pyte: only what pyte draws rightly goes through.

pyte 0.8.2 prints DCS strings and colon-SGR as text, reads ``CSI > … m`` as underline, raises on
``CSI ? … r``, knows no alternate screen, and drops the rest of a text after a character without
width. Foreign text must not ring, move tab stops or answer queries either.
"""

import codecs
import re

from workbench.tui.text import visible

_SEQUENCE = re.compile(
    r"\x1b\[(?P<private>[<-?]?)(?P<args>[0-9;:]*)(?P<middle>[ -/]*)(?P<final>[@-~])"
    r"|\x1b[\]PX^_][^\x07\x1b\x18\x1a]*(?:\x07|\x1b\\|[\x18\x1a]|(?=\x1b))"
    r"|\x1b[ -/]+[0-~]"
    r"|\x1b[0-OQ-WYZ\\`-~]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)?\Z")
_LONGEST = 4096
_GREY = "38;5;245"
_DIM = {"2": _GREY, "0;2": f"0;{_GREY}", "22": "22;39"}
"""pyte has no faint text: a grey that reads on light and dark stands for it."""
_DRAWN = frozenset("mKJHABCDGdfP@LMX")


def _allowed(match: re.Match[str]) -> str:
    final = match["final"]
    if final is None or match["private"] or match["middle"] or final not in _DRAWN:
        return ""
    arguments = match["args"]
    if len(arguments) > 64:
        return ""
    if final == "m" and ":" in arguments:
        # ISO 8613-6 colour: 38:2::r:g:b and 38:5:n say the same with semicolons, minus the empty
        # colour space; 4:3 (curly underline) is an underline.
        parts = []
        for part in arguments.split(";"):
            fields = [field for field in part.split(":") if field]
            parts.append(
                ";".join(fields)
                if fields[:1] in (["38"], ["48"])
                else (fields[0] if fields else "0")
            )
        arguments = ";".join(parts)
    elif ":" in arguments:
        return ""
    limited = ";".join(part[:5] for part in arguments.split(";"))
    if final == "m" and limited in _DIM:
        limited = _DIM[limited]
    return f"\x1b[{limited}{final}"


class StreamFilter:
    """Stateful: bytes in, text for pyte out. Sequences and characters cut by a chunk's end wait for
    the next one; an unfinished sequence longer than 4096 characters is given up."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def reset(self) -> None:
        """Forget an unfinished sequence; after bytes were skipped."""
        self._decoder.reset()
        self._rest = ""

    def feed(self, data: bytes) -> str:
        """The drawable part of what came so far."""
        text = self._rest + self._decoder.decode(data)
        self._rest = ""
        if "\x1b" in text and (match := _UNFINISHED.search(text)) is not None:
            if len(text) - match.start() <= _LONGEST:
                self._rest = text[match.start() :]
            text = text[: match.start()]
        out: list[str] = []
        at = 0
        for match in _SEQUENCE.finditer(text):
            out.append(_clean(text[at : match.start()]))
            out.append(_allowed(match))
            at = match.end()
        out.append(_clean(text[at:]))
        return "".join(out)


_KEPT = re.compile("[\r\b]")


def _clean(text: str) -> str:
    """Text between sequences: unseen characters become signs, CR and BS stay, LF gets its CR."""
    if not text:
        return text
    if not text.isascii() or not text.isprintable():
        parts = _KEPT.split(text.replace("\r\n", "\n").replace("\x07", ""))
        kept = _KEPT.findall(text.replace("\r\n", "\n"))
        text = "".join(
            visible(part) + (kept[index] if index < len(kept) else "")
            for index, part in enumerate(parts)
        )
    return text.replace("\n", "\r\n")
