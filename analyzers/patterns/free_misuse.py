"""free() misused: memory given back twice, or memory that was never the allocator's."""

from analyzers.patterns import commands, messages, signs
from analyzers.patterns.case import Case
from analyzers.patterns.names import bare
from analyzers.patterns.words import (
    Cites,
    claim,
    confirmed,
    inconclusive,
    name_of,
    of,
    place,
    rejected,
    signal_claim,
)
from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import Argument, Chunk, FactBook, Frame
from workbench.model.hypothesis import Claim, Proposal, Rung, Verdict

_PAGE, _MAPPED_AT = 4096, 16

FREES = (
    "free",
    "__libc_free",
    "__GI___libc_free",
    "cfree",
    "realloc",
    "__libc_realloc",
    "__GI___libc_realloc",
    "operator delete",
    "operator delete[]",
    "_ZdlPv",
    "_ZdlPvm",
    "_ZdaPv",
    "_ZdaPvm",
    "_ZdlPvSt11align_val_t",
    "_ZdaPvSt11align_val_t",
    "_ZdlPvmSt11align_val_t",
    "_ZdaPvmSt11align_val_t",
)
"""Functions that give memory back, by their plain and their mangled names."""


_ADVICE = (
    "Find both calls that free this memory; give it one owner, and set the pointer to null where "
    "it is freed.",
    "Build with -fsanitize=address and run the same path: it names both calls.",
)


def free_frame(case: Case) -> Frame | None:
    """The outermost runtime frame of a release on the faulting stack."""
    if case.stack is None:
        return None
    found = [f for f in case.stack.frames[:24] if f.function and bare(f.function) in FREES]
    return found[0] if found else None


def given(case: Case) -> Argument | None:
    """The pointer that the program gave to free(), recovered from the caller."""
    named = signs.passed_pointer(case, *FREES)
    return named if named is not None else signs.passed_pointer(case)


def ask_for_pointer(case: Case) -> tuple[Command, ...]:
    """The next command that recovers the pointer and tells where it lies."""
    argument = given(case)
    if argument is None:
        return commands.call(case, case.frame)
    return commands.heap(argument.value)


def pointer_claim(argument: Argument, place_words: str, *cites: Cites) -> Claim:
    """What was given to free()."""
    return claim(
        f"The pointer that was given back is {argument.value:#x}: {place_words}.",
        of(argument),
        *cites,
    )


class DoubleFree:
    """The allocator found the chunk on its own list, or the walk finds it there."""

    category = Category.DOUBLE_FREE

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the allocator's message speaks of it."""
        case = Case(facts)
        sure = messages.says(case, *messages.DOUBLE_FREE)
        perhaps = messages.says(case, *messages.PERHAPS_DOUBLE_FREE)
        if not sure and not perhaps and not _died_in_free(case):
            return None
        return Proposal(
            category=self.category,
            statement="The same memory was freed twice.",
            confidence=0.9 if sure else 0.55 if perhaps else 0.3,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *commands.registers(case.frame)),
            citations=messages.cites(case) + case.cite(case.frame),
        )  # fmt: skip

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """The pointer that was freed, then where it lies."""
        return ask_for_pointer(Case(facts))

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by a message that says so, or by a chunk that is free already."""
        case = Case(facts)
        sure = messages.says(case, *messages.DOUBLE_FREE)
        perhaps = messages.says(case, *messages.PERHAPS_DOUBLE_FREE)
        argument = given(case)
        if not sure and not perhaps:
            gone = argument is not None and argument.region == "unmapped" and _died_in_free(case)
            if gone and argument is not None and _was_mapped(argument):
                return self._unmapped(case, argument)
            return rejected("The allocator found no double free.",
                            messages.cites(case) + of(argument) + of(case.fault),
                            rung=Rung.STRUCTURE)  # fmt: skip
        chunk = case.chunk(argument.value) if argument is not None else None
        is_free = _is_free(chunk)
        if not sure and not is_free:
            return self._unsure(case, argument, chunk)
        where = place(case, case.frame)
        claims = [
            claim(
                f"{where.text[:1].upper()}{where.text[1:]} freed memory that was free already: the "
                f"allocator stopped with {messages.quoted(messages.text(case))}.",
                messages.cites(case),
                where.cites,
            )
        ]
        if argument is not None and chunk is not None and is_free:
            claims.append(
                pointer_claim(
                    argument,
                    f"it lies in the chunk at {chunk.start:#x}, which was free already",
                    of(chunk),
                )
            )
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.95 if is_free else 0.9,
            [*claims, *signal_claim(case)],
            reason="The allocator found the memory on its own list of free chunks.",
            support=of(case.fault),
            recommendations=_ADVICE,
        )

    def _unmapped(self, case: Case, argument: Argument) -> Verdict:
        where = place(case, case.frame)
        claims = [
            claim(
                f"{where.text[:1].upper()}{where.text[1:]} freed {argument.value:#x}, which is not "
                "mapped any more: it stands where the allocator puts a large block that it maps on "
                "its own, and free() unmaps such a block.",
                of(argument),
                where.cites,
            ),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.6,
            claims,
            reason="The address is that of a large block which has been unmapped already.",
            missing=("who unmapped this block: an earlier free(), or munmap()",),
            recommendations=_ADVICE,
        )

    def _unsure(self, case: Case, argument: Argument | None, chunk: Chunk | None) -> Verdict:
        broken = signs.broken_heap(case)
        if broken is not None and argument is not None:
            return rejected(
                "The heap's headers are damaged, which is why the allocator's check failed.",
                of(broken),
                rung=Rung.STRUCTURE,
            )
        if argument is not None and argument.region not in ("heap", "anonymous", "unknown"):
            return rejected("The pointer lies in no heap.", of(argument))
        if case.heaps and all(heap.broken_at is None for heap in case.heaps) and argument is None:
            where = place(case, case.frame)
            claims = [
                claim(
                    f"{where.text[:1].upper()}{where.text[1:]} freed memory twice, by all that is "
                    "seen: the heap's headers are whole, and the allocator stopped with "
                    f"{messages.quoted(messages.text(case))}.",
                    messages.cites(case),
                    where.cites,
                    *(of(heap) for heap in case.heaps),
                ),
                *signal_claim(case),
            ]
            return confirmed(
                case,
                Rung.STRUCTURE,
                0.7,
                claims,
                reason="The message fits, and the headers that it could blame instead are whole.",
                missing=("the pointer that was freed, to find its chunk on a free list",),
                recommendations=_ADVICE,
            )
        return inconclusive(
            case,
            "The allocator's message fits a double free, and damaged headers as well.",
            ("the pointer that was freed, and its chunk's state",),
            confidence=0.5,
            rung=Rung.TEXT,
            supporting=messages.cites(case),
            contradicting=of(chunk),
        )


def _is_free(chunk: Chunk | None) -> bool:
    """True when a chunk is free; what was freed before may lie inside a larger one by now."""
    if chunk is None or chunk.offset < 0:
        return False
    return chunk.state in signs.FREE_STATES or chunk.state == "top"


class InvalidFree:
    """free() was given an address that the allocator never gave out."""

    category = Category.INVALID_FREE

    def propose(self, facts: FactBook) -> Proposal | None:
        """When free() refused its argument or died of it."""
        case = Case(facts)
        refused = messages.says(case, *messages.BAD_POINTER)
        sized = messages.says(case, *messages.BAD_SIZE, *messages.PERHAPS_DOUBLE_FREE)
        died = _died_in_free(case)
        if not refused and not sized and not died:
            return None
        return Proposal(
            category=self.category,
            statement="free() was given an address that malloc() had not returned.",
            confidence=0.8 if refused else 0.5 if died else 0.4,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *commands.registers(case.frame)),
            citations=messages.cites(case) + case.cite(case.frame),
        )  # fmt: skip

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """The pointer that was freed, then where it lies."""
        return ask_for_pointer(Case(facts))

    def evaluate(self, facts: FactBook) -> Verdict:
        """Decided by where the pointer lies."""
        case = Case(facts)
        refused = messages.says(case, *messages.BAD_POINTER)
        argument = given(case)
        if argument is None:
            return self._without_pointer(case, refused=refused)
        why = not_the_allocators(case, argument)
        if why is None:
            return self._in_heap(case, argument)
        if mismatch(case, argument) is not None:
            return rejected(
                "The pointer is off by the size of an array's count: new and delete do not match.",
                of(argument) + of(case.chunk(argument.value)),
            )
        where = place(case, case.frame)
        release = free_frame(case)
        by = f" {name_of(release.function)}" if release and release.function else " free()"
        cites = case.cite(release) if release and release.function else of(argument)
        claims = [
            claim(
                f"{where.text[:1].upper()}{where.text[1:]} gave{by if release else ''} an address "
                f"that the allocator never returned: {argument.value:#x} {why[0]}.",
                of(argument),
                why[1],
                where.cites,
                cites,
            )
        ]
        if case.message is not None:
            claims.append(
                claim(
                    f"The allocator stopped with {messages.quoted(messages.text(case))}.",
                    messages.cites(case),
                )
            )
        return confirmed(
            case,
            Rung.MACHINE,
            0.93,
            [*claims, *signal_claim(case)],
            reason="The pointer that was freed is not one that the allocator gave out.",
            recommendations=(
                "Free only what malloc() returned, by the very pointer that it returned: look for "
                "pointers to arrays, string literals or fields, and for pointers that were moved.",
            ),
        )

    def _without_pointer(self, case: Case, *, refused: bool) -> Verdict:
        where = place(case, case.frame)
        sized = messages.says(case, "free(): invalid size", "free(): invalid next size")
        whole = bool(case.heaps) and signs.broken_heap(case) is None
        if (refused and signs.broken_heap(case) is None) or (sized and whole):
            heap_claims = [
                claim(
                    "The heap's headers are whole: the pointer itself was bad.",
                    *(of(heap) for heap in case.heaps),
                )
            ]
            claims = [
                claim(
                    f"{where.text[:1].upper()}{where.text[1:]} gave free() an address that the "
                    f"allocator refused: {messages.quoted(messages.text(case))}.",
                    messages.cites(case),
                    where.cites,
                ),
                *signal_claim(case),
            ]
            claims[0] = claim(claims[0].text.replace("free() ", "back "), claims[0].citations)
            return confirmed(
                case,
                Rung.STRUCTURE if whole else Rung.TEXT,
                0.78 if whole else 0.65,
                [*claims, *(heap_claims if whole else [])],
                reason="The allocator refused the pointer.",
                missing=("the pointer itself, to see where it lies",),
                recommendations=("Free only what malloc() returned.",),
            )
        return inconclusive(
            case,
            "The pointer that was freed could not be recovered.",
            ("the caller's registers, or debug information for its variables",),
            confidence=0.3,
            rung=Rung.TEXT,
            supporting=messages.cites(case),
        )

    def _in_heap(self, case: Case, argument: Argument) -> Verdict:
        chunk = case.chunk(argument.value)
        if chunk is not None and _is_free(chunk):
            return rejected("The memory was the allocator's, and is free already.",
                            of(argument) + of(chunk), rung=Rung.STRUCTURE)  # fmt: skip
        if chunk is not None and chunk.offset == 0:
            return rejected("The pointer is one that the allocator gave out.",
                            of(argument) + of(chunk), rung=Rung.STRUCTURE)  # fmt: skip
        broken = signs.broken_heap(case)
        if broken is not None:
            return rejected("The heap's headers are damaged.", of(broken), rung=Rung.STRUCTURE)
        return inconclusive(
            case,
            "The pointer lies in a heap, but which chunk it belongs to is not known.",
            ("a walk of the heap that holds it",),
            confidence=0.4,
            supporting=of(argument) + messages.cites(case),
        )


def _died_in_free(case: Case) -> bool:
    if case.signal is None or case.signal.name not in ("SIGSEGV", "SIGBUS"):
        return False
    release = free_frame(case)
    return release is not None and case.frame is not None and release.index < case.frame.index


def not_the_allocators(case: Case, argument: Argument) -> tuple[str, Cites] | None:
    """Why a pointer cannot be malloc's: words and lines; None when it may be."""
    chunk = case.chunk(argument.value)
    if chunk is not None and _is_free(chunk):
        return None
    if chunk is not None and chunk.offset != 0:
        inside = "inside" if chunk.offset > 0 else "in the header of"
        return (
            f"lies {inside} the chunk at {chunk.start:#x}, not at its beginning",
            of(chunk),
        )
    region = case.region(argument.value)
    cites = case.cite_region(region)
    if argument.region == "stack" or (region is not None and region.kind == "stack"):
        return "lies on a stack", cites
    if argument.region == "file" or (region is not None and region.kind == "file"):
        return "lies in a mapped file, among the program's own data", cites
    if argument.region in ("unmapped", "near-null", "non-canonical") and argument.value:
        return ("is not mapped at all", ()) if not _was_mapped(argument) else None
    walked = any(heap.start <= argument.value < heap.end for heap in case.heaps)
    looked = chunk is None and bool(case.heaps) and region is not None
    anonymous = region is not None and region.kind == "anonymous"
    # A mapping of malloc()'s own begins with its chunk's header (malloc.c, sysmalloc_mmap).
    if looked and not walked and anonymous and argument.value % _PAGE != _MAPPED_AT:
        return "lies in anonymous memory that is no heap", cites
    return None


def _was_mapped(argument: Argument) -> bool:
    """True for an address that looks like a large block which malloc() had mapped on its own and
    which free() has unmapped: two words behind the beginning of a page (sysmalloc_mmap)."""
    return argument.value % _PAGE == _MAPPED_AT and argument.value >> 40 == 0x7F


def mismatch(case: Case, argument: Argument) -> str | None:
    """How new and delete disagree, by the eight bytes of an array's count in front of its first
    element (Itanium C++ ABI, 2.7); None when they do not."""
    chunk = case.chunk(argument.value)
    called = _delete(case, argument)
    if chunk is None or called is None:
        return None
    is_array = called.startswith("_Zda") or "[]" in called
    if chunk.offset == 8 and not is_array:
        return "an array from new[] was released by delete"
    if chunk.offset == -8 and is_array:
        return "a single object from new was released by delete[]"
    return None


def _delete(case: Case, argument: Argument) -> str | None:
    """The name of the operator delete that the program called, or None."""
    name = argument.function or ""
    if name.startswith(("_Zdl", "_Zda", "operator delete")):
        return name
    frames = case.stack.frames[:24] if case.stack is not None else ()
    names = [f.function for f in frames if f.function and f.function.startswith("operator delete")]
    return names[-1] if names else None


def _is_cpp(case: Case) -> bool:
    """True when the program is C++ by its libraries, its sources or its frames."""
    frames = case.stack.frames if case.stack is not None else ()
    if any((f.function or "").startswith("operator delete") for f in frames):
        return True
    if any((f.file or "").endswith((".cpp", ".cc", ".cxx", ".C", ".hpp")) for f in frames):
        return True
    regions = case.memory.regions if case.memory is not None else ()
    return any("/libstdc++.so" in (r.path or "") or "/libc++.so" in (r.path or "") for r in regions)


class MismatchedDeallocation:
    """new[] against delete, or new against delete[]."""

    category = Category.MISMATCHED_DEALLOCATION

    def propose(self, facts: FactBook) -> Proposal | None:
        """When a delete ended in the allocator's refusal."""
        case = Case(facts)
        refused = messages.says(case, *messages.BAD_POINTER, *messages.BAD_SIZE)
        if not (refused or _died_in_free(case)) or not _is_cpp(case):
            return None
        return Proposal(
            category=self.category,
            statement="Memory was released by another operator than the one that allocates it.",
            confidence=0.5,
            tests=(*commands.source(case.frame), *commands.registers(case.frame)),
            citations=messages.cites(case) + case.cite(case.frame),
        )

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """The pointer that was freed, then where it lies."""
        return ask_for_pointer(Case(facts))

    def evaluate(self, facts: FactBook) -> Verdict:
        """Decided by the pointer's distance from its chunk."""
        case = Case(facts)
        argument = given(case)
        if argument is None:
            return inconclusive(
                case, "The pointer that was freed could not be recovered.",
                ("the caller's registers",), confidence=0.2,
            )  # fmt: skip
        how = mismatch(case, argument)
        chunk = case.chunk(argument.value)
        if how is None or chunk is None:
            return rejected("The pointer is not off by an array's count.",
                            of(argument) + of(chunk))  # fmt: skip
        where = place(case, case.frame)
        claims = [
            claim(
                f"In {where.text} {how}: the pointer {argument.value:#x} is off by the size of an "
                f"array's count from the memory of the chunk at {chunk.start:#x}.",
                of(argument),
                of(chunk),
                where.cites,
            ),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.85,
            claims,
            reason="The pointer is off by exactly the array's count.",
            support=messages.cites(case),
            recommendations=("Release new[] with delete[], and new with delete.",),
        )
