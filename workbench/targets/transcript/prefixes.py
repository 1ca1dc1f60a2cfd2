"""What a log collector writes in front of a program's own line: times, hosts, process names."""

import re

_DAY = r"\d{4}[-/.]\d{2}[-/.]\d{2}"
_TIME = r"\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?"
_ZONE = r"(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"

_PATTERNS = (
    # GitHub Actions, Azure, Kubernetes, docker: an ISO time
    rf"{_DAY}[T ]{_TIME}{_ZONE}(?:[ \t]|$)",
    # The same in brackets, with a word in front (Taskcluster), Jenkins' timestamper
    rf"\[(?:[a-z]{{2,12}} )?(?:{_DAY}[T ])?{_TIME}{_ZONE}\](?:[ \t]|$)",
    # syslog, journalctl: Mon DD HH:MM:SS host program[pid]:
    rf"{_MONTH} [ \d]\d {_TIME} [\w.-]{{1,64}} [^\s\[\]:]{{1,64}}(?:\[\d{{1,10}}\])?: ?",
    # the same behind an ISO time was cut above: host program[pid]:
    r"[\w.-]{1,64} [\w./-]{1,64}\[\d{1,10}\]: ",
    # the kernel's ring buffer: <6>[  12.345678] and [ 12.345678][ T123]
    r"(?:<\d{1,3}>)?\[ {0,8}\d{1,8}\.\d{3,6}\](?:\[ {0,8}[TC]\d{1,8}\])?(?: |$)",
    r"<\d{1,3}>(?=\S)",
    # logcat, threadtime and brief: 01-02 03:04:05.678  1 2 F DEBUG   : and F/DEBUG   (  1):
    rf"\d\d-\d\d {_TIME}(?: {{1,6}}\w{{1,16}})?(?: {{1,6}}\d{{1,7}}){{2}} [A-Z] [^:]{{1,40}}: ?",
    rf"\d{{2}}-\d{{2}} {_TIME} [VDIWEFA]/[^(]{{1,40}}\( {{0,6}}\d{{1,7}}\): ?",
    r"[VDIWEFA]/[^(\s][^(]{0,40}\( {0,6}\d{1,7}\): ?",
    # Android Studio's: 2020-01-02 03:04:05.678 812-830/? A/DEBUG:
    rf"(?:\d\d-\d\d {_TIME} )?\d{{1,7}}-\d{{1,7}}/\S{{1,100}} [VDIWEFA]/[^:]{{1,40}}: ?",
    # docker-compose, and Mozilla's harness: name |
    r"[\w.-]{1,40} {1,20}\| ",
    rf"{_TIME} {{1,10}}(?:INFO|WARNING|ERROR|DEBUG|CRITICAL) - {{1,4}}(?:[\w() ]{{1,40}} \| )?",
    # Fuchsia: [00123.456] 01234.01234>
    r"\[\d{3,8}\.\d{3,6}\] \d{3,8}[.:]\d{3,8}> ",
    # Bazel, ninja and pytest mark what a test printed: "12: " of ctest -V
    r"\d{1,4}: (?=(?:==\d|\s*#\d|SUMMARY|WARNING: |ERROR: |AddressS|READ of|WRITE of|\s*0x))",
)
_PREFIX = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS))
_MOST = 4


def own(line: str) -> str:
    """A line without what collectors put in front of it; at most four of them are taken off."""
    for _ in range(_MOST):
        match = _PREFIX.match(line)
        if match is None or not match[0]:
            return line
        line = line[match.end() :]
    return line
