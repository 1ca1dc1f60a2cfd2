"""What the mouse has selected, in widgets that draw line by line."""

from textual.content import Content
from textual.widget import Widget


def show_selection(widget: Widget, line: Content, index: int) -> Content:
    """A line (``index`` from 0) with its selected part marked."""
    selection = widget.text_selection
    span = selection.get_span(index) if selection is not None else None
    if span is None:
        return line
    start, end = span
    background = widget.screen.get_component_styles("screen--selection").background.hex
    return line.stylize(f"on {background}", start, len(line) if end == -1 else end)
