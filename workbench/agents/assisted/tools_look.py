"""Tools for a model with room: source by function, variables of a frame, typed memory, the heap,
where a value stands, who calls, who writes, and arithmetic over the dump's values.

Each asks through the policy, as ``exec`` does, or reads what is in evidence already; all of it can
be cited.
"""

import re

from msgspec.structs import replace

from workbench.agents import looking
from workbench.agents.assisted import arguments
from workbench.agents.assisted.arguments import ERROR, INTENT, NEW, REFUSED, Result
from workbench.agents.assisted.numbered import numbered, short, whole_lines
from workbench.agents.assisted.tools_dump import ask
from workbench.agents.checking import book_of
from workbench.agents.ports import Ports
from workbench.claims.book import Book
from workbench.claims.listed import texts_of
from workbench.claims.source import (
    Row,
    SourceText,
    function_extent,
    is_function,
    last_name,
    normal,
    rows,
    writers,
)
from workbench.model.evidence import Command
from workbench.model.facts import Stack
from workbench.model.investigation import Investigation

AROUND = 100
"""Lines before and after one that are listed to see its function whole."""
_MOST = 60
_LINE_OF = re.compile(r'^Line (?P<line>\d+) of "(?P<file>[^"]+)"', re.MULTILINE)
_FILE = re.compile(r"[\w./+-]{1,200}")
_LIST = {"gdb": "list {file}:{first},{last}", "lldb": "source list -f {file} -l {first} -c {count}"}
_TYPED = {"gdb": "print *({type} *){address}", "cdb": "dt {type} {address}"}
_OFFSETOF = re.compile(r"offsetof\s*\(\s*(?P<type>[\w: ]+?)\s*,\s*(?P<member>[\w.]+)\s*\)")
_RECKONED = re.compile(
    r"(?:sizeof\b|[A-Za-z_$][\w:$]*(?!\w|\s*\()|0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*"
    r"|->|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^~!<>.,()\[\]\s])+"
)
"""Names, numbers and operators without assignment, call or text; ``sizeof`` and casts stay."""
_CALLED = re.compile(r"(?<!\bsizeof)(?<!\bsizeof\s)(?<=[\w\])])\s*\(|\+\+|--|,")


def listing(state: Investigation, file: str, line: int, around: int = AROUND) -> Command | None:
    """The command that lists what is around a line; None where the file's name is not plain."""
    form = _LIST.get(state.host)
    if form is None or _FILE.fullmatch(file) is None:
        return None
    first = max(1, line - around)
    text = form.format(file=file, first=first, last=line + around, count=line + around - first)
    return Command(text, f"the function around line {line} of {file}")


def whole(state: Investigation, file: str, most: int) -> Command | None:
    """The command that lists a file from its first line on; None where its name is not plain. gdb
    18 takes no last line of a header that several files include."""
    command = listing(state, file, most // 2, most // 2)
    if command is None or state.host != "gdb":
        return command
    return replace(command, text=f"with listsize {most} -- list {file}:1,")


async def function_of(ports: Ports, file: str, line: int, most: int, *, ask: bool = True) -> Result:
    """The whole function around a line, its own line marked, from a listing in evidence or one that
    is asked for now."""
    book = await read_all(ports)
    found = _around(book, file, line)
    for name in dict.fromkeys((file, file.rpartition("/")[2])) if ask else ():
        # Of a Rust program gdb finds no file by its whole path.
        command = listing(ports.state, name, line)
        if found is None and command is not None and await ports.ask(command) is not None:
            found = _around(await read_all(ports), file, line)
    if found is None:
        return Result(f"no listing shows line {line} of {short(file)}", ERROR)
    name, source, extent = found
    kept = [row for row in source.lines if extent[0] <= row[1] <= extent[1]]
    shown = [
        f"{name}:{at}| {short(text)}{'   <== here' if of_file == line else ''}"
        for at, of_file, text in ((at, of_file, f"{of_file}\t{text}") for at, of_file, text in kept)
    ]
    return Result(whole_lines("\n".join(shown), most), evidence=(name,))


def _around(book: Book, file: str, line: int) -> tuple[str, SourceText, tuple[int, int]] | None:
    """The item and listing that show the function around a line whole."""
    for name in book.evidence:
        for source in texts_of(book, name):
            same = source.file is None or source.file.endswith(file) or file.endswith(source.file)
            if same and any(row[1] == line for row in source.lines):
                extent = function_extent(source, line)
                if extent is not None:
                    return name, source, extent
    return None


async def read_all(ports: Ports) -> Book:
    """The book of all evidence, its texts read."""
    texts = {name: await ports.text(name) for name in ports.state.evidence}
    return book_of(ports.state, lambda name: texts[name])


async def source(ports: Ports, asked: arguments.Function) -> Result:
    """``source``: a function whole, by the frames that show it, else by the debugger's line."""
    state = ports.state
    for stack in state.facts.all(Stack):
        for frame in stack.frames[:64]:
            named = frame.function and is_function(frame.function, asked.function)
            if named and frame.file and frame.line:
                return await function_of(ports, frame.file, frame.line, state.shown.excerpt)
    where = await ask(ports, f"info line {asked.function}", INTENT)
    match = _LINE_OF.search(await ports.text(where.evidence[0])) if where.evidence else None
    if match is None:
        return where
    return await function_of(ports, match["file"], int(match["line"]), state.shown.excerpt)


async def variables(ports: Ports, asked: arguments.OfFrame) -> Result:
    """``locals``: the arguments and locals of one frame."""
    state = ports.state
    known = {item.thread_id for item in looking.threads(state)}
    numbers = {looking.number_of(state, thread): thread for thread in known}
    thread = asked.thread if asked.thread in known else numbers.get(asked.thread)
    wanted = looking.commands(state, thread or looking.first_thread(state), asked.frame)
    found = [item for one in wanted if (item := await ports.ask(one)) is not None]
    if not found:
        return Result(f"thread {asked.thread} has no frame {asked.frame} that shows them", ERROR)
    share = state.shown.excerpt // len(found)
    parts = [f"{i.command}\n{numbered(i.id, await ports.text(i.id), most=share)}" for i in found]
    return Result("\n".join(parts), NEW, tuple(item.id for item in found))


async def memory(ports: Ports, asked: arguments.Typed) -> Result:
    """``memory``: what lies at an address, as a type."""
    form = _TYPED.get(ports.state.host)
    if form is None:
        return Result("this debugger has no command for it here: use inspect", ERROR)
    return await ask(ports, form.format(type=asked.type, address=asked.address), INTENT)


async def heap(ports: Ports, asked: arguments.Address) -> Result:
    """``heap``: the chunk that an address lies in, and its state."""
    return await ask(ports, f"@heap {asked.address}", INTENT)


async def find_value(ports: Ports, asked: arguments.Value) -> Result:
    """``find_value``: the lines of evidence in which a number stands, in either base."""
    number = int(asked.value, 0)
    spelt = re.compile(rf"(?<![\w.])(?:0x0*{number:x}|{number}|0*{number:x}(?=\s))(?![\w.])")
    book = await read_all(ports)
    hits = [
        f"{name}:{at}| {short(line)}"
        for name in book.evidence
        for at, line in enumerate(book.text(name).split("\n"), 1)
        if spelt.search(line)
    ]
    return _listed(ports, hits, f"{asked.value} stands in no line of the evidence")


async def callers(ports: Ports, asked: arguments.Function) -> Result:
    """``callers``: the calls of a function in source that was listed."""
    name = last_name(asked.function) or asked.function
    book = await read_all(ports)
    hits = [
        _said(book, item, row)
        for item in book.evidence
        for text in texts_of(book, item)
        for row in rows(text)
        if row.kind == "calls"
        and "index" not in row.values
        and last_name(normal(str(row.values["callee"]))) == name
    ]
    return _listed(ports, hits, f"no source that was listed calls {name}: list more of it")


async def writes(ports: Ports, asked: arguments.FieldName) -> Result:
    """``writers``: who assigns, frees, fills or empties a member in source that was listed."""
    book = await read_all(ports)
    field = last_name(normal(asked.field)) or asked.field
    hits = [
        _said(book, name, row)
        for name in book.evidence
        for text in texts_of(book, name)
        for row in writers(field, text)
    ]
    return _listed(ports, hits, f"no source that was listed writes {field}: list more of it")


async def calc(ports: Ports, asked: arguments.Reckoned) -> Result:
    """``calc``: sizes, offsets and arithmetic over the dump's values, as an item to be cited."""
    text = _OFFSETOF.sub(r"(long)&((\g<type> *)0)->\g<member>", asked.expression.strip())
    plain = _OFFSETOF.sub("1", asked.expression.strip())
    if _RECKONED.fullmatch(plain) is None or _CALLED.search(plain):
        return Result("refused: names, numbers and operators only; no call, no assignment", REFUSED)
    if ports.state.host != "gdb":
        return Result("this debugger has no command for it here: use exec", ERROR)
    return await ask(ports, f"frame apply level {asked.frame} -q print {text}", INTENT)


def _said(book: Book, name: str, row: Row) -> str:
    return f"{name}:{row.line}| {short(book.lines(name)[row.line - 1])} [{row.values['function']}]"


def _listed(ports: Ports, hits: list[str], none: str) -> Result:
    found = list(dict.fromkeys(hits))
    if not found:
        return Result(none, ERROR)
    more = [f"… and {len(found) - _MOST} more"] if len(found) > _MOST else []
    text = whole_lines("\n".join([*found[:_MOST], *more]), ports.state.shown.excerpt)
    return Result(text, evidence=tuple(dict.fromkeys(h.partition(":")[0] for h in found[:_MOST])))
