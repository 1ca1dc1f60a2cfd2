"""The commands of cdb, WinDbg and kd by what they do, as "Debugger Reference" describes them.

A word that stands in no table is neither known to only print nor known to do harm.
"""

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
