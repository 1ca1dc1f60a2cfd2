"""What a conclusion says of a cause, and the constant words of what experts state beside the kinds:
data, one place each. Slots are arguments of the statement."""

CAUSES: dict[tuple[str, str], str] = {
    ("use-after-free", ""): "{place} uses memory after it was freed",
    ("use-after-free", "call"): "{place} calls a function pointer that it read from freed memory",
    ("use-after-free", "by"): "{place} makes an indirect call by way of freed memory",
    ("use-after-free", "unmapped"): "{place} uses a block after it was freed",
    ("null-pointer-dereference", ""): "a null pointer is dereferenced in {place}",
    ("null-pointer-dereference", "near"): "a pointer close to null is dereferenced in {place}",
    ("null-pointer-dereference", "recorded"): "a null pointer was used in {place}",
    ("null-function-pointer-call", ""): "a null function pointer is called in {place}",
    ("corrupted-pointer", ""): "{place} uses a pointer that was overwritten",
    ("wild-pointer", ""): "{place} uses a pointer to no valid memory",
    ("wild-pointer", "code"): "{place} uses a pointer to no code",
    ("wild-pointer", "number"): "{place} uses a number as a pointer",
    ("wild-pointer", "recorded"): "{place} used a pointer to no memory",
    # Windows and .NET
    ("explicit-abort", "managed"): "{place} ended the process on purpose",
    ("assertion-failure", "managed"): "an assertion failed in {place}",
    ("stack-overflow", "managed"): "{place} calls itself until the stack is full",
    ("high-cpu", "managed"): "{place} runs while the processors are busy",
    ("deadlock", "ring"): "{place} waits for a monitor in a cycle of threads",
    ("deadlock", "itself"): "{place} waits for a monitor that it can never get",
    ("deadlock", "monitors"): "{place} holds a monitor and waits for another one, as every thread "
    "does that holds any",
    ("finalizer-blockage", ""): "the finalizer thread runs {place}",
    ("out-of-memory", "fragmented"): "an allocation failed in {place} while much of the managed "
    "heap was free, in pieces",
    ("memory-leak", "grown"): "one type of object grew between two listings of the managed heap",
    ("memory-leak", "managed"): "one type of object takes most of the managed heap",
    ("thread-starvation", "counted"): "work waits for a thread pool whose workers all wait",
    ("thread-starvation", "waits"): "{place} blocks a worker of a thread pool that has no idle one",
    ("thread-starvation", "tasks"): "{place} blocks a worker of a starved thread pool until a task "
    "is done that takes another worker",
    ("thread-starvation", "blocks"): "{place} blocks a worker of the thread pool until a task is "
    "done that takes another worker",
    ("uncaught-exception", "thrown"): "{place} threw an exception that nobody caught",
    ("uncaught-exception", "raised"): "{place} threw an exception",
    ("missing-method", "thrown"): "{place} called a method that the loaded assembly does not have",
    ("version-mismatch", "thrown"): "{place} needed an assembly of another version than was loaded",
    ("library-load-failure", "thrown"): "{place} needed a library that could not be loaded",
    ("out-of-memory", "thrown"): "{place} asked the runtime for memory that it did not have",
    ("divide-by-zero", "thrown"): "{place} divided by zero",
}
"""By category and how it is seen: the clause of the headline. ``{place}`` is the frame."""

WORDS: dict[tuple[str, str], str] = {
    ("access", "read"): "reads from",
    ("access", "write"): "writes to",
    ("access", "execute"): "runs",
    ("state", "in-use"): "in use",
    ("state", "top"): "the heap's unallocated rest",
    ("state", "tcache"): "free (tcache)",
    ("state", "fastbin"): "free (fastbin)",
    ("state", "unsorted"): "free (unsorted)",
    ("state", "bin"): "free (bin)",
    ("kind", "file"): "a mapped file",
    ("kind", "stack"): "a stack",
    ("kind", "heap"): "the heap",
    ("kind", "anonymous"): "anonymous memory",
    ("kind", "none"): "memory that no access is allowed to",
    ("kind", "critical-section"): "critical section",
    ("kind", "unknown"): "memory that the dump does not describe",
}
"""How a constant word of a column is written."""

ORIGINS: dict[str, str] = {
    "freed": "{place} freed what was used afterwards",
    "released-early": "{place} released what was still in use",
    "written": "{place} wrote over what was read later",
    "truncated": "{place} stored a value that had lost its upper part",
    "computed": "{place} computed the wrong value",
    "cleared": "{place} cleared what was used afterwards",
    "never-set": "{place} made what was never set before it was used",
    "allocated": "{place} allocated it",
    "allocated-too-small": "{place} allocated less than was used",
    "unmapped": "{place} unmapped or moved what was used afterwards",
    "returned": "{place} returned the value that was used",
    "passed-wrong": "{place} passed the wrong value",
    "locked": "{place} took the lock",
    "looped": "{place} loops",
    "recursed": "{place} began the recursion",
    "thrown": "{place} threw it",
    "used": "{place} used it",
}
"""By kind of origin: what its line did."""

TOLD: dict[str, str] = {
    "text-value": "the value {number} is text, not an address",
    "one-byte": "the value {number} is one byte repeated, not an address",
    # Windows and .NET
    "earlier": "an earlier listing had {count} objects of `{name}`, which took {bytes} bytes",
}
"""What only an expert states: each argument has to stand in the line that it carries."""
