"""@threads: the frames of every thread, as far as they can be walked.

thread 4204 name main loop
frame 0: 0x7ffe53573cc4: NtWaitForSingleObject in ntdll.dll at offset 0xa3cc4
"""

from itertools import islice

from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.minidump.frames import frame_lines
from workbench.targets.plain import one_line

_MOST_THREADS = 1_000
_MOST_FRAMES = 48


def answer(dump: MinidumpFile) -> str:
    """The frames of all threads as text."""
    lines = [f"threads: {len(dump.all_threads)}"]
    for thread in islice(dump.all_threads, _MOST_THREADS):
        name = f" name {one_line(thread.name, 200)}" if thread.name is not None else ""
        lines.append(f"thread {thread.tid}{name}")
        context = dump.context(thread)
        if context is None or context.pc is None:
            lines.append("registers not in the dump")
            continue
        lines += frame_lines(dump, thread.tid, context, _MOST_FRAMES)
    if len(dump.all_threads) > _MOST_THREADS:
        lines.append(f"not shown: {len(dump.all_threads) - _MOST_THREADS} more threads")
    return "\n".join(lines)
