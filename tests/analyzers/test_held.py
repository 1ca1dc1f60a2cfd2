"""What a register of the failed access may hold of what the line leaves over."""

import pytest

from analyzers.patterns import typed
from analyzers.patterns.case import Case
from workbench.model.citation import Citation
from workbench.model.facts import (
    FactBook,
    Fault,
    Frame,
    Layout,
    LayoutField,
    Locals,
    Printed,
    SourceLine,
    Stack,
    Typed,
    Variable,
)

CITE = Citation("E1", 1, 1)
FRAME = Frame(index=0, function="Row::sum", file="a.cpp", line=5, address=0x400010,
              args="this=<optimized out>", line_no=1)  # fmt: skip


def _fact(name: str, kind: str) -> Typed | Printed:
    if kind.isdigit():
        return Printed(cite=CITE, frame=0, expression=f"sizeof({name})", value=kind)
    return Typed(cite=CITE, frame=0, expression=name, type=kind)


ROW = Layout(
    cite=CITE, frame=0, expression="*((struct row *) 0)", type="struct row", size=24,
    fields=(LayoutField(name="first", offset=0, size=8, line=1),
            LayoutField(name="last", offset=16, size=8, line=2)),
)  # fmt: skip
READS = "mov eax, dword ptr [rcx + rdx]"


@pytest.mark.parametrize(
    ("line", "text", "how", "access", "facts", "may"),
    [
        ("sum += row->last;", "row", "through", (0, 0), {"row": "struct row *"}, False),
        ("sum += row->last;", "row", "through", (0, 16), {"row": "struct row *"}, True),
        ("sum += row->first;", "row", "through", (0, 0), {"row": "struct row *"}, True),
        ("sum += row->first + row->last;", "row", "through", (0, 16), {"row": "struct row *"},
         True),
        ("sum += row[i].last;", "row", "through", (0, 40), {"row": "struct row *"}, True),
        ("sum += row->more;", "row", "through", (0, 0), {"row": "struct row *"}, True),
        ("sum += all[i];", "all", "through", (9, 9), {"all": "std::vector<int>", "n": "24"}, True),
        ("sum += n[i];", "n", "through", (9, 9), {"n": "std::vector<int>", "sizeof": "24"}, False),
        ("sum += n[i];", "n", "through", (9, 9), {"n": "const all &", "sizeof": "24"}, True),
        ("sum += n[i];", "n", "through", (9, 9), {"n": "int [6]", "sizeof": "24"}, False),
        ("sum += n[i];", "n", "through", (9, 9), {"n": "int *", "sizeof": "8"}, True),
        ("n += c != 4;", "this", "through", (3, 3), {}, False),  # both are the function's own
        ("n += c != kept;", "this", "through", (3, 3), {}, True),
        ("n += this->c;", "this", "through", (3, 3), {}, True),
        ("n += t[at(c)];", "at(c)", "index", (READS, 4, 8), {}, False),  # bytes
        ("n += t[at(c)];", "at(c)", "index", (READS.replace("rdx", "rdx*4"), 4, 8), {}, True),
        ("n += t[at(c)];", "at(c)", "index", (READS, 1, 8), {}, True),
        ("n += t[c % 6];", "c % 6", "index", (READS, 1, 8), {}, False),
        ("n += t[c % 6];", "c % 6", "index", (READS, 1, 5), {}, True),
        ("n += t[c % 6];", "c % 6", "index", (READS, 1, (1 << 64) - 5), {}, True),
        ("n += t[(c & 7)];", "(c & 7)", "index", (READS, 1, 9), {}, False),
        ("t[(c % 6) as usize]", "(c % 6) as usize", "index", (READS, 1, 9), {}, False),
        ("n = 9 / c;", "c", "divides", (0, 0), {}, True),
    ],
)  # fmt: skip
def test_what_a_register_may_hold(
    line: str, text: str, how: str, access: tuple[str | int, ...], facts: dict[str, str], may: bool
) -> None:
    every = [_fact(name if name != "sizeof" else text, kind) for name, kind in facts.items()]
    instruction, size = (str(access[0]), int(access[1])) if how == "index" else (READS, 8)
    base, operand = (8, 16) if how == "index" else (int(access[0]), int(access[1]))
    fault = Fault(cite=CITE, thread=7, pc=0x400010, instruction=instruction, mnemonic="mov",
                  access="read", operand=operand, operand_size=size, base_register="rax",
                  base_value=base)  # fmt: skip
    own = Locals(cite=CITE, function=None, frame=0,
                 variables=tuple(Variable(name=n, value="?", line=1) for n in "nc"))  # fmt: skip
    stack = Stack(cite=CITE, number=1, thread=7, current=True, frames=(FRAME,))
    case = Case(FactBook([stack, fault, own, ROW, *every]))
    source = SourceLine(cite=CITE, file="a.cpp", line=5, text=line)
    value = int(access[-1]) if how == "index" else 0
    assert typed.may_hold(case, source, text, how, value) is may
