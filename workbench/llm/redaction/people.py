"""Names of accounts, told by what stands around them: what a shell, a client and a debugger say.

A name alone tells nothing. Words that accounts are called everywhere (`root`) stay.
"""

import re
from collections.abc import Iterator

from workbench.llm.redaction.machine import tells
from workbench.llm.redaction.spans import Span

_NAME = r"[A-Za-z_][\w.-]{1,62}\w"
_CALLED = r"(?:user(?:_?name)?|login(?:_?name)?|logname|account_?name)"
# A line of evidence that a model is shown begins with its citation, `E3:4| `.
_CITED = r"(?:E\d{1,9}:\d{1,9}\| )?"
_TEXT = r"(?:0x[0-9a-f]{1,16}\s)?(?:<[^<>\n]{1,100}>\s)?@?[\"'](?P<name>[^\"'\\\n]{2,64})[\"']"
_PATTERNS = (
    # `login=zaphodb42`, but no member of an object and no call.
    re.compile(rf"(?i)(?<![\w.>]){_CALLED}=(?P<name>{_NAME})(?![\w(\[/\\]|@entry|->|::)"),
    re.compile(rf"(?i)(?<![A-Za-z]){_CALLED}[\"']?\s{{0,3}}[:=]\s{{0,3}}{_TEXT}"),
    re.compile(
        rf"(?i)(?<![A-Za-z])(?:login|username):[ \t]{{1,2}}(?=\w*\d)(?P<name>{_NAME})(?!\S)"
    ),
    re.compile(rf"(?<![\w-])--(?:user(?:name)?|login)[\s=](?P<name>{_NAME})(?![\w(:%@/\\])"),
    re.compile(rf"(?<![\w-])login\s(?:[^\n]{{0,100}}?\s)?-u[\s=]{{0,2}}(?P<name>{_NAME})(?!\S)"),
    re.compile(rf"(?<![\w.-])jdbc:oracle:\w{{1,8}}:(?P<name>{_NAME})/[^\s/@]{{1,200}}@"),
    # A shell's: `su - jane`, `sudo -u jane`, `~jane/`, and what `id` prints.
    re.compile(
        rf"(?m)(?:^{_CITED}|[$#;&|\"'`(]|\bsudo)[ \t]{{0,4}}su[ \t]+(?:-l?[ \t]+|--login[ \t]+)?"
        rf"(?P<name>{_NAME})(?![\w(=:/])"
    ),
    re.compile(rf"(?<![\w-])su[ \t]+(?:-l?|--login)[ \t]+(?P<name>{_NAME})(?![\w(=:/])"),
    re.compile(
        rf"(?<![\w-])(?:sudo|runuser)[ \t](?:-\w[ \t]){{0,3}}-u[ \t]*(?P<name>{_NAME})(?![\w(=:/])"
    ),
    re.compile(rf"(?<![\w~.)\]])~(?P<name>{_NAME})(?=[/\\])"),
    re.compile(r"\b[efs]?[ug]id=\d{1,10}\((?P<name>[^()\s]{2,64})\)"),
    # What a debugger answers to `p user_name`.
    re.compile(
        rf"(?im)(?<![\w-])(?:p|print|po|v|call|output|expr(?:ession)?|frame variable)(?:/\w+)?[ \t]"
        rf"[^\n]{{0,120}}?(?<![A-Za-z]){_CALLED}\b[^\n]{{0,60}}\n{_CITED}"
        rf"(?:\$\w{{1,9}} = |\([^()\n]{{1,60}}\) [^\n\"=]{{1,60}} = )"
        rf"(?:[^\n\"{{]{{0,60}}\{{[^\n\"]{{0,200}}?)?{_TEXT}"
    ),
)
_CONSTANT = re.compile(r"[A-Z]+(?:_[A-Z0-9]+)+")
_NO_NAME = frozenset(
    re.split(
        r"\s+",
        """\
ok failed failure success succeeded denied refused error none null nil nullptr true false yes no on
off unknown invalid valid empty missing required optional enabled disabled pending expired
interactive anonymous name username login logname account string char const void int
sudo adm wheel staff disk audio video plugdev lxd netdev kvm input tty dialout nogroup""",
    )
)


def people_in(text: str) -> Iterator[Span]:
    """Where names of accounts stand. Never raises; each pattern reads a bounded way ahead."""
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            if _CONSTANT.fullmatch(found["name"]):
                continue
            if tells(found["name"]) and found["name"].lower() not in _NO_NAME:
                yield Span(*found.span("name"), "user")
