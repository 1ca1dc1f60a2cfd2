"""Values of expressions that a question names: what the debugger is asked, what it printed.

``pool[2]->name`` is looked up in the frame of the program that is blamed (or that the person
selected), then in the frames that have a variable of that name, then in the other frames of the
program on that thread. Each command passes the read-only policy, so nothing is called or assigned.
"""

import re
from collections.abc import Generator, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from analyzers.gdb.frames import parse_frame
from analyzers.names import bare
from analyzers.owners.sources import is_glibc_folder, is_library_source
from workbench.agents import looking
from workbench.agents.chat.asked import Asked
from workbench.agents.chat.expressions import ROOT, STEPS, is_placed, root_of
from workbench.agents.chat.logged import logged
from workbench.agents.chat.talk import Talk, quoting
from workbench.agents.ports import spelt
from workbench.claims.say import say
from workbench.claims.values import leads_to, leaves
from workbench.debuggers.policy import check
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.evidence import Command, Evidence, question
from workbench.model.facts import Frame, Locals, Lock, Printed, Stack, Typed
from workbench.model.gdb_commands import selected_level, without_error
from workbench.model.investigation import Investigation
from workbench.model.text import counted

_MOST_FRAMES = 2
_MOST_ASKED = 6
_MOST_SWEPT = 24
_MOST_THREADS = 64
_LONGEST = 160
"""Characters of a value that a sentence gives."""

_METHOD = re.compile(rf"(?<![\w.>:]){ROOT}{STEPS}+\(")

_TYPEOF = re.compile(r"typeof\((.+)\)")
_SIZEOF = re.compile(r"sizeof\((\w+)\)")
_PRINTED = re.compile(r"(?:\$\d{1,9}|type) = (?P<value>.+)")
_IN_LLDB = re.compile(r"\(.{1,400}?\) [^=]{1,200}? = (?P<value>.+)")
_ABSENT = re.compile(
    r'(?i)No symbol ["\']|use of undeclared identifier|no (?:member|member or method|variable)'
    r" named|can't find global variable|^\$\d+ = \{.*\} 0x[0-9a-f]+ <"  # a function is no value
)
_FUNCTION = re.compile(r"type = (?!func\b|\*|.*[*&]\)).*\)$")
"""libc's `index` or `time` in a frame without a variable of that name."""
_SELECTED = re.compile(r"thread (?:apply|select) (\d{1,9})\b")
NAMED = re.compile(r"(?:^|[\s,(])([A-Za-z_]\w{0,60})=")
"""The arguments of a frame."""
_POINTER = re.compile(r"\((?P<type>[\w ]+?) ?\*(?: const)?\) 0x(?P<at>[0-9a-f]+)")

_LEADS = re.compile(r"(?:\([^()]+\) )?0x[0-9a-f]{4,16}(?: <[^>]*>)?$")
"""A pointer to no text and no function."""


class Shown(Struct, frozen=True):
    """What the debugger printed of an expression: ``text`` is its line ``line`` (from 1), ``value``
    what stands there behind the equals sign, empty where it printed none. ``function`` is the
    frame's that it was looked up in, ``thread`` the TID of a thread that the command names;
    ``typed`` where a statement can be made of it; ``outside`` says which array has no such
    element."""

    expression: str
    value: str
    text: str
    evidence: str
    line: int = 1
    function: str | None = None
    typed: bool = False
    thread: int | None = None
    outside: str = ""

    @property
    def is_brief(self) -> bool:
        """True for a value that a sentence gives, and is no excerpt."""
        return self.typed and len(self.value) <= _LONGEST

    @property
    def is_absent(self) -> bool:
        """True where the debugger knows no such name there."""
        return not self.value and not self.outside and _ABSENT.search(self.text) is not None


Answer = tuple[Evidence, str]
"""An item with its text."""
Lookup = Generator[Command, Answer | None, Shown | None]


def tries(expression: str, asked: Asked, state: Investigation) -> Iterator[Command]:
    """The commands that look an expression up, the likeliest frame first; none where the target
    can be asked nothing."""
    if state.target is None or state.target.recorded:
        return
    frames = _frames(root_of(expression), asked, state)
    wanted = [_printing(state, thread, index, expression) for thread, index in frames]
    in_cdb = f"dv {expression}" if expression.isidentifier() else ""
    what = f"the value of {expression}"
    wanted.append(question("", what, lldb=f"target variable {expression}", cdb=in_cdb))
    if state.host == "lldb" and not (asked.frames or is_placed(asked)):  # gdb's is a `sweep`
        thread = _thread(asked, state)
        own = (one.frame.index for one in looking.shown_frames(state, thread) if one.own)
        others = [(thread, index) for index in own if (thread, index) not in frames]
        wanted += [_printing(state, *at, expression) for at in others[:_MOST_ASKED]]
    for command in spelt(state, wanted):
        if command.text and check(command.text, state.host).accepted:
            yield command


def sweep(expression: str, asked: Asked, state: Investigation) -> Command | None:
    """What shows in which frames of the thread that is asked about, else of the blamed one, a
    name is known (gdb's ``-s`` leaves out those that know none); None where the question names the
    frame, and for a debugger without such words."""
    if asked.frames or state.host != "gdb" or is_placed(asked):
        return None
    thread = _thread(asked, state)
    there = (
        f"thread apply {looking.number_of(state, thread)} -q "
        if thread != looking.first_thread(state)
        else ""
    )
    name = _whose(expression)
    return Command(
        f"{there}frame apply {_MOST_SWEPT} -s whatis {name}", f"which frame knows {name}"
    )


def _thread(asked: Asked, state: Investigation) -> int | None:
    """The TID of the thread that a question names by either number, else of the one that is looked
    at."""
    return looking.place(state)[0] if not asked.threads else looking.tid(state, asked.threads[0])


def _whose(expression: str) -> str:
    """What a type or a size is asked of."""
    of = _TYPEOF.fullmatch(expression) or _SIZEOF.fullmatch(expression)
    return of[1] if of is not None else expression


def swept(expression: str, asked: Asked, state: Investigation, text: str) -> dict[Command, str]:
    """The commands for the innermost frame that knows the name, and for that which knows it as of
    another type, each with the type: one may be a library's that all frames know."""
    frame: Frame | None = None
    found: dict[str, Command] = {}
    for line in text.split("\n"):
        frame = parse_frame(line) or frame
        if frame is not None and line.startswith("type = ") and not _FUNCTION.match(line):
            command = _printing(state, _thread(asked, state), frame.index, expression)
            found.setdefault(line.removeprefix("type = "), command)
    return {command: type for type, command in list(found.items())[:_MOST_FRAMES]}


def _printing(state: Investigation, thread: int | None, index: int, expression: str) -> Command:
    """What prints an expression in a frame, or the type of ``typeof(…)``."""
    if (typed := _TYPEOF.fullmatch(expression)) is None:
        return looking.value_of(state, thread, index, expression)
    return looking.value_of(state, thread, index, typed[1], "whatis")


def _frames(root: str, asked: Asked, state: Investigation) -> list[tuple[int | None, int]]:
    """Threads and frames in which a name is looked up: those that have a variable of that name,
    the one that is looked at first, and that one in any case."""
    thread, index = looking.place(state)
    named = [looking.tid(state, wanted) for wanted in asked.threads]
    stacks = [s.thread for s in state.facts.all(Stack)[:_MOST_THREADS] if s.thread is not None]
    if asked.frames:
        return [(named[0] if named else thread, wanted) for wanted in asked.frames[:_MOST_FRAMES]]
    own: list[tuple[int | None, Frame]] = [
        (other, one.frame)
        for other in dict.fromkeys(named or [*([thread] if thread is not None else []), *stacks])
        for one in looking.shown_frames(state, other)[:_MOST_SWEPT]
        if one.own
    ]
    asked_for = [at for at in own if at[1].function and bare(at[1].function) in asked.names]
    having = [
        (other, frame.index)
        for other, frame in asked_for or own
        if root in _variables(frame, state, other)
    ]
    having.sort(key=lambda at: at != (thread, index))
    if is_placed(asked) and not asked_for:
        return []
    if asked_for:
        return having[:_MOST_FRAMES] or [(other, frame.index) for other, frame in asked_for[:1]]
    here = (thread, index) if not named else (named[0], looking.own_frame(state, named[0]))
    frame = looking.frame_at(state, *here) if here[0] is not None else None
    listed = frame is not None and any(
        f.function == frame.function for f in state.facts.all(Locals)
    )
    return list(
        dict.fromkeys([*having[:_MOST_FRAMES], here] if listed else [here, *having[:_MOST_FRAMES]])
    )


def _variables(frame: Frame, state: Investigation, thread: int | None) -> set[str]:
    """The arguments and locals of a frame of a thread, as far as the evidence names them: where no
    function is named above them, by the thread and the level that the command selected."""
    found = set(NAMED.findall(frame.args[:2000]))
    for fact in state.facts.all(Locals):
        if fact.function is None:
            item = state.evidence.get(fact.cite.evidence) if fact.frame == frame.index else None
            ours = item is not None and _thread_of(item, state) == thread
        else:
            ours = fact.function == frame.function
        if ours:
            found |= {variable.name for variable in fact.variables}
    return found


def variables_named(asked: Asked, state: Investigation) -> set[str]:
    """The variables of the program's frames on the thread that is looked at first that a question
    names, spelled as they are."""
    thread = looking.place(state)[0]
    frames = looking.shown_frames(state, thread)[:_MOST_SWEPT]
    known = {name for one in frames if one.own for name in _variables(one.frame, state, thread)}
    return known & set(re.findall(r"\w+", asked.text))


def uncalled(asked: Asked, state: Investigation) -> Iterator[str]:
    """Sentences for the calls of a variable's methods that a question asks for."""
    known = variables_named(asked, state)
    for match in _METHOD.finditer(asked.text):
        if root_of(match[0]) in known:
            yield f"`{match[0]})` would call a function of the program; a dump is only read."


def each_frame(asked: Asked) -> list[Asked]:
    """A question as one for each frame that it names."""
    return [replace(asked, frames=(frame,)) for frame in asked.frames[:_MOST_ASKED]] or [asked]


def looking_up(expression: str, asked: Asked, state: Investigation) -> Lookup:
    """What the debugger prints of an expression, in the likeliest frame where it has a value; None
    where nothing was printed. Each step yields a command and is sent what answers it."""
    search = sweep(expression, asked, state)
    commands = [*tries(expression, asked, state), *([search] if search is not None else [])]
    types: dict[Command, str] = {}
    found: Shown | None = None
    while commands:
        command = commands.pop(0)
        if (answer := (yield command)) is None:
            continue
        if command is search:
            types = swept(expression, asked, state, answer[1])
            commands += types
            continue
        one = printed(expression, answer[0], state, answer[1])
        if "near '->" in one.text:  # Rust has the point alone
            return (yield from looking_up(expression.replace("->", "."), asked, state))
        if _CALLS.search(one.text) and (element := _VECTOR.match(expression)) is not None:
            return (yield from _of_vector(element, answer[0], state)) or one
        of_type = types.get(command, "")
        if not one.is_absent and not (yield from _is_a_librarys(one, of_type, state)):
            return (yield from _within_array(one, state))
        found = found or replace(one, value="", text=f'No symbol "{expression}" of the program')
    return (yield from _as_member(expression, asked, state)) or found


def _is_a_librarys(
    one: Shown, of_type: str, state: Investigation
) -> Generator[Command, Answer | None, bool]:
    """Whether a name that is none of a frame's variables is a library's alone. A frame's own has a
    type (``of_type``, where it was asked) that none of those has."""
    name = _whose(one.expression)
    if one.function is not None or not name.isidentifier() or state.host != "gdb":
        return False
    answer = yield Command(f"info variables -q -n ^{name}$", "whose variable it is")
    if answer is None or (of_type and of_type.removeprefix("const ") not in answer[1]):
        return False
    files = re.findall(r"(?m)^File (.+):$", answer[1])
    return bool(files) and all(is_library_source(one) or is_glibc_folder(one) for one in files)


def _as_member(expression: str, asked: Asked, state: Investigation) -> Lookup:
    """What the one object that the frame which is looked at names has under a name that is none
    of a variable; None where several have it, or none."""
    free = state.host == "gdb" and not (asked.frames or is_placed(asked))
    here = looking.view(state, *looking.place(state)) if free else None
    if here is None or not expression.isidentifier():
        return None
    found: list[Shown] = []
    for variable in [v for v, _ in here.variables if v.name.isidentifier()][:_MOST_ASKED]:
        step = "->" if _LEADS.match(variable.value) else "." if "{" in variable.value else ""
        if step:
            member = f"{variable.name}{step}{expression}"
            answer = yield _printing(state, *looking.place(state), member)
            one = printed(member, answer[0], state, answer[1]) if answer is not None else None
            found += [one] if one is not None and one.value else []
    return found[0] if len(found) == 1 else None


def shown(expression: str, talk: Talk, asked: Asked | None = None) -> Shown | None:
    """What the debugger has printed of an expression; None where it was not asked. ``asked`` is the
    question as it names one frame."""
    if talk.state.recorded and (one := logged(expression, talk, asked or talk.asked)) is not None:
        place = (one.text, one.evidence, one.line, one.function)
        return Shown(expression, one.value, *place, typed=True, thread=one.thread)
    items = {item.command: item for item in talk.state.evidence.values() if item.source != "user"}
    steps = looking_up(expression, asked or each_frame(talk.asked)[0], talk.state)
    answer: Answer | None = None
    try:
        while True:
            item = items.get(steps.send(answer).text)
            answer = (item, talk.text_of(item.id)) if item is not None else None
    except StopIteration as end:
        found: Shown | None = end.value
        return found


_CALLS = re.compile(
    r"may-call-functions is off|^Could not find operator\[\]|^Cannot subscript non-array type"
)
"""gdb's words of why it does not call operator[], or has none that was compiled."""
_OF_RUST = re.compile(r"alloc::vec::Vec<(?P<of>.+?)(?:, alloc::alloc::Global)?> \{buf: ")
_VECTOR = re.compile(
    rf"(?P<vector>{ROOT}(?:->{ROOT}|\.{ROOT})*)\[(?P<index>\d{{1,9}})\](?P<rest>.*)"
)


def _of_vector(element: re.Match[str], item: Evidence, state: Investigation) -> Lookup:
    """What an element of a std::vector or of Rust's Vec is, by the library's own members, which
    call nothing; none of one behind its end."""
    before = item.command.removesuffix(f"print {element[0]}")
    inside = f"{element['vector']}._M_impl"
    if before == item.command or state.host != "gdb":
        return None
    many = f"{inside}._M_finish - {inside}._M_start"
    name = f"{inside}._M_start[{element['index']}]{element['rest']}"
    answer = yield Command(f"{before}print {element['vector']}", f"what {element['vector']} is")
    whole = printed(element["vector"], answer[0], state, answer[1]).value if answer else ""
    if (rust := _OF_RUST.match(whole)) is not None:
        at = next(way for way, _ in leaves(whole) if way.endswith(".pointer"))
        many = f"{element['vector']}.len"
        cell = f"({element['vector']}{at} as *mut {rust['of']}) + {element['index']}"
        name = f"(*({cell})){element['rest']}"
    answer = yield Command(f"{before}print {many}", f"how many elements {element['vector']} has")
    length = printed(many, answer[0], state, answer[1]).value if answer is not None else ""
    if not length.isdecimal():
        return None
    if int(element["index"]) >= int(length):
        outside = f"`{element['vector']}` has {counted(int(length), 'element')}"
        outside = f"{outside} ({answer[0].id}:1): there is no `{element[0]}`." if answer else ""
        return Shown(element[0], "", "", item.id, outside=outside)
    answer = yield Command(f"{before}print {name}", f"the value of {element[0]}")
    return printed(element[0], answer[0], state, answer[1]) if answer is not None else None


_ELEMENT = re.compile(r"\[(?P<index>\d{1,9})\]")
_ARRAY = re.compile(r" ?\[(?P<length>\d{1,9})\]")


def _within_array(one: Shown, state: Investigation) -> Lookup:
    """What was printed, without the value where it is none of the array's: the debugger prints what
    lies behind its end as well, so that it is asked for the length of each."""
    before = state.evidence[one.evidence].command.removesuffix(f"print {one.expression}")
    ours = state.host == "gdb" and one.value and before != state.evidence[one.evidence].command
    for match in _ELEMENT.finditer(one.expression) if ours else ():
        array = one.expression[: match.start()].lstrip("*&")
        answer = yield Command(f"{before}whatis {array}", f"how many elements {array} has")
        types = [
            fact
            for fact in state.facts.all(Typed)
            if answer is not None and fact.cite.evidence == answer[0].id
        ]
        # behind a pointer to arrays, or a member of no or one element, more may stand
        for fact in (fact for fact in types if "(*" not in fact.type):
            length = _ARRAY.search(fact.type)
            if length is not None and int(match["index"]) >= int(length["length"]) > 1:
                told = f"`{fact.expression}` has {counted(int(length['length']), 'element')}"
                outside = f"{told} ({fact.cite}): there is no `{one.expression}`."
                return replace(one, value="", typed=False, outside=outside)
    return one


def printed(expression: str, item: Evidence, state: Investigation, text: str) -> Shown:
    """What the text of an item that printed an expression says."""
    lines = text.strip("\n").split("\n")
    for number, line in enumerate(lines[:40], 1):
        if (match := _PRINTED.fullmatch(line.strip())) is not None:
            function, thread = _function(expression, item, state), _thread_of(item, state)
            thread = thread if _SELECTED.match(item.command) else None
            told = leads_to(without_error(match["value"]))
            value = "" if _ABSENT.search(line.strip()) else told
            return Shown(expression, value, line, item.id, number, function, True, thread)
        if (match := _IN_LLDB.match(line)) is not None:
            facts = (one for one in state.facts.all(Printed) if one.cite.evidence == item.id)
            told = next((one.value for one in facts), match["value"])
            brief = not match["value"].endswith("{")
            function = _function(expression, item, state)
            return Shown(expression, told, line, item.id, number, function, brief)
    worded = [line for line in lines[:8] if any(map(str.isalpha, line))]  # lldb points at it first
    text = next((line for line in worded if _ABSENT.search(line)), (*worded, lines[0])[0])
    return Shown(expression, "", text, item.id)


def _function(expression: str, item: Evidence, state: Investigation) -> str | None:
    level, thread = selected_level(item.command), _thread_of(item, state)
    if level is None or thread is None:
        return None
    frame = looking.frame_at(state, thread, level)
    if frame is None or root_of(expression) not in _variables(frame, state, thread):
        return None  # a global is of no function
    return frame.function


def _thread_of(item: Evidence, state: Investigation) -> int | None:
    """The TID of the thread in which a command was run."""
    selected = _SELECTED.match(item.command)
    if selected is None:
        return looking.first_thread(state)
    same = (s.thread for s in state.facts.all(Stack) if s.number == int(selected[1]))
    return next(same, None)


def framed(one: Shown, state: Investigation) -> list[Claim]:
    """What was printed, with the number of the frame: one function may be in several."""
    level = selected_level(state.evidence[one.evidence].command)
    lead = f"in frame {level}, {one.expression}"
    return [] if one.is_absent else quoting(lead, one.evidence, one.line, one.text)


def told(one: Shown, locks: Iterable[Lock] = ()) -> list[Claim]:
    """The sentence that gives the value, of one of ``locks`` its owner, or the debugger's own words
    of why there is none; nothing of what is not known there."""
    cite = Citation(one.evidence, one.line, one.line)
    if one.is_absent or one.outside:
        return []
    if lock := next((lock for lock in locks if lock.cite.evidence == one.evidence), None):
        return [say("owns", (lock.cite,), owner=lock.owner, name=one.expression)]
    if one.typed and (typed := _TYPEOF.fullmatch(one.expression)) is not None:
        return [say("typed", (cite,), expression=typed[1], type=one.value)]
    if one.is_brief:
        given = {"expression": one.expression, "function": one.function, "value": one.value}
        return [say("value", (cite,), thread=one.thread, **given)]
    return quoting(f"`{one.expression}` in {one.evidence}", one.evidence, one.line, one.text)


def pointee(one: Shown) -> str:
    """The type's name of a printed pointer that is not null, ``pool`` of ``(struct pool *) 0x5``;
    empty for all else."""
    match = _POINTER.match(one.value)
    return match["type"].split()[-1] if match is not None and int(match["at"], 16) else ""
