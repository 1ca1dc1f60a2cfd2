"""The kinds of statements: what each takes, which fact decides it, and how it is written.

A row is `_kind(name, columns, text, denial, source)`. Columns are written ``name:type``, with

- ``*`` behind a name that says what the statement is about (two rows of a kind that agree in these
  are about the same thing, so that another value there refutes);
- ``=field`` where the fact's field is called otherwise, ``^`` in front of a field of the fact where
  the row is one of its items;
- ``<`` for what a link of a chain takes over and ``>`` for what it hands on (`chain`).

Types: hex (address or machine word), int, name (symbol, register, variable), code (an expression
of the source), file, module, text (words of the dump), is (one of a few constant words), thread,
own (a constant word of an expert, which no line says).

In a text, ``{column}`` is the argument and ``[…]`` is left out where an argument in it is missing.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from workbench.model import facts as f


class Column(NamedTuple):
    """One argument of a kind."""

    name: str
    type: str
    field: str
    key: bool
    takes: bool
    gives: bool


class Source(NamedTuple):
    """The fact that decides: the fact itself, or each item of its field ``items``, those ``where``
    holds; ``drop`` are columns that it numbers otherwise."""

    fact: type
    items: str = ""
    where: Callable[[Any], bool] | None = None
    drop: tuple[str, ...] = ()


class Kind(NamedTuple):
    """A row of the table. ``sources`` is empty for what a text, a derivation or a conclusion
    decides: ``decided`` then says by what."""

    name: str
    columns: dict[str, Column]
    text: str
    denial: str
    sources: tuple[Source, ...]
    decided: str


_COLUMN = re.compile(
    r"(?P<links>[<>]*)(?P<name>\w+)(?P<key>\*?)(?:=(?P<field>\^?[\w.]+))?:(?P<type>\w+)"
)
KINDS: dict[str, Kind] = {}


def _kind(
    name: str, columns: str, text: str, denial: str = "", *sources: Source, decided: str = "facts"
) -> None:
    found = {}
    for word in columns.split():
        match = _COLUMN.fullmatch(word)
        if match is None:
            raise ValueError(f"{name}: no column: {word}")
        links = match["links"]
        found[match["name"]] = Column(
            match["name"],
            match["type"],
            match["field"] or match["name"],
            bool(match["key"]),
            "<" in links,
            ">" in links,
        )
    KINDS[name] = Kind(name, found, text, denial, sources, decided)


_F, _S = Source, f  # short, for the table alone

# ---- the machine --------------------------------------------------------------------------------
_kind("register", "thread*=^thread:thread frame*=^frame:int register*=name:name <>value:hex",
      "`{register}` held {value}[ in frame {frame}][ of thread {thread}]",
      "`{register}` did not hold {value}[ in frame {frame}][ of thread {thread}]",
      _F(f.Registers, "values"))  # fmt: skip
_kind("access", "thread*:thread pc*:hex access:is <address=operand:hex size=operand_size:int "
      "register=base_register:name >value=base_value:hex region=operand_region:is "
      "symbol=operand_symbol:name",
      "the faulting instruction[ at {pc}] {access}[ {size} bytes at] {address}[, {region}]"
      "[, in the function `{symbol}`][, where `{register}` holds {value}]",
      "it is not so that the faulting instruction[ at {pc}] {access} {address}",
      _F(f.Fault))  # fmt: skip
_kind("instruction", "pc*:hex instruction:text", "the faulting instruction[ at {pc}] is {instruction}",
      "the faulting instruction[ at {pc}] is not {instruction}", _F(f.Fault))  # fmt: skip
_kind("base", "pc*:hex register*=base_register:name >value=base_value:hex",
      "`{register}` held {value} at the fault", "`{register}` did not hold {value} at the fault",
      _F(f.Fault))  # fmt: skip
_kind("index", "pc*:hex register*=index_register:name >value=index_value:hex",
      "the index register `{register}` held {value} at the fault",
      "the index register `{register}` did not hold {value} at the fault", _F(f.Fault))  # fmt: skip
_kind("divisor", "thread:thread pc*:hex mnemonic:name >divisor:hex",
      "the divisor of the[ `{mnemonic}`] instruction[ at {pc}] is {divisor}",
      "the divisor of the instruction[ at {pc}] is not {divisor}", _F(f.Fault))  # fmt: skip
_kind("transfer", "pc*:hex transfer:is from=transfer_from:hex stack_pointer:hex region:is",
      "control went to {pc} by a {transfer}[ at {from}]",
      "control did not get to {pc} by a {transfer}", _F(f.Fault))  # fmt: skip
_kind("loaded", "register*:name at*:hex <value:hex >source:hex",
      "`{register}` was loaded[ with {value}] from {source}[ by the instruction at {at}]",
      "`{register}` was not loaded[ with {value}] from {source}", _F(f.Fault, "origin"))  # fmt: skip
_kind("returned_by", "function*=origin_call:name <value=origin_value:hex",
      "`{function}` returned {value}", "`{function}` did not return {value}",
      _F(f.Fault))  # fmt: skip
_kind("unset", "<cell*:hex <value:hex function:hex",
      "{value} was left[ in the stack's cell {cell}], and the function at {function} sets it "
      "nowhere on the way here",
      "the function at {function} sets the cell[ {cell}]",
      _F(f.Fault, "unset"), _F(f.Fault, "index_unset"))  # fmt: skip
_kind("virtual_call", "<object*:hex >table:hex where:text",
      "the first word of the object at {object} is {table}, which is no table of virtual functions",
      "", _F(f.Fault, "virtual"))  # fmt: skip
_kind("member", "<cell*:hex >object:hex offset:hex type=kind:name method_of:name",
      "{cell} is {offset} bytes into the object at {object}, which is of class `{type}`"
      "[ and not of `{method_of}`]",
      "{cell} is not in an object of class `{type}`", _F(f.Fault, "member"))  # fmt: skip
_kind("outside", "<cell*:hex variable:name start:hex",
      "{cell} is outside of the variable `{variable}` at {start}",
      "{cell} is not outside of the variable `{variable}`", _F(f.Fault, "outside"))  # fmt: skip
_kind("data_run", "<cell*:hex start:hex end:hex what:text",
      "{cell} is covered by a run of data[, {what},] from {start} to {end}",
      "", _F(f.Fault, "run"))  # fmt: skip
_kind("spelled", "<value*:hex text:text", "the bytes of {value} are the characters {text}",
      "the bytes of {value} are not the characters {text}", _F(f.Fault, "spelled"))  # fmt: skip
_kind("copied", "<value*:hex >cell:hex run:text >start:hex end:hex",
      "the same word stands[ at {cell}, which is] in a run of data[ from {start} to {end}]", "",
      _F(f.Fault, "spelled"))  # fmt: skip
_kind("update", "pc*:hex <address=operand:hex at=updated_at:hex",
      "what was to be read goes back to {address} by the store at {at}", "", _F(f.Fault))  # fmt: skip
_kind("argument", "<>value*:hex function:name register:name at:hex region:is",
      "the call[ of `{function}`] was given {value}[ in `{register}`][, which is {region}]",
      "the call[ of `{function}`] was not given {value}", _F(f.Argument))  # fmt: skip
_kind("region", "start*:hex end:hex perms:is kind:is path:file thread:thread",
      "[{address} is in ]the mapping from {start} to {end} is {kind}[ {perms}][ of `{path}`]",
      "the mapping at {start} is not {kind}", _F(f.Memory, "regions"))  # fmt: skip
_kind("mapped", "<address*:hex kind:is perms:is path:file",
      "{address} is in {kind}[, mapped {perms}][ from `{path}`]",
      "{address} is not in {kind}", decided="mapping")  # fmt: skip
_kind("unmapped", "<address*:hex", "nothing is mapped at {address}",
      "{address} is mapped", decided="mapping")  # fmt: skip
_kind("memory", "<address*:hex >value:hex", "the word at {address} is {value}",
      "the word at {address} is not {value}", decided="text")  # fmt: skip
_kind("symbol", "<address*:hex name:name", "{address} is `{name}`",
      "{address} is not `{name}`", decided="text")  # fmt: skip
# ---- how it ended -------------------------------------------------------------------------------
_kind("signal", "thread*:thread name:is code_name:is",
      "the process was killed by {name}[ ({code_name})][ in thread {thread}]",
      "the process was not killed by {name}[ in thread {thread}]",
      _F(f.Signal), _F(f.ExceptionRecord))  # fmt: skip
_kind("fault_address", "<address=fault_address:hex", "the fault address is {address}",
      "the fault address is not {address}", _F(f.Signal), _F(f.ExceptionRecord))  # fmt: skip
_kind("sender", "pid*=sender_pid:int uid=sender_uid:int", "the signal was sent by process {pid}"
      "[ of user {uid}]", "the signal was not sent by process {pid}", _F(f.Signal))  # fmt: skip
_kind("raised", "thread*:thread name:name code:hex address:hex access:is fault_address:hex",
      "[`{name}`, ][exception {code}, ]was raised[ in thread {thread}][ at {address}]",
      "`{name}` was not raised", _F(f.ExceptionRecord))  # fmt: skip
_kind("message", "text:text", "the runtime said {text}", "", _F(f.AbortMessage),
      _F(f.LoaderMessage))  # fmt: skip
_kind("exception", "type*:name message:text thread:thread address:hex hresult:hex",
      "an exception of type `{type}`[ with the message {message}][ and HResult {hresult}] was thrown"
      "[ in thread {thread}]", "no exception of type `{type}` was thrown",
      _F(f.CxxException), _F(f.ManagedException), _F(f.ManagedException, "inner"))  # fmt: skip
_kind("uncaught", "type*:name", "nobody caught the exception of type `{type}`",
      "the exception of type `{type}` was caught",
      _F(f.CxxException, where=lambda e: e.uncaught), _F(f.ManagedException,
      where=lambda e: e.uncaught))  # fmt: skip
_kind("panic", "message:text file:file line:int", "it panicked[ at `{file}:{line}`]"
      "[ with {message}]", "", _F(f.RustPanic))  # fmt: skip
_kind("errno", "thread*:thread number:int name:name asks:name asks_at:hex",
      "errno is {number} (`{name}`)[; the code that led there calls `{asks}` at {asks_at}]",
      "errno is not {number}", _F(f.LastError))  # fmt: skip
_kind("finding", "tool*:is kind*:text category:is message:text address:hex size:int "
      "direction=access:is thread:int function:name place:name signal:name",
      "{tool} reports {message}[, {direction}][ of {size} bytes][ at {address}]",
      "{tool} does not report {message}", _F(f.Finding))  # fmt: skip
_kind("role", "role*=^role:is thread=^thread:int function:name file:file line:int module:module "
      "address:hex offset:hex", "{role} {place}[ (thread {thread})]",
      "it is not so that {role} {place}", _F(f.Finding, "stacks.frames"))  # fmt: skip
_kind("bugcheck", "code*:hex name:name says:text", "the system stopped with bug check {code}"
      "[ (`{name}`)][: {says}]",
      "the system did not stop with bug check {code}", _F(f.BugCheck))  # fmt: skip
# ---- the heap -----------------------------------------------------------------------------------
_kind("chunk", "<>address*:hex <>start:hex size:hex state:is thread:thread offset:hex >holds:hex",
      "{address} is inside the chunk[ at {start}][ of size {size}][, {offset} bytes from the "
      "start of its memory][, which is {state}][ of thread {thread}]", "{address} is not inside a chunk which is {state}",
      _F(f.Chunk))  # fmt: skip
_kind("heap", "start*:hex end:hex chunks:int in_use:int free:int",
      "the heap at {start}[ to {end}] has {chunks} chunks[, {in_use} in use][ and {free} free]",
      "the heap at {start} does not have {chunks} chunks", _F(f.Heap))  # fmt: skip
_kind("broken_chunk", "start*:hex <chunk=broken_at:hex before:hex why=broken:text",
      "the header of the chunk at {chunk} is damaged[: {why}][; the chunk before it is at {before}]",
      "the header of the chunk at {chunk} is whole",
      _F(f.Heap, where=lambda h: h.broken_at is not None))  # fmt: skip
_kind("heap_whole", "start*:hex", "the chunk headers of the heap at {start} are consistent",
      "a chunk header of the heap at {start} is damaged",
      _F(f.Heap, where=lambda h: h.broken_at is None))  # fmt: skip
_kind("overrun", "start*:hex <chunk=broken_at:hex >before:hex",
      "the same data is on both sides of the chunk header at {chunk}[, which ends the chunk "
      "at {before}]", "",
      _F(f.Heap, where=lambda h: h.overrun))  # fmt: skip
_kind("heap_share", "size*:hex count:int bytes:int total:int type=kind:name",
      "{count} chunks of size {size} are in use and take {bytes} of {total} bytes of the heap"
      "[; they hold `{type}`]", "", _F(f.Heap, "most"))  # fmt: skip
_kind("list_fault", "text:text", "a free list of malloc is damaged: {text}", "",
      _F(f.Heap, "list_faults"))  # fmt: skip
_kind("heap_report", "says:text kind:is block:hex size:hex address:hex stop:hex",
      "the heap's checker says {says}[ of the block at {block}][ of size {size}][ (stop {stop})]",
      "", _F(f.HeapReport))  # fmt: skip
# ---- stacks and threads -------------------------------------------------------------------------
_kind("frame", "thread*=^thread:thread number*=^number:int index*:int function:name "
      "file:file line:int module:module address:hex offset:hex",
      "frame[ {index}][ of thread {number}][ of thread {thread}] is {place}",
      "frame[ {index}][ of thread {thread}] is not {place}",
      _F(f.Stack, "frames"), _F(f.StackShape, "scanned", drop=("index",)),
      _F(f.StackShape, "below", drop=("index",)), _F(f.Fault, "running", drop=("index",)), _F(f.Finding, "stacks.frames"),
      _F(f.Finding, "named"), _F(f.ManagedException, "frames"), _F(f.HeapReport, "frames"))  # fmt: skip
_kind("caller", "thread*:thread function*:name caller:name", "`{caller}` called `{function}`"
      "[ in thread {thread}]", "`{caller}` did not call `{function}`", decided="stacks")  # fmt: skip
_kind("frame_argument", "thread:thread function*:name name*:name <>value:text",
      "`{name}` of `{function}` is {value}[ in thread {thread}]",
      "`{name}` of `{function}` is not {value}",
      decided="stacks")  # fmt: skip
_kind("local", "function*:name name*:name <>value:text",
      "`{name}`[ in `{function}`] is {value}", "`{name}`[ in `{function}`] is not {value}",
      decided="stacks")  # fmt: skip
_kind("value", "expression*:name function*:name <>value:text",
      "`{expression}`[ in `{function}`] is {value}",
      "`{expression}`[ in `{function}`] is not {value}", decided="text")  # fmt: skip
_kind("recursion", "function:name address*:hex count:int thread=^thread:thread",
      "the return address {address}[ in `{function}`] is {count} times on the stack", "",
      _F(f.StackShape, "recursion"))  # fmt: skip
_kind("repeats", "function*:name address*:hex", "[`{function}` ][{address} ]is on the stack again "
      "and again", "", decided="stacks")  # fmt: skip
_kind("threads_in", "function*:name count:int", "{count} threads are in `{function}`",
      "not {count} threads are in `{function}`", decided="stacks")  # fmt: skip
_kind("stack_room", "thread*:thread pointer:hex start:hex end:hex guard_distance:int guard:is",
      "the stack pointer {pointer} is {guard_distance} bytes above the end of the stack"
      "[ of thread {thread}]", "", _F(f.StackShape))  # fmt: skip
_kind("stack_overflowed", "thread*:thread pointer:hex start:hex", "the stack of thread {thread} "
      "ran over its end[: the stack pointer is {pointer}][ and the stack begins at {start}]", "the stack of thread {thread} did not run over its end",
      _F(f.StackShape, where=lambda s: s.overflowed))  # fmt: skip
_kind("smashed", "thread*:thread <word=smash_word:hex", "one run of the word {word} covers return "
      "addresses of thread {thread}", "", _F(f.StackShape, where=lambda s: s.smashed))  # fmt: skip
_kind("thread", "thread*:thread number*:int name:text", "thread {number} is {thread}[, {name}]",
      "thread {number} is not {thread}", _F(f.Threads, "items"))  # fmt: skip
_kind("gone", "thread*:thread",
      "thread {thread}, which holds it, is no thread of the process any more",
      "thread {thread}, which holds it, is a thread of the process", decided="stacks")  # fmt: skip
_kind("thread_count", "count:int", "the process has {count} threads",
      "the process does not have {count} threads", decided="stacks")  # fmt: skip
_kind("waits", "thread*:thread kind:is syscall:name on=detail:is <>lock=address:hex owner:thread "
      "ends=owner:thread name:code",
      "thread {thread} waits for {kind}[ `{name}`][ at {lock}][, which thread {owner} holds]"
      "[ of thread {ends}][ in the system call `{syscall}`][, {on}]",
      "thread {thread} does not wait for {kind}", _F(f.Wait, where=lambda w: w.kind != "running"))  # fmt: skip
_kind("waiting", "kind*:is lock*:hex owner*:thread count:int",
      "threads that wait[ for {kind}][ at {lock}][, which thread {owner} holds]: {count}",
      "", decided="stacks")  # fmt: skip
_kind("computes", "thread*:thread", "thread {thread} is computing: it is in no system call",
      "thread {thread} is in a system call", _F(f.Wait, where=lambda w: w.kind == "running"))  # fmt: skip
_kind("owns", "<>lock*=address:hex owner:thread name:code", "thread {owner} holds the lock"
      "[ `{name}`][ at {lock}]", "thread {owner} does not hold the lock[ `{name}`][ at {lock}]",
      _F(f.LockOwner), _F(f.Wait, where=lambda w: w.owner is not None))  # fmt: skip
_kind("cycle", "threads*:is locks:text", "threads {threads} wait for each other",
      "threads {threads} do not wait for each other", _F(f.LockCycle))  # fmt: skip
_kind("loop", "thread*:thread kind:is at:hex count:int",
      "thread {thread} goes round at {at}[: its state is the same again after {count} "
      "instructions]", "", _F(f.Loop, where=lambda x: x.kind != "open"))  # fmt: skip
_kind("all_wait", "count:int but:thread", "[all {count} threads of the process wait]"
      "[every thread but {but} waits]", "", decided="stacks")  # fmt: skip
_kind("spins_on", "thread=^thread:thread address*:hex name:code",
      "[thread {thread} ]reads[ `{name}`] at {address} in each round", "", _F(f.Loop, "reads"))  # fmt: skip
_kind("critical_section", "address*:hex name:name kind:is owner:thread waiting:int entered:int",
      "the lock[ `{name}`] at {address}[, a {kind},] is held by thread {owner}", "",
      _F(f.CriticalSection))  # fmt: skip
_kind("thread_time", "thread*:thread number:int kind*=^kind:is seconds:text shown:text",
      "the[ {kind}] time of thread {thread}[ (number {number})] is {shown}", "", _F(f.ThreadTimes, "items"))  # fmt: skip
# ---- managed state ------------------------------------------------------------------------------
_kind("heap_type", "type*=name:name count:int bytes:int",
      "{count} objects of `{type}` take {bytes} bytes",
      "`{type}` does not take {bytes} bytes", _F(f.HeapTypes, "items"))  # fmt: skip
_kind("pool", "running:int idle:int total:int maximum:int queued:int cpu:int",
      "[the thread pool has {running} running workers][ and {idle} idle ones]"
      "[{queued} work items wait in the thread pool's queue]"
      "[the processors are busy to {cpu} %]", "", _F(f.PoolState))  # fmt: skip
_kind("monitor", "object*:hex type:name owner:thread held:int counted:int",
      "the monitor of the object at {object}[ (`{type}`)][ is held by thread {owner}][ has "
      "MonitorHeld {held}: one for its owner and two for each thread that waits]"
      "[ is what {counted} threads wait for]", "", _F(f.Monitors, "items"))  # fmt: skip
_kind("managed_thread", "thread*:thread role:is exception:name locks:int",
      "thread {thread}[ is the {role} thread][ threw the last exception `{exception}`][ holds {locks}"
      " monitors]", "", _F(f.ManagedThreads, "items"))  # fmt: skip
_kind("finalizers", "registered:int ready:int", "{ready} objects wait for their finalizer", "",
      _F(f.FinalizerQueue))  # fmt: skip
# ---- Windows and .NET ---------------------------------------------------------------------------
_kind("wraps", "outer*=^type:name type*:name message:text", "`{outer}` wraps `{type}`[ with the "
      "message {message}]", "`{outer}` does not wrap `{type}`", _F(f.ManagedException, "inner"))  # fmt: skip
_kind("holes", "bytes=free:int", "{bytes} bytes of the managed heap are holes", "",
      _F(f.HeapTypes))  # fmt: skip
_kind("gc_heap", "bytes:int", "the managed heap is {bytes} bytes large", "", _F(f.GcHeap))  # fmt: skip
_kind("kept_by", "type*:name static*:name", "[the static variable `{static}` keeps one of them]"
      "[an object of `{type}` keeps one of them]", "", _F(f.GcRoots, "steps"))  # fmt: skip
_kind("bug_argument", "code=^code:hex value*:hex meaning:text",
      "an argument of the bug check is {value}[: {meaning}]", "", _F(f.BugCheck, "arguments"))  # fmt: skip
_kind("freed_by", "block=^block:hex function*:name file:file line:int module:module address:hex "
      "offset:hex", "the block was freed by {place}", "the block was not freed by {place}",
      _F(f.HeapReport, "frames", where=lambda h: h.kind in ("freed", "double-free")))  # fmt: skip
_kind("space", "name*:name bytes:hex shown:text", "`{name}` takes {shown} of the address space", "",
      _F(f.AddressSpace, "usage"))  # fmt: skip
_kind("largest_free", "bytes:hex shown:text", "the largest free piece of the address space is "
      "{shown}", "", _F(f.AddressSpace, "largest_free"))  # fmt: skip
_kind("native_heap", "address*:hex committed:int", "the heap at {address} has {committed} bytes "
      "committed", "", _F(f.NativeHeaps, "items"))  # fmt: skip
_kind("block_size", "heap*=^heap:hex size*:hex count:int bytes:hex percent:text shown:text",
      "{count} blocks of size {size} take {bytes} bytes, {percent} percent of the heap at {heap}",
      "", _F(f.HeapBlocks, "items"))  # fmt: skip
_kind("handles", "name*:name count:int total=^total:int", "{count} of {total} open handles are of "
      "the kind {name}", "", _F(f.Handles, "kinds"))  # fmt: skip
_kind("rpc", "endpoint:text interface:text procedure:int call:int process:hex thread:hex status:text "
      "servicing:text", "the remote call[ {call}][ of interface {interface}][, procedure {procedure},]"
      "[ goes to endpoint {endpoint}][ is served by process {process}][ is served "
      "in thread {thread}][ is {status}][, and the thread of cell {servicing} serves it]", "",
      _F(f.RpcCell))  # fmt: skip
# ---- modules ------------------------------------------------------------------------------------
_kind("module", "name*:module version:text base:hex status:is", "`{name}`[ {version}] is loaded"
      "[ at {base}]", "`{name}` is not loaded", _F(f.Module))  # fmt: skip
# ---- the text of a line, and source that the debugger listed ------------------------------------
_kind("quote", "lead:own text:text", "[{lead}: ]{text}", "", decided="text")
for _name, _columns, _text, _denial in (
    ("assigns", "function*:name <target*:code >expression:code operator:is at:int",
     "`{target}`[ of `{function}`] is set to `{expression}`[ in line {at}]",
     "`{target}` is not set to `{expression}`"),
    ("calls", "function*:name callee*:code arguments:code at:int",
     "[`{function}` ]calls `{callee}`[ with `{arguments}`][ in line {at}]",
     "[`{function}` ]does not call `{callee}`"),
    ("passes", "function*:name callee*:code index*:int <>expression:code at:int",
     "[`{function}` ]passes `{expression}` as argument {index} of `{callee}`[ in line {at}]",
     "`{expression}` is not argument {index} of `{callee}`"),
    ("declares", "function*:name of*:name <>name*:code type:code size:code",
     "`{name}`[ of `{of}`] is declared as `{type}`[ with `{size}` elements]",
     "`{name}` is not declared as `{type}`"),
    ("returns", "function*:name >expression:code at:int", "`{function}` returns `{expression}`"
     "[ in line {at}]", "`{function}` does not return `{expression}`"),
    ("frees", "function*:name <>expression:code at:int", "[`{function}` ]frees `{expression}`"
     "[ in line {at}]", "[`{function}` ]does not free `{expression}`"),
    ("allocates", "function*:name <target*:code callee:code >size:code >count:code at:int",
     "[`{function}` ]allocates[ `{target}` with] `{callee}`[ of size `{size}`]"
     "[ for `{count}` elements][ in line {at}]",
     "`{function}` does not allocate `{target}`"),
    ("compares", "function*:name <left:code operator:is >right:code at:int",
     "`{left}` is compared {operator} `{right}`[ in line {at}]", ""),
    ("precedes", "function*:name first:int second:int", "line {first} runs before line {second}"
     "[ in `{function}`]", "line {first} does not run before line {second}"),
    ("under_lock", "function*:name lock*:code at:int to:int taken:int",
     "line {at} runs with `{lock}` held",
     "line {at} does not run with `{lock}` held"),
    ("never_sets", "function*:name <target*:code at*:int to:int",
     "[`{function}` in ]lines {at} to {to} set `{target}` nowhere", ""),
    ("loops", "function*:name >condition:code >each:code at:int to:int",
     "the loop[ of lines {at} to {to}][ takes each `{each}` and] is bounded by `{condition}`", ""),
    ("narrows", "function*:name <target*:code type:code >expression:code from_type:code at:int",
     "`{target}` of type `{type}` takes[ only a part of] `{expression}`[ of type `{from_type}`]"
     "[ in line {at}]", ""),
    ("casts", "function*:name <target:code type:code >expression:code at:int",
     "`{expression}` is converted to `{type}`[ in line {at}]", ""),
):  # fmt: skip
    _kind(_name, _columns, _text, _denial, decided="source")
# ---- derived: the operands are values of verified statements ------------------------------------
_kind("equal", "<left:hex >right:hex", "{left} equals {right}", "", decided="derived")
_kind("differs", "left:hex right:hex", "{left} differs from {right}", "", decided="derived")
_kind("less", "left:hex right:hex", "{left} is less than {right}", "", decided="derived")
_kind("sum", ">left:hex >right:hex <result:hex", "{left} + {right} = {result}", "",
      decided="derived")  # fmt: skip
_kind("difference", ">left:hex >right:hex <result:hex", "{left} - {right} = {result}", "",
      decided="derived")  # fmt: skip
_kind("product", ">left:hex >right:hex <result:hex", "{left} * {right} = {result}", "",
      decided="derived")  # fmt: skip
_kind("quotient", ">left:hex >right:hex <result:hex", "{left} / {right} = {result}", "",
      decided="derived")  # fmt: skip
_kind("shifted", ">left:hex right:int <result:hex",
      "{left} shifted right by {right} bits is {result}", "", decided="derived")  # fmt: skip
_kind("truncated", ">value:hex bits:int <result:hex",
      "{value} truncated to {bits} bits is {result}", "", decided="derived")  # fmt: skip
# ---- what a conclusion states: checked against the frame and the other statements ---------------
_kind("cause", "category*:is how:own function:name file:file line:int module:module offset:hex "
      "address:hex", "", "", decided="cause")  # fmt: skip
_kind("told", "how*:own number:hex address:hex count:int bytes:int name:name other:name "
      "thread:thread text:text function:name file:file line:int",
      "", "", decided="told")  # fmt: skip
