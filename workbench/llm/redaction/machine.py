"""What this machine, its user and a dump's environment would give away."""

import os
import re
import socket
from collections.abc import Iterable, Mapping
from typing import NamedTuple

# Accounts and hosts that are called alike everywhere, and words of every report.
COMMON = frozenset(
    re.split(
        r"\s+",
        """\
root user users admin administrator public default shared guest all ubuntu debian fedora
centos
alpine arch linux unix windows macos ec2-user vagrant runner runneradmin jenkins circleci build
builder buildbot test tester testing dev developer app apps web node git www-data nobody daemon
service system systemd postgres mysql redis nginx apache home work data main worker server
client host localhost local core thread process program localdomain docker container workbench
debug release src lib bin tmp usr opt var etc""",
    )
)
_NAMES = {
    **dict.fromkeys(("USER", "LOGNAME", "USERNAME", "SUDO_USER"), "user"),
    **dict.fromkeys(("HOSTNAME", "HOST", "COMPUTERNAME"), "host"),
    **dict.fromkeys(("HOME", "USERPROFILE"), "home"),
}
_SHORTEST_VALUE = 6
_SHORTEST_SECRET = 4
_SECRET_NAME = re.compile(r"(?i)pass|pwd|secret|token|key|cred|auth|cookie|session|dsn")
# A processor, also with the system that a compiler makes programs for.
PROCESSOR = (
    r"(?:x86(?:[_-]64)?|x64|amd64|aarch64(?:_be)?|arm64e?|arm(?:v\d\w{0,3}|hf|el)?|i[3-6]86|riscv(?:32|64)\w{0,4}"
    r"|ppc64(?:le|el)?|powerpc\w{0,6}|s390x?|mips\w{0,8}|sparc\w{0,3}|loongarch64|wasm32)"
    r"(?:-(?:pc|unknown|none|apple|linux|redhat|suse|alpine|w64|windows|android\w{0,6}|gnu\w{0,8}|musl\w{0,8}"
    r"|mingw32|msvc|darwin[\d.]{0,8}|freebsd[\d.]{0,8}|elf|eabi\w{0,2})){0,4}"
)
# Values that say nothing of who or where: locales, terminals, programs of the system, processors.
_TELLS_NOTHING = re.compile(
    r"(?i)(?:C|POSIX|[a-z]{2,3}_[A-Z]{2})(?:\.UTF-?8)?(?:@\w+)?"
    r"|xterm\S{0,20}|screen\S{0,20}|tmux\S{0,20}|linux|dumb|vt\d+|ansi|truecolor|24bit"
    r"|(?:/usr)?/(?:s?bin|lib(?:32|64|exec)?)(?:/[\w.+-]+)*|/dev/\S*|/proc/\S*|/tmp|/|/root"
    rf"|{PROCESSOR}"
    r"|(?:(?:/usr(?:/local)?)?/s?bin:?){2,}|/usr/local/bin"
    r"|0x[0-9a-f`]+|true|false|enabled|disabled|always|never"
)
_HEX = re.compile("[0-9a-fA-F]+")
_SMALL_NUMBER = re.compile(r"[-+]?[\d.,:]{1,7}")


class Term(NamedTuple):
    """A text that must not go out. ``word``: only where it stands as a word of its own."""

    text: str
    kind: str
    word: bool


def of_this_machine(environment: Mapping[str, str] | None = None) -> list[Term]:
    """User, home folder, host and environment of who runs this."""
    found = os.environ if environment is None else environment
    terms = [Term(_home(), "home", True)] if len(_home()) > 1 else []
    terms += [Term(name, "user", True) for name in _accounts() if tells(name)]
    terms += [Term(name, "host", True) for name in _hosts() if tells(name)]
    return terms + of_environment(found.items())


def of_environment(pairs: Iterable[tuple[str, str]]) -> list[Term]:
    """The values of an environment that tell something, and the parts of those that list paths; of
    users, hosts and home folders under their own kind."""
    terms = []
    for name, value in pairs:
        if kind := _NAMES.get(name.upper()):
            told = value.strip().rstrip("/\\")
            if tells(told) if kind != "home" else len(told) > 1:
                terms.append(Term(told, kind, True))
            # A machine is called by the first part of its name too.
            if kind == "host" and tells(short := told.split(".")[0]):
                terms.append(Term(short, kind, True))
            continue
        secret = bool(_SECRET_NAME.search(name)) and name not in ("PWD", "OLDPWD")
        shortest = _SHORTEST_SECRET if secret else _SHORTEST_VALUE
        listed = value.split(os.pathsep) if "/" in value else ()
        for part in {value.strip(), *listed, *map(str.strip, value.splitlines())}:
            if len(part) < shortest or _TELLS_NOTHING.fullmatch(part) or part.lower() in COMMON:
                continue
            if _SMALL_NUMBER.fullmatch(part) and not secret:
                continue
            terms.append(secret_term(part) if secret else Term(part, "env", True))
    return terms


def says_nothing(name: str, value: str) -> bool:
    """True for a variable whose value tells nothing of who or where: a terminal, a locale."""
    return not _SECRET_NAME.search(name) and _TELLS_NOTHING.fullmatch(value) is not None


def secret_term(text: str) -> Term:
    """A secret is looked for within words too, unless it is short or may be part of an address."""
    return Term(text, "secret", len(text) < 8 or bool(_HEX.fullmatch(text)))


def tells(name: str) -> bool:
    """False for a name that is too common or too short to tell whose it is."""
    return len(name) >= 3 and name.lower() not in COMMON and not name.isdigit()


def _home() -> str:
    try:
        return os.path.expanduser("~").rstrip("/\\")
    except (OSError, RuntimeError):
        return ""


def _accounts() -> set[str]:
    """The account's name and, where the system has it, the person's."""
    try:
        import pwd
    except ImportError:  # Windows: the environment says it
        return set()
    try:
        entry = pwd.getpwuid(os.getuid())
    except KeyError:  # a number without an account, as in containers
        return set()
    return {entry.pw_name, entry.pw_gecos.split(",")[0].strip()} - {""}


def _hosts() -> set[str]:
    try:
        name = socket.gethostname()
    except OSError:
        return set()
    return {name, name.split(".")[0]} - {""}
