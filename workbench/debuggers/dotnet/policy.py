"""The read-only policy for SOS's commands, in lldb, dotnet-dump and WinDbg.

Names and what they do: dotnet/diagnostics, documentation/sos.md, src/SOS/lldbplugin/soscommand.cpp
and src/Microsoft.Diagnostics.ExtensionCommands. Names are told apart without their case.
"""

import re

from workbench.debuggers.policy import Decision, accept, ask, forbid, strictest

_READING_NAMES = """
    analyzeoom assemblies clrmodules clrstack clrthreads clru comstate crashinfo da dcd dcq dg
    do dso dumpalc dumparray dumpassembly dumpasync dumpccw dumpclass dumpconcurrentdictionary
    dumpconcurrentqueue dumpdelegate dumpdomain dumpexceptions dumpgcdata dumpgen dumpheap
    dumphttp dumpil dumpmd dumpmodule dumpmt dumpobj dumpobjgcrefs dumppermissionset dumprcw
    dumprequests dumpruntimetypes dumpsig dumpsigelem dumpstack dumpstackobjects dumpvc eeheap
    eestack eeversion ehinfo ephrefs ephtoloh finalizequeue findappdomain findpointersin
    findroots fq gchandleleaks gchandles gcheaps gcheapstat gcinfo gcroot gctonative gcwhere
    heapstat help histobj histobjfind histroot histstats ip2md listnearobj lno maddress name2ee
    notreachableinrange objsize parallelstacks pathto pe printexception pstacks rcwcleanuplist
    sizestats soshelp sosstatus syncblk taskstate threadpool threadpoolqueue threadstate ti
    timerinfo tks token2ee tpq traceaddress uniquestacks verifyheap verifymemory verifyobj
    verifystackobjects vmmap vmstat watsonbuckets
"""
_READING = frozenset(_READING_NAMES.split())
_FORBIDDEN = {
    "bpmd": "sets a breakpoint", "createdump": "writes a file", "dbgout": "changes what is logged",
    "dumplog": "writes a file", "enummem": "is a test of SOS's own", "exit": "ends the debugger",
    "histclear": "changes what SOS keeps", "histinit": "changes what SOS keeps",
    "loadsymbols": "asks a symbol server", "logclose": "changes what is logged",
    "logging": "changes what is logged", "logopen": "writes a file",
    "minidumpmode": "changes how the dump is read", "q": "ends the debugger",
    "quit": "ends the debugger", "runtests": "is a test of SOS's own",
    "saveallmodules": "writes files", "savemodule": "writes a file",
    "setclrpath": "loads code from another place",
    "sethostruntime": "loads code from another place", "setsymbolserver": "asks a symbol server",
    "sosflush": "changes what SOS keeps", "stoponcatch": "changes the target",
    "stoponexception": "changes the target", "soe": "changes the target",
    "suppressjitoptimization": "changes the target", "testcommand": "is a test of SOS's own",
    "traverseheap": "writes a file", "writemem": "writes memory", "writetestdata": "writes a file",
}  # fmt: skip
# dotnet-dump's own commands, named as those of native debuggers are (Repl and ExtensionCommands).
_DUMP_NAMES = "d da db dc dd dp dq du dw registers r modules lm threads"
_DUMP_READING = frozenset(_DUMP_NAMES.split())
# Options that make a reading command write, change or ask.
_CHANGING = {"sosstatus": re.compile(r"-reset\b", re.IGNORECASE)}
_PLAIN = re.compile(r"[\w\s.,:+*<>\[\]!/()$'\"=-]*")
_WORD = re.compile(r"\s*(?:!(?:sos\.|ext\.)?)?([A-Za-z][\w]*)(?:\s+(.*))?", re.DOTALL | re.I)


def judge_sos(name: str, arguments: str) -> Decision | None:
    """Judge one of SOS's commands by its whole name; None for a name that is none of SOS's."""
    word = name.lower()
    if word in _FORBIDDEN:
        return forbid(f"{name}: {_FORBIDDEN[word]}")
    if word in ("sos", "ext"):
        return _wrapped(name, arguments)
    if word == "runtimes":
        return ask("runtimes: may choose another runtime") if arguments.strip() else accept()
    if word not in _READING:
        return None
    if not _PLAIN.fullmatch(arguments):
        return ask(f"{name}: its arguments cannot be read for sure")
    changing = _CHANGING.get(word)
    if changing is not None and changing.search(arguments):
        return ask(f"{name} {arguments}: may change what SOS keeps")
    return accept()


def _wrapped(name: str, arguments: str) -> Decision:
    """``sos COMMAND …``: what it runs is judged."""
    found = _WORD.fullmatch(arguments)
    if found is None:
        return accept("prints its help") if not arguments.strip() else ask(f"{name}: what is run?")
    inner = found[1].lower()
    # SOS's own names for what lldb's plugin calls otherwise.
    inner = {"threads": "clrthreads", "u": "clru"}.get(inner, inner)
    if inner in ("sos", "ext"):
        return ask(f"{name} {inner}: what is run?")
    return judge_sos(inner, found[2] or "") or ask(f"{name} {found[1]}: not known to only print")


def check_sos_in_lldb(command: str, taken: bool) -> Decision | None:
    """Judge a command of lldb that SOS's plugin adds; None when it is none of them. ``taken`` when
    its first word is, or may be cut from, a command of lldb's own."""
    found = _WORD.fullmatch(command)
    if found is None or taken or command.lstrip().startswith("!"):
        return None
    word, rest = found[1], found[2] or ""
    if "`" in command:
        return forbid("`: lldb evaluates what stands in backticks")
    whole = judge_sos(word, rest)
    if whole is not None:
        return whole
    names = [n for n in (*_FORBIDDEN, *_READING) if n.startswith(word.lower())]
    return strictest(judge_sos(n, rest) or ask(n) for n in names) if names else None


def check_dotnet_dump(command: str) -> Decision:
    """Judge one line for ``dotnet-dump analyze``. Never raises."""
    if re.search(r"(?:^|\s)@", command):
        return forbid("@: arguments would be read from a file")
    found = _WORD.fullmatch(command)
    if found is None:
        return forbid("not a command that only prints")
    word, rest = found[1], found[2] or ""
    if word.lower() in _DUMP_READING:
        if not _PLAIN.fullmatch(rest):
            return ask(f"{word}: its arguments cannot be read for sure")
        if word.lower() == "threads" and re.search(r"\d", rest):
            return ask("threads: selects another thread")
        return accept()
    if word.lower() in ("setthread", "sos", "ext"):
        if word.lower() == "setthread":
            return ask("setthread: selects another thread")
        return _wrapped(word, rest)
    return judge_sos(word, rest) or ask(f"{word}: not known to only print")
