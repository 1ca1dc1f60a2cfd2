"""The results as tables on a terminal."""

from collections.abc import Iterator

from rich.console import Group
from rich.table import Table
from rich.text import Text

from workbench.evaluate.records import Figure, Results, Row
from workbench.model.text import counted, printable

PARTS = ("frame", "root category", "severity", "signature", "origin")


def tables(found: Results, by: str = "expected") -> Group:
    """By group, all, what was false, conflicts, calibration, models and time."""
    return Group(_rows(found, by), *_lines(found))


def share(one: Figure | None) -> str:
    """``12/13 92% (67-99)``; a dash where there is none."""
    if one is None or not one.of:
        return "-"
    return f"{one.hits}/{one.of} {one.share:.0%} ({one.low * 100:.0f}-{one.high * 100:.0f})"


def _rows(found: Results, by: str) -> Table:
    table = Table(show_edge=False, pad_edge=False)
    table.add_column(by)
    for name in ("right, 95 %", "open", "wrong", *PARTS, "cannot", "seconds"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, one in found.groups[by].items():
        table.add_row(Text(printable(name)), *_cells(one))
    table.add_section()
    table.add_row("all", *_cells(found.groups["all"]["all"]))
    return table


def _cells(one: Row) -> Iterator[str]:
    yield share(one.right)
    yield str(one.open.hits)
    yield str(one.wrong.hits)
    for part in PARTS:
        known = one.parts.get(part)
        yield f"{known.hits}/{known.of}" if known else "-"
    yield str(one.cannot)
    yield f"{one.seconds:.1f}"


def _lines(found: Results) -> Iterator[Text]:
    yield Text("")
    for one in found.cases:
        if one.verdict in ("wrong", "failed", "cannot") or not all(one.parts.values()):
            note = " ".join("; ".join(one.notes).split())[:300]
            yield Text(printable(f"{one.verdict:6} {one.id}: {one.said} {note}"))
    whole = found.groups["all"]["all"]
    yield Text(f"false claims {share(whole.wrong)}; open {share(whole.open)}")
    if found.calibration_error is not None:
        yield Text(f"expected calibration error {found.calibration_error:.3f}")
    for grade, count in found.conflicts.items():
        yield Text(f"{counted(count, 'conflict')}: {grade}")
    for pair, count in found.rivals.items():
        yield Text(f"both confirmed {counted(count, 'time')}: {pair}")
    for model in found.models:
        cost = "price not known" if model.cost_usd is None else f"${model.cost_usd:.4f}"
        yield Text(
            f"{printable(model.name)} ({model.tier}): {model.calls} calls, {model.input_tokens} "
            f"tokens in, {model.output_tokens} out, of these {model.reasoning_tokens} thought, "
            f"{cost}, {model.seconds:.1f} s"
        )
    for name, row in found.bare.items():
        yield Text(f"bare {name} says the same of {share(row.right)}, wrong {share(row.wrong)}")
    times = found.seconds
    yield Text("seconds: " + ", ".join(f"{name} {value:.1f}" for name, value in times.items()))
    if times.get("bare"):
        yield Text(f"investigations take {times['compared'] / times['bare']:.2f} of bare gdb")
    for name, value in found.speed.items():
        yield Text(f"{name} {value:.2f}")
