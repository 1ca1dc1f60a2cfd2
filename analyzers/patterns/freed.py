"""Use after free: proved by the allocator's own lists, never guessed."""

from collections.abc import Callable

from analyzers.patterns import commands, dangling, messages, released, signs
from analyzers.patterns.case import Case
from analyzers.patterns.cause import (
    INTO_FREED,
    RAN_OUT,
    Cause,
    Open,
    Proof,
    anything,
    of_fault,
    of_memory,
)
from analyzers.patterns.given import look
from analyzers.patterns.passed import Stale, given_back, look_up, stale, through_freed
from analyzers.patterns.stated import accessed, inside, on_stack, stopped
from analyzers.patterns.stuck import freed_lock, waiting, where
from analyzers.patterns.words import line_of, of
from analyzers.patterns.written import held_by, owner
from workbench.claims.say import say
from workbench.claims.values import scalar
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Chunk, Fault, Frame, Heap, Printed
from workbench.model.facts.heap import ListFault
from workbench.model.hypothesis import Rung

_ADVICE = (
    "Find the free() of this object and who still keeps a pointer to it; clear that pointer, or "
    "give the object one owner that outlives its users.",
    "Build with -fsanitize=address and run the same path: it names the free and the use.",
)
_OUTLIVED = (
    "Find the function whose local variable this was, and who kept its address: copy the object, "
    "allocate it, or wait for its users before the function returns.",
    "Build with -fsanitize=address and run with detect_stack_use_after_return=1: it names both.",
)


def _use(case: Case, freed: dangling.Freed) -> str:
    """What is done with the freed memory, as far as the fault tells it: a row of the texts."""
    fault = case.fault
    if fault is None or fault.access != "execute":
        return ""
    return "call" if freed.value is not None and freed.value in (fault.pc, fault.operand) else "by"


def _role(case: Case, freed: dangling.Freed) -> list[Claim]:
    """How the pointer came to the fault."""
    if freed.role == "source" and freed.register is not None:
        return [say("loaded", freed.cites, register=freed.register, value=freed.value,
                    source=freed.address)]  # fmt: skip
    fault = case.fault
    if freed.role == "base" and freed.register is not None and fault is not None:
        return [
            say("register", of(fault), slot="base", register=freed.register, value=freed.address)
        ]
    return _pointer(case, freed.address) if freed.role == "named" else []


def _pointer(case: Case, address: int) -> list[Claim]:
    """What the source calls the pointer."""
    return [
        say("value", of(one), expression=one.expression, value=one.value)
        for one in case.facts.all(Printed)
        if scalar(one.value) == address
    ][:1]


def _block(freed: dangling.Freed) -> Claim:
    """The free chunk; where each of several holds the word, that it comes out of such a one."""
    one = freed.chunk
    if freed.others:
        return say("mark", of(one), value=one.holds)
    return say("chunk", of(one), address=one.address, start=one.start, state=one.state,
               thread=one.thread)  # fmt: skip


def _listed(case: Case) -> dangling.Freed | None:
    found = dangling.freed_origin(case) or dangling.linked(case)
    return _through_freed(case) or found if found is not None and found.others else found


def _may_be_freed(case: Case) -> Fault | None:
    """The fault, when a pointer led to it that the heap may have held."""
    fault = case.fault
    if fault is None or not case.faulted or signs.ran_out_of_stack(case):
        return None
    if fault.access not in ("read", "write", "execute"):
        return None
    elsewhere = fault.operand_region in ("file", "stack")
    if (elsewhere or (fault.access == "execute" and not fault.origin)) and (
        _listed(case) is None and not _of_another_thread(case, fault)
    ):
        return None
    return fault


def _of_another_thread(case: Case, fault: Fault) -> bool:
    """Whether the pointer was read from another thread's stack: its function may be over."""
    regions = (case.region(load.source) for load in fault.origin[:1])
    return any(r is not None and r.kind == "stack" and r.thread != case.thread for r in regions)


def _prior(case: Case, _: object) -> float:
    if _listed(case) is not None:
        return 0.85
    return 0.55 if dangling.unmapped_block(case) is not None else 0.25


def _ask(case: Case) -> tuple[Command, ...]:
    """What the freed chunk holds now, and what the source calls the pointer to it."""
    freed = _listed(case)
    if freed is None:
        return look(case)
    return look(case) + commands.words(
        case, freed.chunk.start, "the freed chunk's header and first words"
    )


def _through_freed(case: Case) -> dangling.Freed | None:
    """A freed object that the line at fault goes through; not where the release that failed on that
    line was given a variable or a constant, which no freed object leads to."""
    given = released.given(case) if released.died_in_free(case) else None
    region = case.region(given.value) if given is not None else None
    return None if region is not None and region.kind in ("stack", "file") else through_freed(case)


def _proof(
    when: Callable[[Case], dangling.Freed | None], confidence: float
) -> Proof[dangling.Freed]:
    return Proof(
        when,
        lambda _, freed: f"The allocator holds the chunk at {freed.chunk.start:#x} as free."
        if not freed.others
        else "The pointer is what glibc keeps in free chunks, and was read out of one.",
        confidence,
        Rung.STRUCTURE,
        _use,
        lambda case, freed: [
            *_role(case, freed),
            _block(freed),
            *accessed(case, case.fault),
        ],
        of_fault,
        advice=_ADVICE)  # fmt: skip


def _shared(case: Case) -> Stale | None:
    """What a function in progress was given is free: proved where another thread, which may have
    freed it, has it too; else the function may have freed it itself, and failed at something
    different."""
    held = stale(case)
    return held if held is not None and held.other is not None else None


def _held(case: Case, held: Stale) -> list[Claim]:
    others = [held.other.said(case)] if held.other is not None else []
    return [held.mine.said(case), *inside(case, held.mine.value), *others]


def _its_frame(_: Case, held: Stale) -> Frame:
    return held.mine.frame


def _written_after(case: Case) -> tuple[Heap, ListFault] | None:
    """The free chunk of which the allocator complains that its links are none."""
    return signs.stale_link(case) if messages.is_heap(case) else None


_LONGEST_CALL = 7


def _caller(case: Case) -> Frame | None:
    """The frame that called a pure virtual function."""
    pure = case.calls("__cxa_pure_virtual")
    frame = case.caller_of(pure) if pure is not None else None
    return frame if pure is not None and frame and frame.index == pure.index + 1 else None


def destroyed(case: Case) -> Chunk | None:
    """The free chunk with the object whose pure virtual function was called: its destructor left
    the table of a base class behind."""
    frame = _caller(case)
    if frame is None or frame.address is None:
        return None
    calls = range(frame.address - _LONGEST_CALL, frame.address)
    given = (
        c for c in case.facts.all(Chunk) if c.call in calls and c.state in dangling.FREE_STATES
    )
    return next((chunk for chunk in given if chunk.offset >= 0), None)


USE_AFTER_FREE = Cause(
    Category.USE_AFTER_FREE,
    "The chunk that holds the fault's pointer is on a list of free chunks.",
    statement="The pointer was taken from memory that had been freed.",
    sign=lambda case: (_may_be_freed(case) or destroyed(case) or freed_lock(case)
                       or _written_after(case)),
    prior=_prior,
    tests=lambda case, _: (*commands.heap(*dangling.addresses(case)), *look_up(case),
                           *commands.variables(case.frame)),
    cites=lambda case, found: freed.cites if (freed := _listed(case))
    else of(found[0] if isinstance(found, tuple) else found),
    ask=_ask,
    findings=(
        Proof(destroyed,
              "The allocator holds as free the object whose virtual function was called.", 0.95,
              Rung.STRUCTURE, "call virtual",
              lambda case, chunk: [
                  say("chunk", of(chunk), address=chunk.address, start=chunk.start,
                      state=chunk.state, thread=chunk.thread),
                  *on_stack(case, case.calls("__cxa_pure_virtual")),
              ], frame=lambda case, _: _caller(case), advice=_ADVICE),
        Proof(freed_lock,
              "The allocator holds as free the memory of a lock that a thread waits for.", 0.9,
              Rung.STRUCTURE, "lock",
              lambda case, found: [
                  waiting(found[0], case.facts),
                  *inside(case, found[1].address),
                  *where(case, found[0].thread)[0],
              ], frame=lambda case, found: where(case, found[0].thread)[1],
              advice=("Let whoever frees the object wait for every thread that may lock it.",
                      *_ADVICE[1:]), signal=False),
        Proof(_written_after,
              "A free chunk's link to the next one leads to none, and its header is whole.", 0.85,
              Rung.STRUCTURE, "links",
              lambda case, found: [
                  say("headers", (line_of(found[0], found[1].line)), state="list",
                      start=found[0].start, why=found[1].text),
                  *stopped(case),
              ], support=of_fault, missing="who wrote there", advice=_ADVICE),
        _proof(_listed, 0.95),
        _proof(dangling.unallocated_origin, 0.75),
        _proof(_through_freed, 0.9),
        Proof(given_back,
              "The pointer leads into a stack where no function in progress has a variable.", 0.85,
              how="stack",
              told=lambda case, gone: [
                  *_pointer(case, gone.address),
                  say("given_back", of(gone), address=gone.address, thread=gone.thread,
                      below=gone.below, function=gone.function),
                  *accessed(case, case.fault),
              ], support=of_fault, advice=_OUTLIVED),
        Proof(
            dangling.unmapped_block,
            lambda _, gone: "What an allocation had returned is not mapped any more."
            if gone.call is not None
            else "The pointer lies two words behind the beginning of a page, where malloc() puts a "
            "block that it maps on its own, and that page is not mapped any more.",
            lambda _, gone: 0.75 if gone.call is not None else 0.65,
            how="unmapped",
            told=lambda case, gone: [
                say("mapped", of(case.memory), kind="unmapped", address=gone.pointer),
                *([say("returned_by", gone.cites, function=gone.call, value=gone.pointer)]
                  if gone.call is not None else []),
            ],
            support=of_memory,
            advice=_ADVICE,
        ),
        Proof(_shared, "The allocator holds as free what two threads are using.", 0.85,
              Rung.STRUCTURE, "held", _held, of_fault, frame=_its_frame,
              advice=("Let the last user free it: wait for the other threads, or count its owners.",
                      *_ADVICE[1:])),
        Open(stale, "A function in progress was given memory that is free now; the access that "
             "failed was not led there.", 0.45, Rung.STRUCTURE, "held", _held,
             lambda case, held: case.cite(held.mine.frame) + of(held.mine.stack) + of(held.chunk),
             frame=_its_frame, missing="who freed it: a breakpoint on free() for this address",
             signal=False),
        INTO_FREED,
        Open(lambda case: case.fault is None, "The fault is not known.",
             missing="the faulting instruction and the heap"),
        RAN_OUT,
        Open(lambda case: next((heap for heap in case.heaps
                                if (heap.poison or "").endswith("freed memory")), None),
             "The pointer is filled with a byte that some allocators write into freed memory.", 0.5,
             Rung.TEXT, support=lambda case, poison: of(case.fault) + of(poison),
             missing="the allocator's lists of free memory"),
        Open(owner, lambda case, block: f"{held_by(case, block)}; whether it was freed and given "
             "out again since does not show in it.", rung=Rung.STRUCTURE,
             told=lambda case, block: inside(case, block.address),
             support=lambda case, block: of(case.fault) + of(block),
             missing="the free() that gave this block back, or who else has a pointer to it"),
        Open(anything, "Nothing shows the pointer's memory on a list of free chunks.", 0.15,
             support=of_fault,
             missing=lambda case, _: "the free() that gave this memory back"
             if case.heaps and all(heap.broken_at is None for heap in case.heaps)
             else "a heap that can be walked, or the free() that gave this memory back"),
    ),
)  # fmt: skip
