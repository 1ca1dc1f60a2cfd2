"""Programs whose defect lies away from where they crash, and what tells that it was found.

No comment of the programs speaks of the defect: whoever is shown their source must find it.
"""

from dataclasses import dataclass

from tests.samples.case import DEBUG, HERE, RUST, RUST_SPEED, SPEED, THREADS, Case, case

SOME = ("-g", "-O1")


@dataclass(frozen=True)
class Away:
    """``case.category`` and ``case.also`` are the cause at its root, ``case.wider`` what only says
    what failed. ``origins``: (kind, function without its scope, text of the line), any of which
    says where it began, the plainest first."""

    case: Case
    origins: tuple[tuple[str, str, str], ...]

    @property
    def name(self) -> str:
        """The program's file without its folder."""
        return self.case.source.rpartition("/")[2]

    def lines(self) -> tuple[int, ...]:
        """The line of each origin, from 1; ValueError unless its text stands in one line alone."""
        text = (HERE / self.case.source).read_text().splitlines()
        found = []
        for _, _, part in self.origins:
            (only,) = (number for number, line in enumerate(text, 1) if part in line)
            found.append(only)
        return tuple(found)


def _away(file: str, category: str, functions: str, *origins: tuple[str, str, str],
          flags: tuple[str, ...] = DEBUG, **more: str) -> Away:  # fmt: skip
    return Away(case(f"away/{file}", category, functions, *flags, **more), origins)


AWAY = (
    # a count of elements where bytes are wanted: the next object of the arena is written over
    _away("telemetry.c", "corrupted-pointer", "same_unit",
          ("passed-wrong", "channel_open", "arena_take(&recorder->arena, count)"),
          also="buffer-overflow out-of-bounds-write heap-buffer-overflow heap-corruption",
          wider="wild-pointer", severity="SourceAv"),
    # a pointer into a table that grew; the old block holds a text by then
    _away("symbols.c", "use-after-free", "width_of",
          ("freed", "table_add", "realloc(table->items"),
          ("kept", "declare", "scope->newest = symbol;"),
          flags=SOME, wider="corrupted-pointer wild-pointer"),
    # sixteen bits for a length of row: painting runs over the layers
    _away("layers.c", "heap-buffer-overflow", "covered total_cover",
          ("truncated", "surface_new", "surface->stride = "),
          flags=SPEED, wider="wild-pointer", severity="SourceAv",
          also="corrupted-pointer integer-overflow heap-corruption buffer-overflow"
               " out-of-bounds-write"),
    # the queue is freed before its worker is joined
    _away("dispatcher.c", "use-after-free", "queue_take",
          ("freed", "queue_free", "    free(queue);"),
          ("freed", "service_stop", "    queue_free(service->queue);"),
          flags=(*SOME, *THREADS), wider="wild-pointer corrupted-pointer"),
    # a load that fails has let go of the old table but not of its length
    _away("routes.c", "null-pointer-dereference", "find_route",
          ("cleared", "router_load", "router->routes = NULL;"), flags=(*DEBUG, *THREADS)),
    # the index forgets another entry than the list
    _away("page_cache.cpp", "use-after-free", "Cache::get",
          ("passed-wrong", "evict", "index_.erase(entries_.front().name);"),
          ("freed", "evict", "entries_.pop_back();"),
          flags=SOME, wider="wild-pointer corrupted-pointer"),
    # one slot too many is cleared: the field behind them is the head of the free list
    _away("timer_wheel.cpp", "out-of-bounds-write", "Wheel::take",
          ("written", "reset", "slots_[slot] = kNone;"),
          ("written", "reset", "slot <= kSlots"),
          also="buffer-overflow out-of-bounds-read", wider="wild-pointer corrupted-pointer",
          severity="SourceAv"),
    # one of two constructors leaves a pointer unset, in a block that held a text before
    _away("invoices.cpp", "uninitialized-pointer", "Invoice::show",
          ("never-set", "Invoice", "copies_(from.copies), sum_(from.price)"),
          flags=SPEED, wider="corrupted-pointer wild-pointer invalid-vtable"),
    # a slice outlives the vector that it was made of
    _away("word_index.rs", "use-after-free", "word_index::checksum",
          ("freed", "compact", "self.words = kept;"),
          ("kept", "ranking", "std::slice::from_raw_parts"),
          flags=RUST, wider="corrupted-pointer wild-pointer"),
    # each look at a handle takes a reference that is not its own
    _away("sessions.rs", "use-after-free", "sessions::volume",
          ("freed", "age", "Arc::from_raw(handle"),
          flags=RUST_SPEED, wider="corrupted-pointer wild-pointer"),
)  # fmt: skip
