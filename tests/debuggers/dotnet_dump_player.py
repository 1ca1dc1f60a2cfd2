"""A program that answers as ``dotnet-dump analyze`` does when its input is no terminal.

What it prints follows published logs and the sources of dotnet/diagnostics; it knows no dump.
Commands that no dotnet-dump has (``hang``, ``die``, ``flood N``, ``fake``) play its troubles.
"""

# ruff: noqa: E501 - lines as the program prints them

import os
import signal
import sys
import time
from pathlib import Path

THREADS = ((0, 0x1DBFF), (1, 0x1DC1D), (2, 0x1DC1E))
MANAGED = """ThreadCount:      4
UnstartedThread:  0
BackgroundThread: 2
PendingThread:    0
DeadThread:       0
Hosted Runtime:   no
                                                                                                            Lock
 DBG   ID     OSID ThreadOBJ           State GC Mode     GC Alloc Context                  Domain           Count Apt Exception
   0    1    1dbff 00007F2B4C001F50  2020020 Preemptive  0000000000000000:0000000000000000 00007F2B4C002000 -00001 Ukn
   1    5    1dc1d 00007F2B542D28C0    21020 Preemptive  0000000000000000:0000000000000000 00007F2B4C002000 -00001 Ukn
   2    6    1dc1e 00007F2B400016A0    21020 Preemptive  0000000000000000:0000000000000000 00007F2B4C002000 -00001 Ukn (Threadpool Worker)
"""
STACKS = {
    0x1DBFF: "00007FFC448D4580 00007f9b6d4a3f16 [HelperMethodFrame_1OBJ: 00007ffc448d4580] System.Threading.Thread.Join()\n"
    "00007FFC448D46B0 00007F9AF32A1C6F Shop.Program.Main(System.String[]) [/home/me/shop/program.cs @ 12]\n",
    0x1DC1D: "00007F2B862B9760 00007f305abc6360 [HelperMethodFrame_1OBJ: 00007f2b862b9760] System.Threading.Monitor.Enter(System.Object)\n"
    "00007F2B862B98B0 00007F2FE392A9E5 Shop.Orders.Move(System.Object) [/home/me/shop/orders.cs @ 57]\n",
    0x1DC1E: "00007F2B85AB8790 00007f305abc6360 [HelperMethodFrame_1OBJ: 00007f2b85ab8790] System.Threading.Monitor.Enter(System.Object)\n"
    "00007F2B85AB88E0 00007F2FE392AAAE Shop.Stock.Take(System.Object) [/home/me/shop/stock.cs @ 53]\n",
}
SYNC = """Index         SyncBlock MonitorHeld Recursion Owning Thread Info          SyncBlock Owner
   41 000000000143D038            3         1 00007F2B542D28C0 1dc1d   1   00007f2e90080fb8 System.Object
   42 000000000143D080            3         1 00007F2B400016A0 1dc1e   2   00007f2e90080fd0 Shop.Stock
-----------------------------
Total           264
Free            0
"""
HEAP = """Statistics:
          MT Count TotalSize Class Name
7f55b7cd0c00     1        24 System.SharedStatics
7f55b7cf1230   421   140,800 System.String
Total 422 objects, 140,824 bytes
"""


class Player:
    """The thread that is selected."""

    def __init__(self) -> None:
        self.selected = 0

    def run(self, line: str) -> tuple[str, bool]:
        """The output of a line, and whether it was a command at all."""
        word, _, rest = line.partition(" ")
        word = word.lower()
        if word == "threads":
            marks = ["*" if n == self.selected else " " for n, _ in THREADS]
            rows = (f"{m}{n} 0x{t:04X} ({t})" for m, (n, t) in zip(marks, THREADS, strict=True))
            return "\n".join(rows) + "\n", True
        if word == "setthread":
            self.selected = int(rest, 0) % len(THREADS)
            return "", True
        if word == "clrthreads":
            return MANAGED, True
        if word == "clrstack":
            wanted = THREADS if "-all" in rest else THREADS[self.selected : self.selected + 1]
            return "".join(self._stack(number, tid) for number, tid in wanted), True
        answers = {
            "syncblk": SYNC,
            "dumpheap": HEAP,
            "eeheap": "GC Allocated Heap Size:    Size: 0x22618 (140824) bytes.\n",
            "pe": "There is no current managed exception on this thread\n",
            "clru": "Normal JIT generated code\nShop.Orders.Move(System.Object)\n",
            "setsymbolserver": "",
            "setclrpath": f"Set load path for DAC/DBI to '{rest}'\n",
        }
        if word in answers:
            return answers[word], True
        if word == "flood":
            return "".join(f"line {number} of many\n" for number in range(int(rest))), True
        if word == "fake":
            nonce = "0123456789abcdef" * 2
            return (
                f"> wb_{nonce}_A_\nERROR: none\n<END_COMMAND_ERROR>\n<END_COMMAND_OUTPUT>\n",
                True,
            )
        if word == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if word == "hang":
            print("first part", flush=True)
            time.sleep(60)
        return f"ERROR: Unrecognized command '{word}'\n", False

    def _stack(self, number: int, tid: int) -> str:
        head = f"OS Thread Id: 0x{tid:x} ({number})\n        Child SP               IP Call Site\n"
        return head + STACKS[tid]


def main() -> int:
    words = sys.argv[1:]
    if words == ["--version"]:
        print("8.0.547301+4d8ae2ff2ee6d8ae2ff2ee6")
        return 0
    if words[:1] != ["analyze"] or sys.stdin.isatty():
        print("the player is driven through a pipe only")
        return 2
    dump = Path(words[1])
    print(f"Loading core dump: {dump} ...", flush=True)
    if dump.read_bytes()[:4] != b"\x7fELF":
        print(f"Could not open dump file '{dump}': it is no dump")
        return 1
    player = Player()
    for at, word in enumerate(words):
        if word == "-c":
            print(player.run(words[at + 1])[0], end="")
    print(
        "Ready to process analysis commands. Type 'help' to list available commands or 'help [command]' to get detailed help on a command."
    )
    print("Type 'quit' or 'exit' to exit the session.")
    print("<END_COMMAND_OUTPUT>", flush=True)
    for line in sys.stdin:
        text = line.strip()
        if not text:
            continue
        print(f"> {text}")
        if text in ("exit", "quit", "q"):
            return 0
        said, good = player.run(text)
        sys.stdout.write(said)
        print("<END_COMMAND_OUTPUT>" if good else "<END_COMMAND_ERROR>", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
