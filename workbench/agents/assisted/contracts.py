"""What each tool of the loop is for, in one line."""

CONTRACTS = {
    "report_get": "Read a part of the crash report by its path, or an evidence item's numbered "
    "lines (evidence.E3).",
    "exec": "Run one read-only command of the debugger; its output becomes evidence.",
    "inspect": "Read an object with its fields, or memory, at an address; follow its pointers.",
    "get_thread_stack": "One thread's stack.",
    "source": "A function's source whole, with numbered lines.",
    "locals": "The arguments and variables of one frame of a thread.",
    "memory": "What lies at an address, as a type of the program.",
    "heap": "The heap's chunk at an address: its size, in use or free.",
    "find_value": "The lines of evidence in which a number stands.",
    "callers": "Who calls a function, in source that was listed.",
    "writers": "Who writes or frees a field, in source that was listed.",
    "calc": "sizeof, offsetof and arithmetic over the program's values, to be cited.",
    "hypothesis_register": "Propose another cause, with commands that test it.",
    "hypothesis_score": "Say how likely a hypothesis is, with the lines that say so.",
    "evidence_annotate": "Remark why an evidence item matters.",
    "checkpoint_complete": "Write down what must be known when older messages are dropped.",
    "analysis_complete": "End with the cause, in sentences that cite their lines.",
}
