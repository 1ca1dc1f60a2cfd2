"""A program whose terminal went away must go too, even where hang-ups were told to be ignored."""

import os
import select
import signal

INTERVAL = 1.0  # seconds between looks


def leave_when_gone(descriptor: int = 0) -> None:
    """End this process by SIGHUP when the terminal behind ``descriptor`` was hung up (tty_ioctl(4),
    poll(2): POLLHUP). Nothing is lost: the journal is committed, and the debugger dies with us.

    A shell that was started with SIGHUP ignored hands that on, and the driver's thread would read
    end-of-file for ever. Platforms without poll or SIGHUP end console programs themselves.
    """
    if not hasattr(select, "poll") or not hasattr(signal, "SIGHUP"):
        return
    watch = select.poll()
    watch.register(descriptor, 0)
    if any(event & (select.POLLHUP | select.POLLERR) for _, event in watch.poll(0)):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGHUP)
