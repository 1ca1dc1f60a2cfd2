"""What is asked of a .NET process, in SOS's own spelling for each debugger.

lldb loads SOS as a plugin, dotnet-dump has it built in, WinDbg loads it as an extension. gdb has no
SOS: the text is empty there, so that nothing is asked.
"""

from workbench.model.evidence import Command


def asked(lldb: str, dotnet_dump: str, cdb: str, intent: str) -> Command:
    """One question in the three spellings."""
    others = (("lldb", lldb), ("dotnet-dump", dotnet_dump), ("cdb", cdb))
    return Command("", intent, others)


THREADS = asked(
    "clrthreads", "clrthreads", "!threads", "the runtime's threads, their locks and exceptions"
)
STACKS = asked(
    "clrstack -all", "clrstack -all", "~*e !clrstack", "what every managed thread is doing"
)
STACKS_WITH_LOCALS = asked(
    "clrstack -all -a",
    "clrstack -all -a",
    "~*e !clrstack -a",
    "the objects that every managed thread holds in its frames",
)
EXCEPTION = asked("pe -nested", "pe -nested", "!pe -nested", "the exception of the current thread")
MONITORS = Command("@monitors", "who holds which monitor, from the runtime's own table")
SYNC_BLOCKS = asked("syncblk", "syncblk", "!syncblk", "who holds which monitor")
POOL = asked("threadpool", "threadpool", "!threadpool", "the thread pool's workers and queue")
HEAP = asked(
    "sos DumpHeap -stat", "dumpheap -stat", "!dumpheap -stat", "what the managed heap holds"
)
GC_HEAP = asked("sos EEHeap -gc", "eeheap -gc", "!eeheap -gc", "how large the managed heap is")
ASSEMBLIES = asked(
    "sos DumpDomain", "dumpdomain", "!dumpdomain", "which assemblies were loaded, and from where"
)
FINALIZERS = asked(
    "finalizequeue", "finalizequeue", "!finalizequeue", "objects that wait for their finalizer"
)


def exception(address: int) -> Command:
    """One exception object."""
    text = f"pe {address:x}"
    return asked(text, text, f"!{text}", "the exception object")


def objects_of(number: int) -> Command:
    """The objects on one thread's stack; ``number`` is the debugger's."""
    return asked(
        f"thread select {number}; dso",
        "",
        f"~{number}e !dso",
        f"the objects on the stack of thread {number}",
    )


def some(table: int) -> Command:
    """The addresses of a type's objects, by its method table."""
    words = f"-short -mt {table:x}"
    return asked(
        f"sos DumpHeap {words}", f"dumpheap {words}", f"!dumpheap {words}", "objects of this type"
    )


def roots(address: int) -> Command:
    """What keeps an object alive."""
    text = f"gcroot {address:x}"
    return asked(text, text, f"!{text}", "what keeps this object alive")


def code(address: int) -> Command:
    """The method that an address is in, disassembled."""
    return asked(
        f"clru {address:x}", f"clru {address:x}", f"!u {address:x}", "the code of this method"
    )


def method(address: int) -> Command:
    """Which method an address of compiled code lies in."""
    text = f"ip2md {address:x}"
    return asked(text, text, f"!{text}", "which method this code is")
