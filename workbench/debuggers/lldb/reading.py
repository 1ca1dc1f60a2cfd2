"""What lldb's reading commands may be given, so that they read and do nothing else.

Each command has its options, as in getopt: ``s:size=`` takes a value, ``a:address@`` an address,
which lldb evaluates as an expression in the target, ``v:verbose`` none. Options that are not here
write files (``--outfile``), run Python (``--summary-string``) or code of the target
(``--object-description``, ``--dynamic-type``). After the bar stands what the other words are:
``@`` addresses, ``path`` variables, ``number``, ``any`` names that are only looked up, ``none``.
Source: the help of each command in lldb 14 and 23.
"""

from dataclasses import dataclass

_SHOWN = "F:flat T:show-types A:show-all-children R:raw-output L:location"
_VALUES = f"f:format= D:depth= P:ptr-depth= {_SHOWN}"
_STACK = "c:count= s:start= u:unfiltered"
_SPECS = {
    "apropos": "| any",
    "help": "a:hide-aliases u:hide-user-commands h:show-hidden-commands | any",
    "version": "v:verbose | none",
    "disassemble": "a:address@ s:start-address@ e:end-address@ n:name= c:count= b:bytes m:mixed "
    "r:raw k:kind f:frame p:pc l:line C:context= F:flavor= A:arch= | none",
    "frame info": "| none",
    "frame select": "r:relative= | number",
    "frame variable": f"{_VALUES} a:no-args l:no-locals g:show-globals c:show-declaration s:scope "
    "t:no-recognized-args | path",
    "frame recognizer list": "| none",
    "frame recognizer info": "| number",
    "thread backtrace": f"{_STACK} | number",
    "thread list": "| none",
    "thread info": "s:stop-info j:json | number",
    "thread select": "t:thread-id= | number",
    "thread siginfo": "| none",
    "thread plan list": "i:internal u:unreported v:verbose t:thread-id= | number",
    "register read": "a:all A:alternate s:set= f:format= | any",
    "register info": "| any",
    "memory read": "f:format= s:size= c:count= l:num-per-line= G:gdb-format= r:force t:type= | @",
    "memory find": "s:string= c:count= o:dump-offset= | @",
    "memory region": "a:all | @",
    "source list": "c:count= s:shlib= b:show-breakpoints f:file= l:line= n:name= r:reverse "
    "a:address@ | none",
    "source info": "c:count= s:shlib= f:file= l:line= e:end-line= n:name= a:address@ | none",
    "source cache dump": "| none",
    "target list": "| none",
    "target variable": f"{_VALUES} c:show-declaration s:scope r:regex | path",
    "target modules list": "A:arch S:symfile-unique a:address@ b:basename d:directory f:fullpath "
    "g:global h:header m:mod-time o:offset p:pointer r:ref-count s:symfile t:triple u:uuid | any",
    "target modules lookup": "a:address@ A:all F:function= f:file= i:no-inlines l:line= n:name= "
    "o:offset= r:regex s:symbol= t:type= v:verbose | any",
    "target modules show-unwind": "a:address@ n:name= c:cached= | none",
    "target modules search-paths list": "| none",
    "target modules search-paths query": "| any",
    "target modules dump line-table": "v:verbose | any",
    "target modules dump objfile": "| any",
    "target modules dump sections": "| any",
    "target modules dump symtab": "m:show-mangled-names s:sort= | any",
    "target modules dump separate-debug-info": "j:json e:errors-only | any",
    "target dump section-load-list": "| none",
    "target stop-hook list": "i:internal | none",
    "breakpoint list": "D:dummy-breakpoints b:brief f:full i:internal v:verbose | any",
    "breakpoint command list": "| any",
    "breakpoint name list": "D:dummy-breakpoints | any",
    "watchpoint list": "b:brief f:full v:verbose | any",
    "watchpoint command list": "| any",
    "process status": "v:verbose d:dump-modification-id | none",
    "platform list": "| none",
    "plugin list": "j:json d:domain= | any",
    "settings list": "| any",
    "log list": "| any",
    "language cplusplus demangle": "| any",
    "statistics dump": "s:summary a:all-targets | none",
    "session history": "c:count= s:start-index= e:end-index= | none",
    "command script list": "| none",
    "type lookup": "l:language= h:show-help | any",
    "type category list": "| any",
    "type filter list": "w:category-regex= l:language= | any",
    "type format list": "w:category-regex= l:language= | any",
    "type summary list": "w:category-regex= l:language= | any",
    "type synthetic list": "w:category-regex= l:language= | any",
    "process handle": "| any",
}
# The letter that gives a size, a count and a format behind a slash: "x/4gx".
SHORT_FORMAT = frozenset({"memory read", "frame variable", "target variable", "register read"})


@dataclass(frozen=True)
class Reading:
    """What one command may be given. ``options`` by letter and by long name: ``=`` takes a value,
    ``@`` an address, empty takes none. ``words`` is what the other words are."""

    options: dict[str, str]
    words: str


def _read(spec: str) -> Reading:
    options, _, words = spec.partition("|")
    found: dict[str, str] = {}
    for option in options.split():
        kind = option[-1] if option[-1] in "=@" else ""
        letter, name = option.removesuffix(kind).split(":")
        found[letter] = found[name] = kind
    return Reading(found, words.strip())


READING = {name: _read(spec) for name, spec in _SPECS.items()}

# Neither read-only for certain nor forbidden: a person may allow them.
ASKED = frozenset(
    (
        "dwim-print",
        "frame diagnose",
        "memory tag read",
        "platform process list",
        "platform status",
        "settings show",
        "source cache clear",
        "statistics disable",
        "statistics enable",
        "target dump typesystem",
        "target modules dump ast",
        "target modules dump clang-ast",
        "target modules dump pcm-info",
        "target modules dump symfile",  # lldb 14 crashes in it
        "target show-launch-environment",
        "thread exception",
        "trace dump",
        "trace schema",
        "type format info",
        "type summary info",
        "type synthetic info",
    )
)
