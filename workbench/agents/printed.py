"""What of a debugger's answer is the program's own, and what may only repeat the question.

A command that a model wrote is in its hands, and so is all that a debugger's errors and headings
repeat of it. A line of source, an instruction, a frame, a type's member or a word of memory is
printed only where the program has it: the command could choose it, but not make it up.
"""

import re

_OWN = re.compile(
    r"(?:->)?\s*\d{1,7}\s*\t"  # source: gdb's and lldb's listings
    r"|(?:=>|->)?\s*0x[0-9a-f]{1,16}(?: <[^>\n]*>)?:\s+(?!.*(?:Cannot access|out of bounds))\S"
    r"|Dump of assembler code for function \S"
    r"|\s*(?:\*\s)?(?:frame )?#\d{1,7}\s"
    r"|Thread \d{1,9} \("
)
"""Source lines, instructions and memory, a function's heading, a frame, a thread's heading."""
_SOURCE = re.compile(r"(?:->)?\s*\d{1,7}\s*\t")
_TYPE = re.compile(r"type = (?:struct|class|union|enum)\b[^{]*\{$|\s+\S.*;$")
_SHOWS_TYPE = re.compile(r"\s*(?:ptype|image lookup|type lookup)\b")


def is_own(line: str, command: str) -> bool:
    """True for a line that no words of ``command`` could have made."""
    if _OWN.match(line):
        return True
    return bool(_SHOWS_TYPE.match(command) and _TYPE.match(line))


def is_program(line: str, command: str) -> bool:
    """True for a line of the program's text: of its source, or of a type."""
    return bool(_SOURCE.match(line) or (_SHOWS_TYPE.match(command) and _TYPE.match(line)))
