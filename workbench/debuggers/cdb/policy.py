"""The read-only policy for cdb, WinDbg and kd: each line parsed by their own grammar.

A line is a list of commands between semicolons; a thread's prefix (``~*``, ``~3``) goes before one.
No blank is needed between a command and what follows it, and case counts for nothing where it could
do harm. What cannot be told apart from a command that writes is judged as that.
"""

import re

from workbench.debuggers.dotnet.policy import judge_sos
from workbench.debuggers.policy import Decision, accept, ask, forbid, strictest

_DEEPEST = 6
_MOST = 32
# "$<file", "$$><file", "$$>a<file": script files.
_SCRIPT = re.compile(r"\$[$<>]*\s*(?:>\s*a?\s*)?<|\$[$]?>")
_THREAD = re.compile(
    r"~(?:[.#*]|\d{1,6}|~\[[^\[\]]{0,64}\]|\[[^\[\]]{0,64}\])?\s*(?P<rest>.*)$", re.DOTALL
)
_PROCESS = re.compile(r"\|{1,2}\s*(?:[.#*]|\d{1,6})?\s*(?P<rest>.*)$", re.DOTALL)
_WORD = re.compile(r"(?P<word>\.?[A-Za-z_][A-Za-z0-9_]*|[#?]{1,2})(?P<rest>.*)$", re.DOTALL)
_EXTENSION = re.compile(r"!(?P<name>[A-Za-z_][\w]*(?:\.[A-Za-z_][\w]*)?)(?P<rest>.*)$", re.DOTALL)
# Assignments and steps of C++; ==, <=, >=, != and => (a lambda of dx) are none.
_ASSIGNS = re.compile(r"(?<![=<>!])=(?![=>])|\+\+|--|<<=|>>=")
_CALLS = re.compile(r"([A-Za-z_~][\w:~]*)\s*(?:<[^<>()]*>)?\s*\(")
_DX_BAD = re.compile(
    r"(?i)Execute|SetValue|ExecuteCommand|File|Write|Delete|Create|Open|Save|Load|Script|SwitchTo|Remove"
    r"|Add\s*\(|Insert|Clear|Invoke|Host|Utility|Settings|Attach|Detach|Kill|Step|Run\b|Go\b|Set\w*\s*\("
)
_HEAP = re.compile(
    r"(?:\s+(?:-[saphtxlvikf]|-stat|-flt|-grp|-all|-h|0x[0-9a-f`]+|[0-9a-f`]+|[\w@]+))*"
)
# Registers with their types, between commas: "r eax, @$t0, xmm0:uq".
_NAMES = re.compile(r"\s*(?:[@$]*[\w.]+(?::\w+)?\s*(?:,\s*|$))*")
# What SOS calls otherwise outside of WinDbg.
_SOS_NAMES = {"threads": "clrthreads", "u": "clru"}
_BLANK = ("", " ", "\t")
_FROZEN = frozenset("fnum")  # freeze, suspend, unfreeze, resume


def check_cdb(command: str) -> Decision:
    """Judge one line of cdb's, WinDbg's or kd's. Never raises."""
    if not command.strip(" \t;"):
        return forbid("an empty line makes the debugger repeat the last command")
    if _SCRIPT.search(command):
        return forbid("$<: runs a file of commands")
    if re.search(r"\$u[0-9]|\$\{", command):
        return forbid("an alias stands for text that nobody can see here")
    parts = command.split(";")
    if len(parts) > _MOST:
        return forbid("too many commands in one line")
    return strictest(_check(part, 0) for part in parts if part.strip())


def _check(part: str, depth: int) -> Decision:
    text = part.strip(" \t")
    if depth > _DEEPEST:
        return forbid("too deeply wrapped to be read")
    if not text:
        return accept("shows what is selected")
    if text[0] in "{}":
        return forbid("a block of commands")
    if text.startswith("*") or text.startswith("$$"):
        return ask("a comment")
    if text.startswith("~"):
        return _of_threads(text, depth)
    if text.startswith("|"):
        found = _PROCESS.match(text)
        inner = found["rest"] if found is not None else text
        return (
            accept("lists processes")
            if not inner.strip()
            else forbid("selects another process or system")
        )
    if text.startswith("!"):
        return _extension(text)
    if text.startswith("`"):
        return ask("not a command that is known")
    found = _WORD.match(text)
    if found is None:
        return forbid(f"{text[0]!r}: not a command that only prints")
    word, rest = found["word"], found["rest"]
    if word.startswith("."):
        return _dot(word.lower(), rest, depth)
    if word in ("?", "??"):
        return _evaluated(word, rest)
    return _letters(word, rest)


def _of_threads(text: str, depth: int) -> Decision:
    """``~``, ``~*k``, ``~3s``, ``~*e COMMAND``."""
    found = _THREAD.match(text)
    rest = (found["rest"] if found is not None else text[1:]).strip()
    if not rest:
        return accept("lists threads")
    letter, behind = rest[0].lower(), rest[1:]
    alone = not behind or not (behind[0].isalnum() or behind[0] in "_@-/")
    if letter in _FROZEN and alone:
        return forbid("freezes or resumes threads")
    if letter == "s" and alone:
        return accept("selects a thread") if not behind.strip() else forbid("not one command")
    if letter == "e" and (not behind or behind[0] in " \t"):
        return _check(behind, depth + 1)
    return _check(rest, depth + 1)


def _extension(text: str) -> Decision:
    found = _EXTENSION.match(text)
    if found is None:
        return forbid("!: not an extension's command")
    name, rest = found["name"].lower(), found["rest"]
    library, _, short = name.rpartition(".")
    if library and library not in LIBRARIES:
        return forbid(f"!{name}: would load {library}.dll")
    if name in FORBIDDEN_EXTENSIONS or short in FORBIDDEN_EXTENSIONS:
        return forbid(f"!{name}: runs, loads, writes or changes something")
    managed = judge_sos(_SOS_NAMES.get(short, short), rest.strip()) if rest[:1] in _BLANK else None
    if managed is not None:
        return managed
    if _DX_BAD.match(short) and short not in EXTENSIONS:
        return forbid(f"!{name}: runs, loads, writes or changes something")
    if name not in EXTENSIONS and short not in EXTENSIONS:
        return ask(f"!{name}: not known to only print")
    if rest[:1] and not (rest[0] in " \t" or (rest[0] == "/")):
        return ask(f"!{name}: cannot see where its name ends")
    wanted = OPTIONS.get(short)
    given = re.findall(r"(?:^|\s)[-/]([\w?]+)", rest.lower())
    if wanted is not None and (not set(given) <= wanted or re.search(r"[-/]\w*:", rest)):
        return forbid(f"!{name} with an option that may do more than print")
    if '"' in rest:
        return ask(f"!{name} with a quoted text, which it may run")
    if short == "heap" and not _HEAP.fullmatch(rest.lower()):
        return ask("!heap with an option that may do more than print")
    if short in ("htrace", "avrf", "verifier", "reg", "deadlock") and re.search(
        r"-(?:e|d|enable|disable|snap|brk|skp|cnt|break|flt|trg)", rest, re.IGNORECASE
    ):
        return forbid(f"!{name} with an option that changes something")
    if short in ("process", "thread") and re.search(r"/[a-z]*[pris]", rest, re.IGNORECASE):
        return ask(f"!{name} that sets the context on the way")
    return _operands(rest)


def _dot(word: str, rest: str, depth: int) -> Decision:
    bare = not rest.strip()
    if rest[:1] in ("+", "-"):
        return forbid(f"{word}{rest[0]}: changes how the dump is read")
    if bare and word in BARE:
        return accept()
    if word in FORBIDDEN:
        return forbid(f"{word}: runs, writes or changes something")
    if word in READING_DOT:
        if word == ".frame" and re.search(r"/c|/r?c", rest, re.IGNORECASE):
            return ask(".frame /c changes the context")
        if word == ".imgscan" and re.search(r"/l", rest, re.IGNORECASE):
            return forbid(".imgscan /l loads modules")
        return accept() if word in (".echo", ".help") else _operands(rest)
    if word in ASKED_DOT:
        return ask(f"{word}: changes what is shown from here on")
    if any(
        word.startswith(bad) for bad in (".shell", ".load", ".script", ".write", ".log", ".dump")
    ):
        return forbid(f"{word}: runs, loads or writes something")
    if word == ".dx":
        return _dx(rest)
    return ask(f"{word}: not known to only print")


def _letters(word: str, rest: str) -> Decision:
    """Commands of letters. The longest known one that the word begins with may be meant; a word
    that may begin with one that writes is judged as that."""
    name = word.lower()
    if name == "dx":
        return _dx(rest)
    if name in ("bl", "al", "version", "vertarget"):
        return _operands(rest)
    if name in FORBIDDEN:
        if name == "id" and not rest.strip():
            return forbid("id: reads a port")
        return forbid(f"{word}: runs, writes or changes something")
    if name == "rm" and rest.strip():
        return forbid("rm: changes which registers are shown")
    if name == "r" or (name.startswith("r") and name not in READING):
        return _registers(name, rest)
    if name in READING:
        if name == "n" or (name == "sx" and rest.strip()):
            return forbid(f"{word}: changes a setting")
        return _operands(rest)
    if name[0] in FORBIDDEN_LETTERS:
        return forbid(f"{word}: may run, write or change something")
    if name in BARE and not rest.strip():
        return accept()
    if re.fullmatch(
        r"(?:d[a-z]{0,2}|k[a-z]{0,3}|u[bfprx]?|lm[a-z0-9]{0,4}|ln|[cs])\d+[0-9a-f`]*", name
    ):
        return _operands(rest)  # "k20", "kb5": a number without a blank
    if name.startswith(("n", "sx", "ss", "so", "sq", "l")):
        return forbid(f"{word}: may change how numbers or sources are read")
    return ask(f"{word}: not known to only print")


def _registers(name: str, rest: str) -> Decision:
    """``r`` reads; ``r eax=1``, ``reax=1`` and ``r @eax?`` write or ask for a value."""
    if "=" in rest or "?" in rest:
        return forbid("r with a value writes a register")
    if name in ("r", "rf", "rx"):
        if not _NAMES.fullmatch(rest):
            return forbid("r with more than registers' names may write one")
        return _operands(rest)
    return ask(f"{name}: cannot see where the command ends")


def _evaluated(word: str, rest: str) -> Decision:
    """``? MASM`` and ``?? C++``."""
    if not rest.strip():
        return accept("prints the help")
    if word == "??" and _ASSIGNS.search(rest):
        return forbid("an assignment in C++ writes to the target")
    return _operands(rest)


def _operands(rest: str) -> Decision:
    """Arguments: MASM expressions, which read; C++ inside ``@@(…)`` may assign."""
    if '"' in rest and rest.count('"') % 2:
        return ask("a quotation mark that is not closed")
    plain = re.sub(r'"[^"]*"', '""', rest)
    if "@@" in plain and _ASSIGNS.search(plain.lower().replace("@@c++(", "@@(")):
        return forbid("an assignment in C++ writes to the target")
    for call in _CALLS.finditer(plain):
        name = call[1].lower().rpartition(":")[2].lstrip("$")
        before = plain[: call.start()]
        if name not in HARMLESS_CALLS and not before.endswith(("$", "@@")):
            return ask(f"{call[1]}(…): cannot tell that it only reads")
    return forbid("a block of commands") if re.search(r"[{}]", plain) else accept()


def _dx(rest: str) -> Decision:
    """``dx``: the debugger's object model, whose methods may do anything."""
    text = re.sub(r'"[^"]*"', '""', rest)
    if '"' in rest and rest.count('"') % 2:
        return forbid("a quotation mark that is not closed")
    if _ASSIGNS.search(re.sub(r"(?:^|\s)-[a-z]+[0-9]*", " ", text)):
        return forbid("dx with an assignment writes")
    if _DX_BAD.search(text):
        return forbid("dx: a method or object that runs, writes or changes something")
    for call in re.finditer(r"([A-Za-z_@$][\w$]*)\s*(?:<[^<>()]*>)?\s*\(", text):
        if call[1] not in DX_CALLS:
            return forbid(f"dx: {call[1]}() may do anything")
    if re.search(r"-(?:c|n|nv|id|s|x|o)\b", text) and re.search(r"-(?:id|o)\b", text):
        return ask("dx with an option that is not known")
    return accept()


# The commands of cdb, WinDbg and kd by what they do, as "Debugger Reference" describes them.
# A word that stands in no table is neither known to only print nor known to do harm.
# ruff: noqa: SIM905 - long tables of words read better as text

# They display: memory, code, symbols, stacks, modules, sources, types, the event.
READING = frozenset(
    "d da db dc dd df dp dq du dw dyb dyd ds dl dg dt dv dds dps dqs dda ddp ddu dpa dpp dpu dqa "
    "dqp dqu u ub uf up ur ux k kb kc kd kf kl kn kp kv kpn knl kbn kvn kcn kfn kpl kbl kvl knf "
    "lm lma lmv lmvm lmm lmf lmt lmu lmk lmp lmo lmi lmtn lmft lmsm lm1m lmvtm lmtsm lmfsm ln "
    "ls lsa lsc c s # x version vertarget bl al sx r rf rx rm".split()
)
# The same without a word behind them: they show what the setting is, and set it with one.
BARE = frozenset(
    "n rm sx l .sympath .srcpath .exepath .symopt .expr .effmach .logfile .chain .lastevent "
    ".ecxr .cxr .trap .thread .process .context .outmask .kframes .asm .nvlist .scriptlist "
    ".scriptproviders .sxcmds .bpcmds .aliascmds .extpath .extmatch .prompt_allow .tlist .time "
    ".ttime .help .childdbg .netuse .typeopt .enumtag .fnent".split()
)
# Dot commands that only print, whatever stands behind them.
READING_DOT = frozenset(
    ".bugcheck .chain .dumpdebug .echo .echotime .echotimestamps .eventlog .exr .extmatch .fnent "
    ".formats .frame .help .imgscan .lastevent .logfile .printf .time .ttime .tlist "
    ".ecxr .nvlist .scriptlist .targets".split()
)
# They change which context is read, or how it is shown: a person is asked.
ASKED_DOT = frozenset(
    ".cxr .trap .thread .context .effmach .lines .kframes .outmask .prompt_allow .cls .hh .browse "
    ".asm .force_radix_output .tss .dml_flow .dml_file .dml_proc .dml_start .logclose .sleep "
    ".beep .enable_long_status .enable_unicode .enumtag .nohistory .fiber .pagein .cache".split()
)
# Extensions that read. The word before a dot is the extension's library.
EXTENSIONS = frozenset(
    "analyze address avrf bugdump chksym chkimg cpuid cs critsec dh dlls dp error exchain "
    "exploitable findstack gle handle heap help htrace imggp imgreloc kuser lmi locks mapped_file "
    "obja object owner peb rtlavl running runaway sd sid slist teb tls token tp triage uniqstack "
    "version vadump vprot vtop x "
    # kd
    "process thread irp irpfind drvobj devobj devnode devstack fileobj job pool poolused poolfind "
    "poolval pte vad vm memusage pcr prcb ipi irql qlocks ready stacks timer dpcs blackboxbsd "
    "blackboxpnp blackboxntfs deadlock session reg errlog errrec exqueue filecache pfn pocaps "
    "podev popolicy poaction powertriage arbiter idt gdt zombies verifier whea sysinfo lookaside "
    "lpc alpc ubt cpuinfo "
    # rpcexts
    "eeinfo getcallinfo getendpointinfo getdbgcell getthreadinfo getclientcallinfo rpcreadstack "
    # SOSEX; SOS itself is judged by its own table (policy_sos)
    "dlk mk mlocks modules waits".split()
)
# Libraries of the debugger's own, which are loaded already or only read; any other name before the
# dot is a file that would be loaded.
LIBRARIES = frozenset(
    "ext exts ntsdexts uext kext kdexts kdext dbghelp sos clr rpcexts logexts wow64exts ndiskd "
    "usbkd ntexts".split()
)
# The options that only print, of extensions that have others: !address -c runs a command for each
# region, !chkimg -f writes the image, !analyze -c lets the target go on.
OPTIONS: dict[str, frozenset[str]] = {
    "address": frozenset({"summary", "v", "d", "h", "?"}),
    "analyze": frozenset({"v", "vv", "hang", "show", "f", "d", "d6", "lpc", "nodb"}),
    "chkimg": frozenset({"v", "d", "db", "lo", "nar", "r", "ss"}),
    "session": frozenset(),
}
# Extensions that run commands, load code, write files, set breakpoints or change what is read.
FORBIDDEN_EXTENSIONS = frozenset(
    "load loadby unload unloadall runscript for_each_frame for_each_function for_each_local "
    "for_each_module for_each_process for_each_register for_each_thread list "
    "gchandleleaks logm loge logi logo logd logb logc py pycmd python mona gflag sw foreachframe "
    "fe foreachitem fei tracelog ed eb "
    "ddkd".split()
)
# One-word commands that run the target, write, or read and run other commands.
FORBIDDEN = frozenset(
    "g gc gh gn gu p pa pc pct ph pt t ta tb tc tct th tt wt a ba bc bd be bm bp br bs bsc bu as "
    "ad e ea eb ed ef ep eq eu ew eza ezu f fp m ib iw id ob ow od q qq qd j z o rdmsr wrmsr ss "
    "so sq sxd sxe sxi sxn sxr "
    ".call .dump .dumpcab .writemem .readmem .write_cmd_hist .logopen .logappend .open .opendump "
    ".attach .detach .abandon .create .createdir .kill .restart .reload .symfix .load .loadby "
    ".unload .unloadall .setdll .scriptload .scriptrun .scriptunload .nvload .nvunload "
    ".nvunloadall .shell .server .remote .remote_exit .clients .endsrv .endpsrv .noshell "
    ".noversion .ocommand .ofilter .pcmd .reboot .crash .breakin .dvalloc .dvfree .kdfiles "
    ".kdtrans .allow_exec_cmds .allow_bp_ba_convert .allow_image_mapping .apply_dbp .secure "
    ".settings .step_filter .suspend_ui .wake .wtitle .cmdtree .event_code .quit_lock .send_file "
    ".sound_notify .srcfix .srcnoise .lsrcfix .lsrcpath .lsf .flash_on_break .foreach .for .while "
    ".do .if .else .elsif .block .catch .leave .break .continue .outputdebugstring .idle_cmd "
    ".locale .process .symopt .expr .sympath .exepath .srcpath .extpath .typeopt .copysym "
    ".record_branches .ignore_missing_pages .bpsync .opentrace .childdbg .netuse .netsyms "
    ".concurrency .fpo .ttyp .dbgdbg".split()
)
# Letters that begin only commands that write, run or leave: "ebx" may be "eb x".
FORBIDDEN_LETTERS = frozenset("efmgptabqwoizj")

# Functions of MASM's and C++'s expressions that read.
HARMLESS_CALLS = frozenset(
    "poi by wo dwo qwo low hi not abs sizeof byte sbyte word sword dword sdword qword sqword "
    "masm iment spat scmp sicmp vvalid fnsucc".split()
)
# What dx may call: queries that read (LINQ in the debugger's objects).
DX_CALLS = frozenset(
    "Select SelectMany Where OrderBy OrderByDescending GroupBy First FirstOrDefault Last Take "
    "Skip Count Any All Sum Min Max Distinct Flatten Contains ToDisplayString Reverse Except "
    "Intersect Union Single sizeof Join".split()
)
