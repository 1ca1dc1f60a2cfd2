"""What a user's lldb command does to the session, as far as the channel must know it."""

import re

from workbench.debuggers.lldb_selection import split
from workbench.debuggers.policy import check

_MOVING = re.compile(
    r"\s*(?:fr[a-z]*\s+se|th[a-z]*\s+se|t[a-z]*\s+se|process|proc|target|up\b|down\b|f\b|t\b|"
    r"thread\s+(?:until|return))"
)
_LEAVING = re.compile(
    r"\s*(?:q|qu|qui|quit|exit|k|ki|kill|detach|run|r|process\s+(?:k|det|la|att|con|st)[a-z]*|"
    r"attach|file|gdb-remote|kdp-remote|target\s+(?:cr|de|se)[a-z]*)(?:\s|$)"
)
_READERS = re.compile(
    r"\s*(?:shell|platform|script|sc|scr|scri|scrip|repl|gui|process|run|r|c|continue|command|"
    r"expr[a-z]*|e|p|po|print|call|edit)(?:\s|$)"
)
# What goes on in the next lines (lldb's help of each command).
_BODIES = re.compile(
    r"\s*(?:(?:scr?i?p?t?|expr?e?s?s?i?o?n?|expr|e)\s*(?:--\s*)?$"
    r"|br[a-z]*\s+com[a-z]*\s+a[a-z]*(?!.*\s-(?:o|F|-one-liner|-python-function))"
    r"|w[a-z]*\s+com[a-z]*\s+a[a-z]*(?!.*\s-(?:o|F|-one-liner|-python-function))"
    r"|com[a-z]*\s+reg[a-z]*\s+\S+\s*$"
    r"|ta[a-z]*\s+st[a-z-]*\s+a[a-z]*(?!.*\s-(?:o|P|-one-liner|-script-class)))"
)


def moves_selection(command: str) -> bool:
    """True when the selected frame or thread may be another one afterwards."""
    selecting, command = split(command)
    return bool(selecting) or _MOVING.match(command) is not None


def may_change_settings(command: str) -> bool:
    """False for what is known to only print."""
    return not check(command, "lldb").accepted


def changes_prompt(command: str) -> bool:
    """True when the marks in the prompt may be gone afterwards."""
    return re.match(r"\s*se[a-z]*\s+\S+\s.*prompt|\s*se[a-z]*\s+cl", command) is not None


def reads_terminal(command: str) -> bool:
    """True when another program, or a script, may read what is typed next."""
    return _READERS.match(command) is not None


def opens_body(command: str) -> bool:
    """True when lldb reads the lines that follow as a part of the command."""
    return _BODIES.match(command) is not None


def leaves_debugger(command: str) -> bool:
    """True when lldb would end or let go of the dump."""
    return _LEAVING.match(split(command)[1]) is not None
