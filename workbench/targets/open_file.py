"""Opens the file that a person named, or says in one line why not."""

from collections.abc import Callable
from pathlib import Path

from workbench.targets.errors import TargetError
from workbench.targets.files import FileBytes
from workbench.targets.plain import one_line


def open_file(path: Path, wanted: str, keep: bool = False) -> FileBytes:
    """The file's bytes; ``wanted`` says what it should be (``the core``), ``keep`` as `FileBytes`
    has it. Raises ``TargetError``."""
    name = one_line(str(path))
    if not is_text(str(path)):
        raise TargetError(name, "its name is not UTF-8", "rename it")
    failures: list[tuple[type[Exception], Callable[[Exception], str], str]] = [
        (FileNotFoundError, lambda _: "no such file", "check the path"),
        (PermissionError, lambda _: "no permission to read it", "ask its owner, or use sudo"),
        (ValueError, str, f"pass the path of {wanted} itself"),
        (OSError, lambda e: getattr(e, "strerror", None) or "cannot be read", "check the path"),
    ]
    try:
        return FileBytes(path, keep)
    except (OSError, ValueError) as error:
        for kind, why, todo in failures:
            if isinstance(error, kind):
                raise TargetError(name, why(error), todo) from None
        raise


def check_sysroot(sysroot: Path | None) -> None:
    """Raises ``TargetError`` unless it is a folder or not given."""
    if sysroot is not None and not sysroot.is_dir():
        where = one_line(str(sysroot))
        raise TargetError(where, "no such folder", "pass the copied root folder as --sysroot")


def is_text(path: str) -> bool:
    """False for a path with bytes that are no UTF-8: a session could not keep it."""
    return not any("\ud800" <= letter <= "\udfff" for letter in path)
