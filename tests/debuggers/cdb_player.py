"""A program that answers at a terminal as cdb does on a dump: banner, prompts, noise, questions.

What it prints follows logs that people published; it knows no dump. Commands that no cdb has
(``hang``, ``die``, ``flood N``, ``fake``) play its troubles.
"""

# ruff: noqa: E501 - lines as the debugger prints them

import os
import signal
import sys
import time
from pathlib import Path

BANNER = """
Microsoft (R) Windows Debugger Version 10.0.22621.2428 AMD64
Copyright (c) Microsoft Corporation. All rights reserved.


Loading Dump File [{dump}]
User Mini Dump File with Full Memory: Only application data is available

************* Path validation summary **************
Response                         Time (ms)     Location
OK                                             {symbols}
Symbol search path is: {symbols}
Executable search path is:
Windows 10 Version 19045 MP (8 procs) Free x64
Product: WinNt, suite: SingleUserTS
Debug session time: Tue May 14 10:02:11.000 2024 (UTC + 2:00)
System Uptime: not available
Process Uptime: 0 days 0:00:03.000
......
This dump file has an exception of interest stored in it.
The stored exception information can be accessed via .ecxr.
(1a2c.2b40): Access violation - code c0000005 (first/second chance not available)
*** ERROR: Module load completed but symbols could not be loaded for helper.dll
ntdll!NtWaitForSingleObject+0x14:
00007ff9`1a2b3c44 c3              ret
"""
ECXR = """rax=0000000000000000 rbx=000001c7a3f41230 rcx=0000000000000018
rdx=0000000000000002 rsi=0000000000000000 rdi=000001c7a3f40f50
rip=00007ff6a1b21064 rsp=000000c1f2d6f8a0 rbp=0000000000000000
 r8=0000000000000001  r9=0000000000000000 r10=0000000000000000
r11=0000000000000246 r12=0000000000000000 r13=0000000000000000
r14=0000000000000000 r15=0000000000000000
iopl=0         nv up ei pl zr na po nc
cs=0033  ss=002b  ds=002b  es=002b  fs=0053  gs=002b             efl=00010246
*** WARNING: Unable to verify checksum for orders.exe
orders!Basket::total+0x14:
00007ff6`a1b21064 8b4118          mov     eax,dword ptr [rcx+18h] ds:00000000`00000030=????????
"""
ANALYZE = """*******************************************************************************
*                                                                             *
*                        Exception Analysis                                   *
*                                                                             *
*******************************************************************************

*** ERROR: Symbol file could not be found.  Defaulted to export symbols for ntdll.dll -

CONTEXT:  (.ecxr)
rax=0000000000000000 rbx=000001c7a3f41230 rcx=0000000000000018
rdx=0000000000000002 rsi=0000000000000000 rdi=000001c7a3f40f50
rip=00007ff6a1b21064 rsp=000000c1f2d6f8a0 rbp=0000000000000000
orders!Basket::total+0x14:
00007ff6`a1b21064 8b4118          mov     eax,dword ptr [rcx+18h] ds:00000000`00000030=????????

EXCEPTION_RECORD:  (.exr -1)
ExceptionAddress: 00007ff6a1b21064 (orders!Basket::total+0x0000000000000014)
   ExceptionCode: c0000005 (Access violation)
  ExceptionFlags: 00000000
NumberParameters: 2
   Parameter[0]: 0000000000000000
   Parameter[1]: 0000000000000030
Attempt to read from address 0000000000000030

PROCESS_NAME:  orders.exe

READ_ADDRESS:  0000000000000030

FAULTING_THREAD:  00002b40

STACK_TEXT:
000000c1`f2d6f8a0 00007ff6`a1b2113c     : 000001c7`a3f41230 00000000`00000002 00000000`00000000 00000000`00000000 : orders!Basket::total+0x14 [D:\\src\\orders\\basket.cpp @ 41]
000000c1`f2d6f8d0 00007ff6`a1b21390     : 00000000`00000001 000001c7`a3f40f50 00000000`00000000 00000000`00000000 : orders!checkout+0x3c [D:\\src\\orders\\checkout.cpp @ 17]
000000c1`f2d6f910 00007ff6`a1b2199c     : 00000000`00000000 00000000`00000000 00000000`00000000 00000000`00000000 : orders!main+0x50 [D:\\src\\orders\\main.cpp @ 9]
000000c1`f2d6f950 00007ff9`19d17344     : 00000000`00000000 00000000`00000000 00000000`00000000 00000000`00000000 : orders!__scrt_common_main_seh+0x10c
000000c1`f2d6f990 00007ff9`1a2626b1     : 00000000`00000000 00000000`00000000 00000000`00000000 00000000`00000000 : kernel32!BaseThreadInitThunk+0x14
000000c1`f2d6f9c0 00000000`00000000     : 00000000`00000000 00000000`00000000 00000000`00000000 00000000`00000000 : ntdll!RtlUserThreadStart+0x21

SYMBOL_NAME:  orders!Basket::total+14

FAILURE_BUCKET_ID:  NULL_CLASS_PTR_READ_c0000005_orders.exe!Basket::total
"""
THREADS = """.  0  Id: 1a2c.2b40 Suspend: 0 Teb: 000000c1`f2e0d000 Unfrozen
   1  Id: 1a2c.1f08 Suspend: 0 Teb: 000000c1`f2e0f000 Unfrozen
"""


STACK = """ # Child-SP          RetAddr               Call Site
00 000000c1`f2d6f8a0 00007ff6`a1b2113c     orders!Basket::total+0x14 [D:\\src\\orders\\basket.cpp @ 41]
01 000000c1`f2d6f8d0 00007ff6`a1b21390     orders!checkout+0x3c [D:\\src\\orders\\checkout.cpp @ 17]
02 000000c1`f2d6f910 00007ff6`a1b2199c     orders!main+0x50 [D:\\src\\orders\\main.cpp @ 9]
"""
LOCALS = """000000c1`f2d6f8b0 class Item * first = 0x00000000`00000018
"""


class Player:
    """The state that a person's commands change: the thread, the frame, the number base."""

    def __init__(self) -> None:
        self.thread = 0
        self.frame = 0
        self.answers = {
            ".ecxr": ECXR,
            "r": ECXR,
            "!analyze -v": ANALYZE,
            "!gle": "LastErrorValue: 0\n",
            "kn 0n64": STACK,
            "dv /t /v": LOCALS,
        }

    def prompt(self) -> str:
        return f"0:{self.thread:03d}> "

    def run(self, line: str) -> str | None:
        """The output of a line; None ends the program."""
        if line in ("q", "qd"):
            return None
        if line == "!analyze -v":
            time.sleep(0.4)  # symbols are looked for
        if line in self.answers:
            return self.answers[line]
        if ";" in line:
            return "".join(self.run(part.strip()) or "" for part in line.split(";"))
        word, _, rest = line.partition(" ")
        if line == "~":
            rows = THREADS.replace(".  0", "   0").splitlines()
            rows[self.thread] = "." + rows[self.thread][1:]
            return "\n".join(rows) + "\n"
        if line.startswith("~") and line.endswith("s") and line[1:-1].strip().isdigit():
            self.thread, self.frame = int(line[1:-1]) % 2, 0
            return "ntdll!NtWaitForSingleObject+0x14:\n00007ff9`1a2b3c44 c3              ret\n"
        if word == ".frame":
            self.frame = int(rest.removeprefix("0n"), 16) if rest else self.frame
            place = "000000c1`f2d6f8a0 00007ff6`a1b2113c"
            return f"{self.frame:02x} {place}     orders!Basket::total+0x14\n"
        if word == ".echo":
            return rest + "\n"
        if word == ".printf":
            return rest.strip('"').replace("\\n", "\n")
        if word == "flood":
            return "".join(f"line {number} of many\n" for number in range(int(rest)))
        if word == "fake":
            return "0:000> k\n[wb:0123456789abcdef0123456789abcdef:A:]\n0:000> "
        if word == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if word in ("n", ".expr", ".lines"):
            return ""
        return f"Couldn't resolve error at '{line}'\n"


def hang() -> str:
    """Print a part and wait for ever; Ctrl-C ends it with a line of cdb's own."""
    sys.stdout.write("first part\n")
    sys.stdout.flush()
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        return "Interrupted\n"
    return ""


def ask() -> str:
    """A question in the middle of a command, as some extensions ask one."""
    sys.stdout.write("Overwrite it? (y/n) ")
    sys.stdout.flush()
    answer = sys.stdin.readline().strip()
    return f"answered {answer}\n"


def main() -> int:
    words = sys.argv[1:]
    dump = words[words.index("-z") + 1] if "-z" in words else ""
    symbols = words[words.index("-y") + 1] if "-y" in words else ""
    echo = os.environ.get("CDB_PLAYER_ECHO") == "1"
    if not Path(dump).is_file() or Path(dump).read_bytes()[:4] != b"MDMP":
        print(f"Could not open dump file [{dump}], Win32 error 0n2")
        print('    "The system cannot find the file specified."')
        return 1
    sys.stdout.write(BANNER.format(dump=dump, symbols=symbols))
    player = Player()
    while True:
        sys.stdout.write(player.prompt())
        sys.stdout.flush()
        try:
            line = sys.stdin.readline()
        except KeyboardInterrupt:
            sys.stdout.write("\n")
            continue
        if not line:
            return 0
        text = line.strip()
        if echo:
            sys.stdout.write(text + "\r\n")
        if text == "hang":
            said: str | None = hang()
        elif text == "ask":
            said = ask()
        else:
            said = player.run(text)
        if said is None:
            sys.stdout.write("quit:\n")
            sys.stdout.flush()
            return 0
        sys.stdout.write(said)


if __name__ == "__main__":
    sys.exit(main())
