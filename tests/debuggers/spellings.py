"""Command lines made at random of gdb's own words: whole, cut short, wrapped, with options."""

import random
from collections.abc import Iterator

from workbench.debuggers.gdb import commands as gdb_commands

# ruff: noqa: SIM905 - long tables of words read better as text

PREFIXES = (
    "", "", "", "", "server ", "thread apply all ", "thread apply 1 -q -s ", "taas ", "tfaas -q ",
    "faas ", "frame apply all -q ", "frame apply level 0-1 -c ", "with print pretty on -- ",
    "w print elements 4 -- ", "with print pretty -- ", "| ", "pipe ", "thr app all -- ",
)  # fmt: skip
WORDS = tuple(sorted(gdb_commands.KNOWN | gdb_commands.ALIASES.keys()))
READERS = "print p output x ptype whatis printf bt list info find frame up disassemble".split()
OPTIONS = (
    "", "", "", "/x ", "/8gx ", "-pretty -- ", "-elements 4 -- ", "-raw-values on -array -- ",
    "-frame-arguments all ", "-full ", "-q ", "-- ", '"%d\\n", ', "symbol ", "line ", "frame ",
    "line *", "*", "level 0 ", "function ", "address ", "registers ", "locals ", "scope ", "&arr, ",
)  # fmt: skip
ATOMS = (
    "victim calls arr x.value ptr->value frame_local name n a b heap 3 0 7 'a' \"abc\" $rax $rip "
    "$conv $_ $1 f touch malloc system sizeof int char struct_foo $_shell $_streq $_strlen"
).split()
JOINTS = (
    "= += == != <= >= <<= ++ -- + - * / & && | , . -> [ ] ( ) (int) (char*) (long) {int} @2 :: : ? "
    "! ~ > < :="
).split()
ENDS = ("", "", "", "", " | cat", " > out", "; shell touch out", " # x", "\\", "@4", " -- x")


def spellings(seed: int, count: int) -> Iterator[str]:
    """That many lines; most mean nothing to gdb."""
    chance = random.Random(seed)
    for _ in range(count):
        word = chance.choice(READERS if chance.random() < 0.7 else WORDS)
        if chance.random() < 0.3:
            word = word[: chance.randint(1, len(word))]
        expression = [chance.choice(ATOMS)]
        for _ in range(chance.randint(0, 4)):
            expression += [chance.choice(JOINTS), chance.choice(ATOMS)]
        if chance.random() < 0.15:
            expression.insert(chance.randrange(len(expression)), chance.choice(JOINTS))
        space = chance.choice(("", " "))
        prefix = "".join(chance.choice(PREFIXES) for _ in range(chance.choice((1, 1, 2))))
        argument = space.join(expression).replace("struct_foo", "struct foo")
        yield f"{prefix}{word} {chance.choice(OPTIONS)}{argument}{chance.choice(ENDS)}"
