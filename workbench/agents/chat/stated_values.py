"""What a person states of variables, registers, containers, and the address of the fault."""

import ctypes
import re
from collections.abc import Iterator, Sequence

from workbench.agents.chat.asked import ASKED, COMPARED, OPERATORS, SIGNS, read, relation_in_front
from workbench.agents.chat.clauses import QUOTED, denies, elsewhen
from workbench.agents.chat.expressions import expressions
from workbench.agents.chat.lines import Numbered
from workbench.agents.chat.measured import LONGEST_LINE, Measure, agrees, matching
from workbench.agents.chat.parts import Part
from workbench.agents.chat.talk import LEAD, Talk, Told
from workbench.agents.chat.values import Shown, shown, told
from workbench.agents.chat.words import COMPARING, content_words, in_digits
from workbench.agents.looking import first_thread
from workbench.claims.check import as_it_is
from workbench.claims.say import say
from workbench.claims.values import scalar
from workbench.model.citation import Citation
from workbench.model.facts import Finding, Registers, Signal

MOST = 3

_AT_A_THREAD = re.compile(r"(?i)\b(?:in|of|on)\s+(?:the\s+)?(?:thread|frame|LWP)\s+#?\w+")
_FAULT_ADDRESS = re.compile(
    r"(?i)\b(?:fault(?:ing)?|access(?:ed)?|bad)\s+address\b|\baddress\s+of\s+the\s+fault\b"
    r"|\b(?:is|was)\s+(?:the|its)\s+address\s+(?=0x|null|zero)"
)

_TEXT = re.compile(r'"((?:[^"\\]|\\.){0,200})"(?:, \'\\000\' <repeats \d+ times>)?$')
_PADDING = re.compile(r"(?:\\000)+$")
"""How gdb shows the rest of an array behind its text."""
_ENUMERATOR = re.compile(r"(?!(?:true|false)$)[A-Za-z_]\w*(?:::\w+)*")

_STATED = re.compile(
    r"(?i)(?<![\w.])-?(?:0x[0-9a-f]{1,16}|\d[\d,]{0,30}(?:\.\d{1,20})?)(?![\w.]*\w)"
    r"|\b(?:null|nullptr|nil|zero|false|true|negative|positive|set(?=\W*$))\b"
)

_ADDRESS_OF = re.compile(r"(?<=\s)&(?=[A-Za-z_])")
_SIGNED = {"negative": "<", "positive": ">", "set": "!="}
_WORDS = {"true": "1"} | dict.fromkeys(("null", "nullptr", "nil", "zero", "false", *_SIGNED), "0")

_EMPTY = re.compile(r"(?i)\bempty\W*$")
_NULL = re.compile(r"(?i)\b(?:null|nullptr)\W*$")
_REFERS = re.compile(
    r"\([^()]+ &&?\) (?:@|<error reading variable: Cannot access memory at address )"
    r"0x(?P<at>[0-9a-f]{1,16})"
)
"""How gdb shows a reference: who asks whether it is null means the address."""
_COUNTED = re.compile(r"(?:\(.{1,200}\) )?std::[\w:]+ (?:of length|with) (?P<many>\d+)\b")
"""libstdc++'s printers."""
_NO_VALUE = re.compile(
    r"std::optional<.{1,400}> \[no contained value\]$"
    r"|\{<std::_Optional_base<.{1,2000}_M_engaged = (?P<engaged>true|false)\W*(?:<No data|$)"
)
"""A std::optional as gdb prints it, with libstdc++'s printers and without them."""


def amounts(talk: Talk, known: Sequence[Measure], settled: bool = False) -> Iterator[Told]:
    """Numbers that outputs give with a name, as the person says or otherwise; none of a value that
    the debugger prints, nor of what is asked for and ``settled``."""
    printed = expressions(talk.asked)
    for amount in talk.asked.amounts:
        typed = any(one in amount.said for one in printed) or (settled and amount.relation == ASKED)
        typed = typed or bool(read(amount.said).registers)  # printed in hex, with or without 0x
        if not (typed or denies(amount.said) or elsewhen(amount.said)):
            found = matching(amount, known)
            same = [measure for measure in found if agrees(amount, measure)]
            # Another number contradicts where its line has every word of what the person names.
            other = [one for one in found if amount.subject <= one.label | one.context]
            for measure in (same or other)[:MOST]:
                for claim in talk.quote(LEAD, measure.evidence, measure.line):
                    yield Told(claim, bool(same), amount.said)


def emptied(part: Part, talk: Talk) -> Iterator[Told]:
    """Whether a container of C++'s library has no element, as the debugger's printer counts."""
    if not _EMPTY.search(part.text) or part.words - {"empty", "vector", "list", "map", "set"}:
        return
    for name in (one for one in expressions(talk.asked) if one in part.text):
        one = shown(name, talk)
        if one is not None and (none := _is_empty(one)) is not None:
            yield from (Told(said, none, part.text) for said in told(one))


def _is_empty(one: Shown) -> bool | None:
    """Whether a container, an optional or a smart pointer holds nothing; None for all else."""
    if (counted := _COUNTED.match(one.value)) is not None:
        return int(counted["many"]) == 0
    if (optional := _NO_VALUE.match(one.value)) is not None:
        return optional["engaged"] != "true"
    return None if one.text.endswith(one.value) else scalar(one.value) == 0


def valued(part: Part, talk: Talk) -> Iterator[Told]:
    """The value that the debugger printed of an expression, held to the one number or the other
    expression that is stated of it."""
    named = [one for one in expressions(talk.asked) if one in part.text]
    values = [one for name in named if (one := shown(name, talk)) and one.typed and one.value]
    at = {word for found in _AT_A_THREAD.findall(part.text) for word in content_words(found)}
    if not named or not values or part.words - COMPARING - at:
        return
    if len(part.asked.threads) > 1 or len(part.asked.frames) > 1:
        return
    first = values[0].value if values[0].expression == named[0] else ""
    words, text = QUOTED.search(part.text), _TEXT.search(first)
    if words is not None and text is not None and not named[1:]:
        same = words[0][1:-1] == _PADDING.sub("", text[1])
        yield from (Told(one, same, part.text) for one in told(values[0]))
        return
    if _ENUMERATOR.fullmatch(first) and not SIGNS.search(part.text.replace("->", ".")):
        # gdb names one of two that are the same number; lldb prints none that stands alone
        other = values[1].value if values[1:] else ""
        same = first in (other, *named[1:])
        if len(named) == 2 and (same or _ENUMERATOR.fullmatch(other)):
            yield from (Told(said, same, part.text) for said in told(values[0]))
        return
    if len(values) < len(named):
        return
    before, _, behind = _AT_A_THREAD.sub("", part.text).partition(named[0])
    behind = in_digits(behind)
    said = ((m.start(), _WORDS.get(m[0].lower(), m[0])) for m in _STATED.finditer(behind))
    stated = [(place, _number(number)) for place, number in said]
    if named[1:] and re.search(r"(?i)\band\b", behind.partition(named[1])[0]):
        return  # two that are spoken of, and not compared
    if named[1:]:
        stated = [(behind.find(one.expression), _number(one.value)) for one in values[1:]]
    signs = SIGNS.findall(_ADDRESS_OF.sub("", behind))
    if SIGNS.search(before) or len(signs) > 1 or not OPERATORS.issuperset(signs):
        return
    refers = _REFERS.match(first) if _NULL.search(behind) else None
    true = _number(values[0].value) if refers is None else int(refers["at"], 16)
    for place, number in stated if len(stated) == 1 else ():
        word = re.match(r"[a-z]*", behind[place:], re.IGNORECASE)
        said_as = _SIGNED.get(word[0].lower()) if word is not None else None
        compare = COMPARED.get(said_as or relation_in_front(behind[:place]))
        if compare is not None and true is not None and number is not None:
            if number % 1:  # as C's float holds it
                true, number = ctypes.c_float(true).value, ctypes.c_float(number).value
            held = compare(true, number)
            yield from (Told(said, held, part.text) for one in values for said in told(one))


def in_register(part: Part, talk: Talk) -> Iterator[Told]:
    """What a register held in the innermost frame of the thread that is looked at."""
    stated, names = _stated_number(part), part.asked.registers
    if stated is None or len(names) != 1 or part.asked.frames or part.asked.threads:
        return
    if part.words - content_words(names[0]) - COMPARING - {"register", "hold", "contain"}:
        return
    for fact in talk.state.facts.all(Registers):
        if fact.frame == 0 and fact.thread == first_thread(talk.state):
            for one in (one for one in fact.values if one.name == names[0]):
                cites = (Citation(fact.cite.evidence, one.line, one.line),)
                told = say("register", cites, register=one.name, value=one.value)
                yield Told(told, one.value == stated, part.text)
            return
    if talk.state.recorded:
        yield from _logged_register(names[0], stated, part, talk)


def _logged_register(name: str, stated: float, part: Part, talk: Talk) -> Iterator[Told]:
    """What a log shows of a register, where all its lines that show it agree: a kernel's log has
    those of the interrupted program as well."""
    spelt = re.sub(r"^r(\d)$", r"r0?\1", name)
    shows = re.compile(
        rf"(?i)(?<![\w%$.]){spelt}(?:\s?[:=]\s?|\s{{1,20}})"
        rf"(?:0x([0-9a-f]{{1,16}})|([0-9a-f]{{16}}|[0-9a-f]{{8}}))(?![\w.:])"
    )
    found: dict[int, Numbered] = {}
    for line in talk.lines:
        for match in shows.finditer(line.text[:LONGEST_LINE]):
            found.setdefault(int(match[1] or match[2], 16), line)
    for value, line in found.items() if len(found) == 1 else ():
        as_hex = f"{value:x}" == f"{stated:.0f}" and value > 9  # the number as it stands there
        for claim in talk.quote(LEAD, line.evidence, line.number) if not as_hex else ():
            yield Told(claim, value == stated, part.text)


def address_of_fault(part: Part, talk: Talk) -> Iterator[Told]:
    """The address of the fault, as the signal has it."""
    stated = _stated_number(part)
    if stated is None or not _FAULT_ADDRESS.search(part.text) or part.asked.threads:
        return
    if part.words - COMPARING - {"fault", "address", "access"} or part.asked.registers:
        return
    for fact in talk.state.facts.all(Signal)[:1]:
        if fact.fault_address is not None:
            told = say("fault_address", (fact.cite,), address=fact.fault_address)
            yield Told(told, fact.fault_address == stated, part.text)
            return
    ends = [one for one in talk.state.facts.all(Finding) if one.ends is not False]
    at = (one for one in ends if one.access or one.access_line or one.signal)
    faults = [one for one in at if one.address is not None]
    for one in faults[:1] if len({one.address for one in faults}) == 1 else ():
        claim = say("finding", (one.cite,), tool=one.tool, message=one.message, address=one.address)
        found = as_it_is(claim, talk.book)
        if found is not None and found[1]:
            yield Told(found[0], one.address == stated, part.text)


def _stated_number(part: Part) -> float | None:
    """The one number that a clause gives, and compares with nothing."""
    found = [_WORDS.get(m[0].lower(), m[0]) for m in _STATED.finditer(part.text)]
    if len(found) != 1 or found[0] in _SIGNED or SIGNS.search(part.text):
        return None
    before = part.text[: next(_STATED.finditer(part.text)).start()]
    return _number(found[0]) if relation_in_front(before) == "=" else None


def _number(text: str) -> float | None:
    """A number as it is printed or written; None where it is none."""
    try:
        return float(text) if "." in text else scalar(text.replace(",", ""))
    except ValueError:
        return scalar(text)
