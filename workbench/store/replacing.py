"""Files that are there whole or as they were."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(path: Path, mode: int = 0o600) -> Iterator[Path]:
    """An empty file beside ``path`` that takes its place where the block ends well. Whoever made
    the folder may have put a link under any name: none is written through. Raises `OSError`."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.unlink(missing_ok=True)
    try:
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        yield temporary
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def replace_file(path: Path, text: str, mode: int = 0o600) -> None:
    """Write a file, private unless ``mode`` says else. Raises `OSError`."""
    with replacing(path, mode) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="replace")
