"""Start a program whose input is a pipe and whose output is the terminal.

    python -I -S piped.py PROGRAM ARGUMENT...

.NET's console asks a terminal where its cursor is before it reads a key, which nobody answers
here; from a pipe it reads plain lines. The program runs in this very process; a child hands it what
is typed at the terminal, lives no longer than it and leaves Ctrl-C to it. Standard library only.
"""

import ctypes
import os
import select
import signal
import sys

_PR_SET_PDEATHSIG = 1
_MOST = 1 << 16


def relay(source: int, target: int) -> None:
    """Copy until one of the two ends; a reader that is gone shows at once (poll(2), POLLERR)."""
    poll = select.poll()
    poll.register(source, select.POLLIN)
    poll.register(target, 0)
    while True:
        for fd, event in poll.poll():
            if fd == target:
                return
            if not event & select.POLLIN:
                return
            data = os.read(source, _MOST)
            if not data:
                return
            while data:
                data = data[os.write(target, data) :]


def main() -> None:
    """Fork the relay, then become the program."""
    mine, theirs = os.pipe()
    parent = os.getpid()
    if os.fork() == 0:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.close(mine)
        if sys.platform.startswith("linux"):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        try:
            if os.getppid() == parent:
                relay(0, theirs)
        except OSError:  # the program or the terminal went away: so does this
            os._exit(0)
        os._exit(0)
    os.close(theirs)
    os.dup2(mine, 0)
    os.close(mine)
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
