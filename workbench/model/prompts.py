"""What stands before a person's line, by the name of the debugger that answers it."""

_PROMPTS = {
    "gdb": "(gdb) ", "lldb": "(lldb) ", "cdb": "0:000> ", "dotnet-dump": "> ", "replay": "(log) ",
    "none": "(no debugger) ",
}  # fmt: skip


def prompt_of(debugger: str) -> str:
    """The prompt of a debugger; one that is not known is shown by its name."""
    return _PROMPTS.get(debugger, f"({debugger}) ")
