"""Which frame of a stack is the application's."""

from msgspec.structs import replace

from analyzers.owners import functions
from analyzers.owners.modules import is_runtime_library
from analyzers.owners.printed import is_report
from analyzers.owners.sources import is_header
from workbench.model.facts import Frame, Memory, Process, Stack


def module_path(frame: Frame, memory: Memory | None) -> str | None:
    """The file that a frame's code is mapped from: what gdb said, else by its address."""
    if frame.module:
        return frame.module
    if memory is None or frame.address is None:
        return None
    region = memory.region(frame.address)
    return region.path if region is not None and region.kind == "file" else None


def located(frame: Frame, memory: Memory | None) -> Frame:
    """The frame with its module and its offset from the module's load base, where the mappings
    tell them."""
    path = module_path(frame, memory)
    if path is None or memory is None or frame.address is None:
        return frame
    region = memory.region(frame.address)
    if region is None or region.path is None:
        return frame
    bases = [r.start - r.offset for r in memory.regions if r.path == region.path]
    base = min((b for b in bases if b >= 0), default=region.start)
    return replace(frame, module=path, offset=frame.address - base)


def has_libraries(memory: Memory | None) -> bool:
    """True when the C library is a file of its own, so that what its calls left on a stack is told
    from the program's."""
    regions = memory.regions if memory is not None else ()
    return any(is_runtime_library(region.path) for region in regions)


def is_garbage(frame: Frame, memory: Memory | None) -> bool:
    """True for a frame whose address is no code: unwinding, or control itself, went astray there.
    gdb gives such an address the name of the data that lies there."""
    if frame.signal_handler:
        return False
    mapped = memory.region(frame.address) if memory and frame.address is not None else None
    # lldb names a module for data as well, by its bare name.
    if frame.module and (mapped is None or mapped.kind != "file" or "/" in frame.module):
        return False
    if mapped is not None and mapped.perms[2] == "-":
        return True
    if frame.function is not None:
        return False
    if frame.address is None:
        return True
    if memory is None or not memory.regions:
        return frame.address < 0x1000
    region = memory.region(frame.address)
    return region is None or region.perms[2] == "-" or region.kind == "unknown"


def is_application(frame: Frame, memory: Memory | None, process: Process | None = None) -> bool:
    """True when the frame runs the application's own code.

    Not the runtime's machinery (C and C++ libraries, the loader, instantiated templates of the
    standard library), known by source file, by library or, in static programs, by name.
    """
    if frame.signal_handler or is_garbage(frame, memory):
        return False
    path = module_path(frame, memory)
    if is_runtime_library(path) or functions.is_runtime_source(frame):
        return False
    if frame.function is None:
        return path is not None
    if functions.is_library_namespace(frame.function, frame.file) or functions.is_intrinsic(
        frame.function
    ):
        return False
    if functions.is_raising(frame.function):
        return False
    if frame.file is not None and not is_header(frame.file):
        return True
    if frame.inlined and frame.file is not None and is_header(frame.file):
        return False
    if is_report(frame.function):
        return False
    if path is not None and process is not None and path != process.executable:
        # A shared library of the application's own may define what it likes.
        return not functions.is_runtime_name(frame.function)
    return not functions.is_runtime_name(frame.function)


def addressed(stack: Stack, pc: int | None = None) -> list[Frame]:
    """A stack's frames with the addresses that gdb leaves out: a caller into which the frame before
    it was inlined runs where that one runs; ``pc`` is where the innermost frame runs."""
    found: list[Frame] = []
    address, inlined = pc, True
    for frame in stack.frames:
        if frame.address is not None:
            address = frame.address
        elif not inlined:
            address = None
        found.append(frame if frame.address is not None else replace(frame, address=address))
        inlined = frame.inlined
    return found


def application_frame(
    stack: Stack | None,
    memory: Memory | None,
    process: Process | None = None,
    pc: int | None = None,
) -> Frame | None:
    """The innermost frame of the application's own code, with its module and offset, or None."""
    for frame in addressed(stack, pc) if stack is not None else ():
        if is_application(frame, memory, process):
            return located(frame, memory)
    return None
