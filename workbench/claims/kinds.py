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
A text may have several forms, `` | `` between them: the first one whose arguments are all there.
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
    holds. ``fields`` are the columns that it names otherwise than the kind: ``column=field``,
    ``column=-`` for none, ``column=:word`` for the constant word that tells this source's rows from
    those of the kind's other ones."""

    fact: type
    items: str = ""
    where: Callable[[Any], bool] | None = None
    fields: str = ""

    @property
    def named(self) -> dict[str, str]:
        """The field of each column that this source names."""
        return dict(word.split("=", 1) for word in self.fields.split())


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
    r"(?P<links>[<>]*)(?P<name>\w+)(?P<key>\*?)(?:=(?P<field>\^?[\w.]+|-))?:(?P<type>\w+)"
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
            match["name"], match["type"], match["field"] or match["name"], bool(match["key"]),
            "<" in links, ">" in links)  # fmt: skip
    KINDS[name] = Kind(name, found, text, denial, sources, decided)


OPERATORS = ("sum", "difference", "product", "quotient", "shifted-right-by", "truncated-to-bits")
RELATIONS = ("equal", "differs", "less")


def told(kind: Kind, column: str) -> str:
    """The constant words that a column may have, as ``=one|other``; empty for any other column."""
    words = [source.named.get(column, "") for source in kind.sources]
    found = [word[1:] for word in words if word.startswith(":")]
    found += {
        "operator": OPERATORS,
        "relation": RELATIONS,
        "what": ("threads", "waiting", "hold", "ring") if kind.name == "count" else (),
        "state": ("gone",) if kind.name == "thread" else (),
    }.get(column, ())
    return f"={'|'.join(found)}" if found else ""


_F = Source  # short, for the table alone

# ---- the machine --------------------------------------------------------------------------------
_kind("register", "thread*=^thread:thread frame*=^frame:int pc:hex slot=-:is register*=name:name "
      "<>value:hex",
      "[{slot} ]`{register}` held {value}[ in frame {frame}][ of thread {thread}][ at {pc}]",
      "[{slot} ]`{register}` did not hold {value}[ in frame {frame}][ of thread {thread}][ at {pc}]",
      _F(f.Registers, "values"),
      _F(f.Fault, fields="slot=:base register=base_register value=base_value"),
      _F(f.Fault, fields="slot=:index register=index_register value=index_value"))  # fmt: skip
_kind("access", "thread*:thread pc*:hex access:is >address=operand:hex size=operand_size:int "
      ">register=base_register:name >value=base_value:hex region=operand_region:is "
      "symbol=operand_symbol:name instruction:text mnemonic:name >divisor:hex",
      "the faulting instruction[ at {pc}] {access}[ {size} bytes at] {address}[, {region}]"
      "[, in the function `{symbol}`][, where `{register}` holds {value}]"
      " | the divisor of the[ `{mnemonic}`] instruction[ at {pc}] is {divisor}"
      " | the faulting instruction[ at {pc}] is {instruction}",
      "it is not so that the faulting instruction[ at {pc}] {access}[ {size} bytes at] {address}"
      "[, where `{register}` holds {value}]"
      " | the divisor of the instruction[ at {pc}] is not {divisor}"
      " | the faulting instruction[ at {pc}] is not {instruction}", _F(f.Fault))  # fmt: skip
_kind("transfer", ">pc*:hex transfer:is from=transfer_from:hex stack_pointer:hex region:is",
      "control went to {pc} by a {transfer}[ at {from}]",
      "control did not get to {pc} by a {transfer}", _F(f.Fault))  # fmt: skip
_kind("loaded", "<register*:name at*:hex <value:hex >source:hex",
      "`{register}` was loaded[ with {value}] from {source}[ by the instruction at {at}]",
      "`{register}` was not loaded[ with {value}] from {source}", _F(f.Fault, "origin"))  # fmt: skip
_kind("returned_by", "function*=origin_call:name <value=origin_value:hex",
      "`{function}` returned {value}", "`{function}` did not return {value}",
      _F(f.Fault), _F(f.Fault, "index_call", fields="function=function value=value"),
      _F(f.Fault, "divisor_call", fields="function=function value=value"))  # fmt: skip
_kind("unset", "<cell*:hex <value:hex function:hex",
      "{value} was left[ in the stack's cell {cell}], and the function at {function} sets it "
      "nowhere on the way here",
      "the function at {function} sets the cell[ {cell}]",
      _F(f.Fault, "unset"), _F(f.Fault, "index_unset"))  # fmt: skip
_kind("virtual_call", ">object*:hex <table:hex where:text",
      "the first word of the object at {object} is {table}, which is no table of virtual functions",
      "", _F(f.Fault, "virtual"))  # fmt: skip
_kind("member", "<cell*:hex >object:hex offset:hex type=kind:name method_of:name",
      "{cell} is {offset} bytes into the object at {object}, which is of class `{type}`"
      "[ and not of `{method_of}`]",
      "{cell} is not in an object of class `{type}`", _F(f.Fault, "member"))  # fmt: skip
_kind("outside", "<cell*:hex variable:name start:hex",
      "{cell} is outside of the variable `{variable}` at {start}",
      "{cell} is not outside of the variable `{variable}`", _F(f.Fault, "outside"))  # fmt: skip
_kind("data", "<value*:hex text:text <>cell*:hex what:text >start:hex end:hex",
      "the bytes of {value} are the characters {text}"
      " | the word {value} stands[ at {cell}] in a run of data[ from {start} to {end}]"
      " | {cell} is covered by a run of data[, {what},] from {start} to {end}",
      "the bytes of {value} are not the characters {text}",
      _F(f.Fault, "spelled", fields="what=run"), _F(f.Fault, "run"))  # fmt: skip
_kind("update", "pc*:hex <address=operand:hex at=updated_at:hex",
      "what was to be read goes back to {address} by the store at {at}", "", _F(f.Fault))  # fmt: skip
_kind("argument", "<>value*:hex function:name register:name at:hex region:is",
      "the call[ of `{function}`] was given {value}[ in `{register}`][, which is {region}]",
      "the call[ of `{function}`] was not given {value}", _F(f.Argument))  # fmt: skip
_kind("mapped", "<address*:hex kind:is perms:is path:file start:hex end:hex",
      "{address} is in {kind}[, mapped {perms}][ from `{path}`][, from {start} to {end}]",
      "{address} is not in {kind}", decided="mapping")  # fmt: skip
_kind("memory", "<>address*:hex <>value:hex", "the word at {address} is {value}",
      "the word at {address} is not {value}", decided="text")  # fmt: skip
_kind("symbol", "<address*:hex >name:name", "{address} is `{name}`",
      "{address} is not `{name}`", _F(f.Fault, fields="address=operand name=operand_symbol"),
      decided="text")  # fmt: skip
# ---- how it ended -------------------------------------------------------------------------------
_kind("signal", "thread*:thread name:is code_name:is pid=sender_pid:int uid=sender_uid:int",
      "the process was killed by {name}[ ({code_name})][ in thread {thread}]"
      "[, sent by process {pid}][ of user {uid}]"
      " | [the signal was sent by process {pid}][ of user {uid}]",
      "the process was not killed by {name}[ in thread {thread}]",
      _F(f.Signal), _F(f.ExceptionRecord))  # fmt: skip
_kind("fault_address", ">address=fault_address:hex", "the fault address is {address}",
      "the fault address is not {address}", _F(f.Signal), _F(f.ExceptionRecord))  # fmt: skip
_kind("raised", "thread*:thread name:name code:hex address:hex access:is fault_address:hex",
      "[`{name}`, ][exception {code}, ]was raised[ in thread {thread}][ at {address}]",
      "`{name}` was not raised", _F(f.ExceptionRecord))  # fmt: skip
_kind("message", "text:text file:file line:int",
      "it panicked at `{file}:{line}`[ with {text}] | the runtime said {text}", "",
      _F(f.AbortMessage), _F(f.LoaderMessage), _F(f.RustPanic, fields="text=message"))  # fmt: skip
_kind("exception", "type*:name message:text thread:thread address:hex hresult:hex outer*=-:name "
      "fate=-:is",
      "an exception of type `{type}`[ with the message {message}][ and HResult {hresult}] was thrown"
      "[ in thread {thread}][, and `{outer}` wraps it][, and {fate}]",
      "`{outer}` does not wrap an exception of type `{type}`"
      " | it is not so of the exception of type `{type}` that {fate}"
      " | no exception of type `{type}` was thrown[ with the message {message}][ in thread {thread}]",
      _F(f.CxxException), _F(f.ManagedException),
      _F(f.ManagedException, "inner", fields="outer=^type"),
      _F(f.CxxException, where=lambda e: e.uncaught, fields="fate=:uncaught"),
      _F(f.ManagedException, where=lambda e: e.uncaught, fields="fate=:uncaught"))  # fmt: skip
_kind("errno", "thread*:thread number:int name:name asks:name asks_at:hex",
      "errno is {number} (`{name}`)[; the code that led there calls `{asks}` at {asks_at}]",
      "errno is not {number}", _F(f.LastError))  # fmt: skip
_kind("finding", "tool*:is kind*:text category:is message:text address:hex size:int "
      "direction=access:is thread:int function:name place:name signal:name block:hex stop:hex",
      "{tool} reports {message}[, {direction}][ of {size} bytes][ at {address}]"
      "[, of the block at {block}][ (stop {stop})]",
      "{tool} does not report {message}", _F(f.Finding),
      _F(f.HeapReport, fields="tool=:heap message=says"))  # fmt: skip
_kind("role", "role*=^role:is thread=^thread:thread function:name file:file line:int module:module "
      ">address:hex offset:hex block=^block:hex signal=-:is <>cell=-:hex size=-:int <inside=-:hex "
      "<into=-:hex old=-:hex new=-:hex",
      "{signal} stopped a run in {place}[, at {address}]"
      " | in a run {place} {role}[ {new} from] {cell} on the way to {into}"
      " | in a run {place} {role} {cell}[ of {size} bytes][, where {inside} lies]"
      "[: {old} became {new}]"
      " | {role} {place}[ (thread {thread})][, of the block at {block}]",
      "it is not so that {role} {place}", _F(f.Finding, "stacks.frames"),
      _F(f.HeapReport, "frames", where=lambda h: h.kind in ("freed", "double-free"),
         fields="role=:free"))  # fmt: skip
_kind("bugcheck", "code*:hex name:name says:text argument*=-:hex meaning=-:text",
      "the system stopped with bug check {code}[ (`{name}`)][: {says}]"
      "[; an argument of it is {argument}][: {meaning}]",
      "the system did not stop with bug check {code}", _F(f.BugCheck),
      _F(f.BugCheck, "arguments", fields="code=^code argument=value meaning=meaning"))  # fmt: skip
# ---- the heap -----------------------------------------------------------------------------------
_kind("chunk", "<>address*:hex <>start:hex size:hex state:is thread:thread offset:hex >holds:hex",
      "{address} is inside the chunk[ at {start}][ of size {size}][, {offset} bytes from the "
      "start of its memory][, which is {state}][ of thread {thread}]", "{address} is not inside a chunk which is {state}",
      _F(f.Chunk))  # fmt: skip
_kind("mark", "<>value*:hex", "{value} is a word that glibc keeps in free chunks",
      "{value} is no word that glibc keeps in free chunks",
      _F(f.Chunk, where=lambda c: (c.state, c.offset) in f.KEPT_IN_FREE, fields="value=holds"))  # fmt: skip
_kind("given_back", "<>address*:hex thread:thread below:hex function:name",
      "{address} lies {below} bytes below the stack pointer of thread {thread}"
      " | {address} lies in the frame of `{function}` on the stack of thread {thread}",
      "{address} is not memory that the stack of thread {thread} took back",
      _F(f.GivenBack))  # fmt: skip
_kind("headers", "start*:hex end:hex chunks:int in_use:int free:int state=-:is "
      "<>chunk=broken_at:hex >before:hex why=broken:text",
      "{state}[ in the heap at {start}][, that of the chunk at {chunk}][: {why}]"
      "[; the chunk before it is at {before}]"
      " | the heap at {start}[ to {end}] has {chunks} chunks[, {in_use} in use][ and {free} free]",
      "it is not so that {state} | the heap at {start} does not have {chunks} chunks",
      _F(f.Heap),
      _F(f.Heap, where=lambda h: h.broken_at is not None, fields="state=:damaged"),
      _F(f.Heap, where=lambda h: h.broken_at is None, fields="state=:whole chunk=- before=-"),
      _F(f.Heap, where=lambda h: h.overrun, fields="state=:overrun"),
      _F(f.Heap, "list_faults", fields="state=:list start=^start why=text"))  # fmt: skip
_kind("blocks", "what*=-:is type*=kind:name size*:hex count:int bytes:int total:int",
      "{count} {what}[ of size {size}][ of `{type}`] take {bytes}[ of {total}] bytes",
      "it is not so that {count} {what}[ of size {size}][ of `{type}`] take {bytes}[ of {total}] bytes",
      _F(f.Heap, "most", fields="what=:chunks"), _F(f.HeapTypes, "items", fields="what=:objects type=name"))  # fmt: skip
# ---- stacks and threads -------------------------------------------------------------------------
_kind("frame", "thread*=^thread:thread number*=^number:int index*:int function:name "
      "file:file line:int module:module address:hex offset:hex",
      "frame {index}[ of thread {number}][ of thread {thread}] is {place}"
      " | a frame[ of thread {number}][ of thread {thread}] is {place}",
      "frame[ {index}][ of thread {thread}] is not {place}",
      _F(f.Stack, "frames"), _F(f.Place, "frame"),
      _F(f.StackShape, "scanned", fields="index=-"),
      _F(f.StackShape, "below", fields="index=-"),
      _F(f.StackShape, "entered", fields="index=-"), _F(f.StackShape, "outer", fields="index=-"),
      _F(f.Fault, "running", fields="index=-"), _F(f.Fault, "left.frame", fields="index=-"),
      _F(f.Finding, "stacks.frames"),
      _F(f.Finding, "named"), _F(f.ManagedException, "frames"), _F(f.HeapReport, "frames"))  # fmt: skip
_kind("caller", "thread*:thread function*:name caller:name", "`{caller}` called `{function}`"
      "[ in thread {thread}]", "`{caller}` did not call `{function}`", decided="stacks")  # fmt: skip
_kind("value", "thread:thread <>expression*:name function*:name <>value:text",
      "`{expression}`[ in `{function}`] is {value}[ in thread {thread}]",
      "`{expression}`[ in `{function}`] is not {value}", decided="text")  # fmt: skip
_kind("typed", "expression*:code type:code", "`{expression}` is of type `{type}`",
      "`{expression}` is not of type `{type}`", _F(f.Typed))  # fmt: skip
_kind("operand", "expression*:name register:name <>value:hex member:name offset:int",
      "`{expression}` is {value}[, in `{register}`][: its `{member}` is {offset} bytes from there]",
      "`{expression}` is not in `{register}`[ with `{member}` {offset} bytes from there]",
      decided="text")  # fmt: skip
_kind("repeats", "function*:name address*:hex count:int thread=^thread:thread",
      "`{function}` is on the stack again and again[, to be returned to {count} times]"
      "[ in thread {thread}] | {address} is on the stack again and again"
      "[, to be returned to {count} times][ in thread {thread}]", "",
      _F(f.StackShape, "recursion"), decided="stacks")  # fmt: skip
_kind("stack", "thread*:thread state=-:is pointer:hex start:hex end:hex guard_distance:int "
      "<word=-:hex",
      "the stack of thread {thread} {state}: the stack pointer is {pointer}, and it begins at {start}"
      " | the stack of thread {thread}[ {state}][, begins at {start}][, ends at {end}]"
      "[, has the stack pointer {pointer}][, {guard_distance} bytes above its end][ by the word {word}]",
      "it is not so that the stack of thread {thread}[ {state}]",
      _F(f.StackShape), _F(f.StackShape, where=lambda s: s.overflowed, fields="state=:overflowed"),
      _F(f.StackShape, where=lambda s: s.smashed, fields="state=:smashed word=smash_word"))  # fmt: skip
_kind("thread", "thread*:thread number*:int name:text state=-:is role:is exception:name locks:int "
      "kind*=-:is time=-:text",
      "thread {thread}[ has number {number}][, {name}][ {state}][ is the {role} thread]"
      "[ threw the last exception `{exception}`][ holds {locks} monitors][, used {time}]"
      "[ of {kind} time]", "it is not so that thread {thread}[ has number {number}][ {state}]",
      _F(f.Threads, "items"), _F(f.ManagedThreads, "items"),
      _F(f.ThreadTimes, "items", fields="kind=^kind time=shown"),
      _F(f.Wait, where=lambda w: w.kind == "running", fields="state=:computes name=-"),
      decided="stacks")  # fmt: skip
_kind("waits", "thread*:thread kind:is syscall:name on=detail:is <>lock=address:hex owner:thread "
      "ends=owner:thread >name:code",
      "thread {thread} waits for {kind}[ `{name}`][ at {lock}][, which thread {owner} holds]"
      "[ of thread {ends}][ in the system call `{syscall}`][, {on}]"
      " | thread {thread} waits in the system call `{syscall}`[, {on}]",
      "thread {thread} does not wait for {kind}", _F(f.Wait, where=lambda w: w.blocks))  # fmt: skip
_kind("owns", "<>lock*=address:hex owner:thread <>name:code kind:is waiting:int entered:int held:int "
      "counted:int",
      "thread {owner} holds the lock[ `{name}`][ at {lock}][, {kind}]"
      " | the monitor of the object at {lock}[ (`{name}`)] has MonitorHeld {held}: one for its owner "
      "and two for each thread that waits"
      " | {counted} threads wait for the monitor of the object at {lock}[ (`{name}`)]"
      " | the lock at {lock} is `{name}`",
      "thread {owner} does not hold the lock[ `{name}`][ at {lock}]",
      _F(f.Lock), _F(f.Wait, where=lambda w: w.owner is not None and w.kind != "join"),
      _F(f.Monitors, "items", fields="lock=object name=type kind=:monitor"))  # fmt: skip
_kind("cycle", "threads*:is locks:text", "threads {threads} wait for each other",
      "threads {threads} do not wait for each other", _F(f.LockCycle))  # fmt: skip
_kind("loop", "thread*:thread kind:is at:hex count:int reads*=-:hex name=-:code",
      "[thread {thread} ]goes round[ at {at}][: what decides its way is the same again after "
      "{count} instructions][, reading {reads}][ (`{name}`)]", "",
      _F(f.Loop, where=lambda x: x.kind != "open"),
      _F(f.Loop, "reads", fields="thread=^thread reads=address name=name"))  # fmt: skip
_kind("count", "what*=-:is name*:name function*=-:name kind*=-:is lock*=-:hex owner*=-:thread "
      "count:int total:int but=-:thread",
      "there are {count} {what}[ {name}][ in `{function}`][ for {kind}][ at {lock}]"
      "[, which thread {owner} holds][, of {total} in all] | every thread but {but} waits",
      "there are not {count} {what}[ {name}][ in `{function}`][ for {kind}][ at {lock}]"
      "[, which thread {owner} holds]",
      _F(f.FinalizerQueue, fields="what=:finalizers count=ready"),
      _F(f.PoolState, fields="what=:running count=running"),
      _F(f.PoolState, fields="what=:idle count=idle"),
      _F(f.PoolState, fields="what=:queued count=queued total=-"), decided="stacks")  # fmt: skip
# ---- managed state ------------------------------------------------------------------------------
_kind("usage", "what*=-:is bytes:int percent=-:int",
      "{what}: [{bytes} bytes][{percent} percent]", "",
      _F(f.PoolState, fields="what=:processors percent=cpu"),
      _F(f.GcHeap, fields="what=:gc"))  # fmt: skip
# ---- Windows and .NET ---------------------------------------------------------------------------
_kind("kept_by", "type*:name static*:name", "[the static variable `{static}` keeps one of them]"
      "[an object of `{type}` keeps one of them]", "", _F(f.GcRoots, "steps"))  # fmt: skip
_kind("rpc", "endpoint:text interface:text procedure:int call:int process:hex thread:hex status:text "
      "servicing:text", "the remote call[ {call}][ of interface {interface}][, procedure {procedure},]"
      "[ goes to endpoint {endpoint}][ is served by process {process}][ is served "
      "in thread {thread}][ is {status}][, and the thread of cell {servicing} serves it]", "",
      _F(f.RpcCell))  # fmt: skip
# ---- modules ------------------------------------------------------------------------------------
_kind("module", "name*:module version:text base:hex status:is", "`{name}`[ {version}] is loaded"
      "[ at {base}]", "`{name}` is not loaded", _F(f.Module))  # fmt: skip
# ---- the text of a line, and source that the debugger listed ------------------------------------
_kind("quote", "log:own lead:own reads:own text:text", "[{log}: ][{lead}: ][{reads} reads ]{text}",
      "", decided="text")  # fmt: skip
for _name, _columns, _text, _denial in (
    ("assigns", "function*:name <>target*:code <>expression:code operator:is at:int",
     "`{target}`[ of `{function}`] is set to `{expression}`[ in line {at}]",
     "`{target}` is not set to `{expression}`[ in line {at}]"),
    ("calls", "function*:name callee*:code <>arguments:code index*:int <>expression:code at:int",
     "[`{function}` ]passes `{expression}` as argument {index} of `{callee}`[ in line {at}]"
     " | [`{function}` ]calls `{callee}`[ with `{arguments}`][ in line {at}]",
     "`{expression}` is not argument {index} of `{callee}`[ in line {at}]"
     " | [`{function}` ]does not call `{callee}`[ with `{arguments}`][ in line {at}]"),
    ("declares", "function*:name of*:name <>name*:code type:code size:code",
     "`{name}`[ of `{of}`] is declared as `{type}`[ with `{size}` elements]",
     "`{name}` is not declared as `{type}`"),
    ("returns", "function*:name >expression:code at:int", "`{function}` returns `{expression}`"
     "[ in line {at}]", "`{function}` does not return `{expression}`[ in line {at}]"),
    ("frees", "function*:name <expression:code at:int", "[`{function}` ]frees `{expression}`"
     "[ in line {at}]", "[`{function}` ]does not free `{expression}`[ in line {at}]"),
    ("allocates", "function*:name <target*:code callee:code >size:code >count:code at:int",
     "[`{function}` ]allocates[ `{target}` with] `{callee}`[ of size `{size}`]"
     "[ for `{count}` elements][ in line {at}]",
     "`{function}` does not allocate `{target}`[ in line {at}]"),
    ("compares", "function*:name <>left:code operator:is <>right:code at:int",
     "`{left}` is compared {operator} `{right}`[ in line {at}]", ""),
    ("precedes", "function*:name first:int second:int", "line {first} runs before line {second}"
     "[ in `{function}`]", "line {first} does not run before line {second}"),
    ("under_lock", "function*:name <>lock*:code at:int to:int taken:int",
     "line {at} runs with `{lock}` held",
     "line {at} does not run with `{lock}` held"),
    ("never_sets", "function*:name <target*:code at*:int to:int",
     "[`{function}` in ]lines {at} to {to} set `{target}` nowhere", ""),
    ("loops", "function*:name <>condition:code <>each:code at:int to:int",
     "the loop[ of lines {at} to {to}][ takes each `{each}` and] is bounded by `{condition}`", ""),
    ("converts", "function*:name <target*:code type:code >expression:code from_type:code at:int",
     "`{expression}`[ of type `{from_type}`] is converted to `{type}`[ for `{target}`]"
     "[ in line {at}]", ""),
):  # fmt: skip
    _kind(_name, _columns, _text, _denial, decided="source")
# ---- derived: the operands are values of verified statements ------------------------------------
_kind("relation", "<>left:hex relation*:is <>right:hex", "{left} {relation} {right}", "",
      decided="derived")  # fmt: skip
_kind("computed", ">left:hex operator*:is >right:hex <result:hex", "{left} {operator} {right} is {result}",
      "", decided="derived")  # fmt: skip
# ---- what a conclusion states: checked against the frame and the other statements ---------------
_kind("cause", "category*:is how:own function:name file:file line:int module:module offset:hex "
      "address:hex", "", "", decided="cause")  # fmt: skip
_kind("told", "how*:own number:hex address:hex count:int bytes:int name:name other:name "
      "thread:thread text:text function:name file:file line:int",
      "", "", decided="told")  # fmt: skip
