"""What differs between operating systems, terminals and processes aside (`pty` has those)."""

import os


def is_ours(status: os.stat_result) -> bool:
    """True when a file belongs to the user who runs us; where files have no owner's id, True."""
    return not hasattr(os, "getuid") or status.st_uid == os.getuid()


def lock_file(path: os.PathLike[str]) -> int | None:
    """Open and lock a file (flock(2)) until its descriptor is closed or we end. None when another
    process holds it or there are no locks here."""
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        return None
    return fd
