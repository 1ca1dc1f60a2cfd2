"""What is asked of a .NET process, in SOS's own spelling for each debugger.

lldb loads SOS as a plugin, dotnet-dump has it built in, WinDbg loads it as an extension. gdb has no
SOS: the text is empty there, so that nothing is asked.
"""

from workbench.model.evidence import Command


def asked(text: str, intent: str, *, lldb: str | None = None, cdb: str | None = None) -> Command:
    """One question, as dotnet-dump spells it; so lldb does, and WinDbg with a mark in front, where
    nothing else is given."""
    others = (
        ("lldb", text if lldb is None else lldb),
        ("dotnet-dump", text),
        ("cdb", f"!{text}" if cdb is None else cdb),
    )
    return Command("", intent, others)


THREADS = asked("clrthreads", "the runtime's threads, their locks and exceptions", cdb="!threads")
STACKS = asked("clrstack -all", "what every managed thread is doing", cdb="~*e !clrstack")
STACKS_WITH_LOCALS = asked(
    "clrstack -all -a", "the objects that every managed thread holds in its frames",
    cdb="~*e !clrstack -a",
)  # fmt: skip
EXCEPTION = asked("pe -nested", "the exception of the current thread")
MONITORS = Command("@monitors", "who holds which monitor, from the runtime's own table")
SYNC_BLOCKS = asked("syncblk", "who holds which monitor")
POOL = asked("threadpool", "the thread pool's workers and queue")
HEAP = asked("dumpheap -stat", "what the managed heap holds", lldb="sos DumpHeap -stat")
GC_HEAP = asked("eeheap -gc", "how large the managed heap is", lldb="sos EEHeap -gc")
ASSEMBLIES = asked(
    "dumpdomain", "which assemblies were loaded, and from where", lldb="sos DumpDomain"
)
FINALIZERS = asked("finalizequeue", "objects that wait for their finalizer")


def exception(address: int) -> Command:
    """One exception object."""
    return asked(f"pe {address:x}", "the exception object")


def objects_of(number: int) -> Command:
    """The objects on one thread's stack; ``number`` is the debugger's."""
    why = f"the objects on the stack of thread {number}"
    return asked("", why, lldb=f"thread select {number}; dso", cdb=f"~{number}e !dso")


def some(table: int) -> Command:
    """The addresses of a type's objects, by its method table."""
    words = f"-short -mt {table:x}"
    return asked(f"dumpheap {words}", "objects of this type", lldb=f"sos DumpHeap {words}")


def roots(address: int) -> Command:
    """What keeps an object alive."""
    return asked(f"gcroot {address:x}", "what keeps this object alive")


def code(address: int) -> Command:
    """The method that an address is in, disassembled."""
    return asked(f"clru {address:x}", "the code of this method", cdb=f"!u {address:x}")


def method(address: int) -> Command:
    """Which method an address of compiled code lies in."""
    return asked(f"ip2md {address:x}", "which method this code is")
