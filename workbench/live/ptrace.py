"""ptrace(2) through the C library: Linux only, and the one place that knows it."""

import ctypes
import os
import sys
import time

# include/uapi/linux/ptrace.h
_DETACH, _GETREGSET, _SEIZE, _INTERRUPT = 17, 0x4204, 0x4206, 0x4207
_WALL = 0x40000000
NT_PRSTATUS, NT_FPREGSET, NT_X86_XSTATE = 1, 2, 0x202

_MOST = 1 << 14  # bytes of one register set: AVX-512 with AMX tiles needs 11 KB
_PATIENCE = 5.0  # seconds that a thread gets to stop


class _Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class TracingError(OSError):
    """A thread that cannot be stopped or read."""


def supported() -> bool:
    """True where running processes can be read this way."""
    return sys.platform == "linux"


class Tracer:
    """Stops threads of another process and reads their registers.

    All calls must come from the thread that made it (ptrace(2)). When this process dies the kernel
    lets the threads go on.
    """

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.ptrace.restype = ctypes.c_long
        self._libc.ptrace.argtypes = [ctypes.c_long] * 2 + [ctypes.c_void_p] * 2
        self._stopped: list[int] = []

    def stop(self, tid: int) -> bool:
        """Stop one thread; False when it is gone. Raises `TracingError` (EPERM: not allowed)."""
        if not self._call(_SEIZE, tid) or not self._call(_INTERRUPT, tid):
            return False
        self._stopped.append(tid)
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            try:
                changed, status = os.waitpid(tid, _WALL | os.WNOHANG)
            except ChildProcessError:
                return False
            if changed == tid:
                return os.WIFSTOPPED(status)
            time.sleep(0.0005)
        raise TracingError(0, f"thread {tid} does not stop; it may wait for a disk or a device")

    def registers(self, tid: int, kind: int) -> bytes | None:
        """A register set as the kernel's core would hold it; None where there is none."""
        room = ctypes.create_string_buffer(_MOST)
        vector = _Vector(ctypes.cast(room, ctypes.c_void_p), _MOST)
        if self._libc.ptrace(_GETREGSET, tid, kind, ctypes.addressof(vector)) == -1:
            return None
        return room.raw[: vector.length]

    def release(self) -> None:
        """Let all of them go on."""
        for tid in self._stopped:
            self._libc.ptrace(_DETACH, tid, None, None)
        self._stopped.clear()

    def _call(self, request: int, tid: int) -> bool:
        if self._libc.ptrace(request, tid, None, None) != -1:
            return True
        number = ctypes.get_errno()
        if number == 3:  # ESRCH
            return False
        raise TracingError(number, os.strerror(number))
