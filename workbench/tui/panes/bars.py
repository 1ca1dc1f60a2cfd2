"""The lines above and below the panes: header, activity, tabs, footer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from workbench.agents import ending, looking
from workbench.model.events import Phase
from workbench.model.facts import Finding, Frame, Handled, ManagedException, Signal, Stack
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation
from workbench.model.target import Target, TargetKind
from workbench.model.text import human_size
from workbench.tui.action import Action, Place, is_function_key, key_name
from workbench.tui.panes.base import owner_of
from workbench.tui.text import elapsed, one_line, short_path

_NOTICE = {
    "info": ("i", "$foreground 60%"),
    "warning": ("!", "$text-warning"),
    "error": ("✕", "$text-error"),
}


class Bar(Static):
    """What is drawn again only when it says something else; of one line, unless it ``lays_out``
    the screen."""

    lays_out = False
    _said: Content | None = None

    def say(self, content: Content) -> None:
        if self._said is None or not content.is_same(self._said):
            self._said = content
            self.update(content, layout=self.lays_out)


class HeaderBar(Bar):
    """Target, what ended it, faulting frame, phase, elapsed."""

    def show(
        self, state: Investigation, seconds: float, runs: bool = False, read_only: bool = False
    ) -> None:
        """Lay the parts out at the width at hand; what stands last gives way. ``runs``: the program
        runs again; ``read_only``: the session is only looked at."""
        target = state.target
        name, dump = "opening", ""
        if target is not None:
            dump = one_line(target.path.rpartition("/")[2])
            program = target.executable or target.recorded_executable or ""
            name = one_line(last_part(program)) or dump
        ended = one_line(ended_by(state))
        phase = "waiting for you" if state.gate is not None else state.phase.value
        if state.stopped is not None:
            phase = state.stopped.by.value
        phase = "running again" if runs else phase
        done = (state.phase is Phase.DONE or state.stopped is not None) and not runs
        right = Content.assemble(
            ("● " if done else "◆ " if state.gate is not None else "◐ ", "bold $text-accent"),
            (phase, "bold"),
            ("  ", ""),
            (elapsed(seconds), "$foreground 60%"),
        )
        if read_only:
            right = Content.assemble(("read-only  ", "bold $text-warning"), right)
        if state.about.elsewhere and state.about.verified is None:
            right = Content.assemble(("made elsewhere  ", "bold $text-warning"), right)
        if used := models_used(state):
            right = Content.assemble((f"{used}  ", "$text-secondary"), right)
        room = max(10, self.size.width - 2 - right.cell_length - 2)
        frame = frame_at_fault(state)
        left = Content.assemble(
            (name, "bold"),
            (f"  {ended}" if ended else "", "bold $text-error"),
            (f"  {one_line(frame_text(frame))}" if frame else "", "$text-primary"),
        ).truncate(room, ellipsis=True)
        if dump != name and left.cell_length + 2 + cell_len(dump) <= room:
            left = Content.assemble(left, (f"  {dump}", "$foreground 50%"))
        gap = " " * max(2, self.size.width - 2 - left.cell_length - right.cell_length)
        self.say(Content.assemble(left, gap, right))


NOTICED = 12.0
"""Seconds for which a notice stands where the target is told."""


class ActivityBar(Bar):
    """What runs now, else for a while the latest notice, else the target."""

    _notices = 0
    _noticed_at = float("-inf")

    def _is_news(self, state: Investigation) -> bool:
        if len(state.notices) != self._notices:
            self._notices, self._noticed_at = len(state.notices), monotonic()
        return monotonic() - self._noticed_at < NOTICED

    def show(self, state: Investigation, problem: str = "", runs: bool = False) -> None:
        """One line; while the program ``runs`` again, what its runs said last."""
        news = self._is_news(state) or runs
        if problem:
            text = Content.assemble(("✕ ", "bold $text-error"), one_line(problem))
        elif state.running is not None:
            text = Content.assemble(
                ("▸ ", "bold $text-accent"),
                (one_line(state.running.command.text), "bold"),
                (f"  {one_line(state.running.command.intent)}", "$foreground 60%"),
            )
        elif state.notices and (news or state.target is None):
            notice = state.notices[-1]
            sign, style = _NOTICE.get(notice.severity, _NOTICE["info"])
            text = Content.assemble((f"{sign} ", f"bold {style}"), one_line(notice.text))
        elif (target := state.target) is not None:
            known = one_line(" · ".join(about(target, state)))
            path = one_line(target.executable or "")
            if not path and may_have_executable(target):
                path = "no executable found"
            room = self.size.width - 2 - cell_len(known) - 3
            text = Content(f"{known} · {short_path(path, room)}" if path else known)
        else:
            text = Content("")
        self.say(text.truncate(max(1, self.size.width - 2), ellipsis=True))


class PaneTabs(Bar):
    """The panes' names in a row, for screens too narrow to show them side by side."""

    @dataclass
    class Picked(Message):
        """A tab was clicked."""

        pane: str

    _spans: tuple[tuple[int, int, str], ...] = ()

    def show(self, panes: Sequence[tuple[str, str, int]], active: str) -> None:
        """``panes`` are (id, title, number); titles are cut to one length at which all are seen."""
        sizes = [len(f" {number}  ") + 1 for _, _, number in panes]
        most = max(len(title) for _, title, _ in panes)
        room = self.size.width - sum(sizes) if self.size.width else most * len(panes)
        while most > 1 and sum(min(len(title), most) for _, title, _ in panes) > room:
            most -= 1
        parts: list[tuple[str, str]] = []
        spans, at = [], 0
        for id, title, number in panes:
            here = id == active
            label = f" {number} {title[:most]} "
            parts.append((label, "bold reverse" if here else "$foreground 60%"))
            parts.append((" ", ""))
            spans.append((at, at + len(label), id))
            at += len(label) + 1
        self._spans = tuple(spans)
        self.say(Content.assemble(*parts))

    def on_click(self, event: events.Click) -> None:
        for start, end, id in self._spans:
            if start <= event.x < end:
                self.post_message(self.Picked(id))


_KEPT = ("workbench.again",)
"""What an investigation that is over offers next, which no pane's own keys may push out."""


class FooterBar(Bar):
    """The keys that work now; whole labels only, the rest is behind ``?``."""

    def show(self, actions: Sequence[Action], function_keys: bool = False) -> None:
        """As many labels as fit; help, quit and those of `_KEPT` always do. ``function_keys``
        shows an action's F-key, for where letters are typed."""
        self._actions, self._function_keys = tuple(actions), function_keys
        width = max(1, self.size.width - 2)
        last = [action for action in actions if action.id in ("app.help", "app.quit")]
        kept = [action for action in actions if action.id in _KEPT]
        parts = [_label(action, function_keys) for action in last]
        used = sum(part.cell_length + 2 for part in parts)
        used += sum(_label(action, function_keys).cell_length + 2 for action in kept)
        front, fitting = [], []
        for action in actions:
            if action in last:
                continue
            label = _label(action, function_keys)
            if action not in kept:
                if used + label.cell_length + 2 > width:
                    continue
                used += label.cell_length + 2
            front.append(label)
            fitting.append(action)
        self.say(Content("  ").join([*front, *parts]))
        spans, at = [], 1  # behind the padding
        for label, action in zip([*front, *parts], [*fitting, *last], strict=True):
            spans.append((at, at + label.cell_length, action))
            at += label.cell_length + 2
        self._spans = spans

    def on_click(self, event: events.Click) -> None:
        """A label that is clicked does what its key does."""
        for start, end, action in self._spans:
            if start <= event.x < end:
                owner = owner_of(action, self.app, self.screen)
                self.app.call_later(self.app.run_action, action.handler, owner)

    _actions: tuple[Action, ...] = ()
    _function_keys = False
    _spans: Sequence[tuple[int, int, Action]] = ()

    def on_resize(self) -> None:
        self.show(self._actions, self._function_keys)


def _label(action: Action, function_keys: bool) -> Content:
    key = action.keys[0]
    if function_keys and action.where is not Place.CONSOLE:
        key = next((key for key in action.keys if is_function_key(key)), key)
    return Content.assemble(
        (key_name(key), "bold $text-accent"), " ", (action.title, "$foreground 60%")
    )


# A target in a few words: what it is, what ended it, where.
_UNKNOWN = frozenset({"", "unknown"})


def ended_by(state: Investigation) -> str:
    """The signal, the exception, or what a tool reported; empty where nothing ended."""
    signal, target = state.facts.first(Signal), state.target
    words = [signal.name if signal else (target.signal or "") if target else ""]
    if (handled := state.facts.first(Handled)) is not None:
        words[:0] = [handled.first.name, "caught,"]
    if (managed := state.facts.first(ManagedException)) is not None:
        words.append(managed.type.rpartition(".")[2])
    elif (record := ending.ended_by(state.facts)) is not None:
        words.append(record.name or f"exception {record.code:#x}")
    elif not words[0] and (findings := state.facts.all(Finding)):
        words.append(min(findings, key=lambda one: one.rank).kind)
    return " ".join(filter(None, words))


def models_used(state: Investigation) -> str:
    """What models took so far: ``local 4 calls 12.3k tokens``, with dollars where any were spent;
    empty without a model."""
    spent = state.models.of()
    if not spent.calls:
        return ""
    tokens = f"{spent.tokens / 1000:.1f}k" if spent.tokens >= 1000 else str(spent.tokens)
    words = [state.models.tier, f"{spent.calls} calls", f"{tokens} tokens"]
    if spent.cost_usd:
        words.append(f"${spent.cost_usd:.4f}" if spent.cost_usd < 1 else f"${spent.cost_usd:.2f}")
    return " ".join(words) + (f" +{spent.unpriced} unpriced" if spent.unpriced else "")


def about(target: Target, state: Investigation) -> list[str]:
    """Processor, system, threads and size, as far as they are known; of a log who wrote it."""
    words = []
    if target.recorded:
        tools = dict.fromkeys(one.tool for one in state.facts.all(Finding))
        words.append(f"log of {', '.join(tools) or _writer(target)}")
    words += [word for word in (target.arch, target.os) if word not in _UNKNOWN]
    if target.runtime is not None:
        words.append(".NET")
    if target.thread_count:
        words.append(f"{target.thread_count} thread{'' if target.thread_count == 1 else 's'}")
    return [*words, human_size(target.size)]


def _writer(target: Target) -> str:
    return target.dialect if target.dialect not in (None, "log") else "a program"


def may_have_executable(target: Target) -> bool:
    """True when a program beside the dump would tell more."""
    return target.kind in (TargetKind.ELF_CORE, TargetKind.MACHO_CORE)


def frame_at_fault(state: Investigation) -> Frame | None:
    """The frame that the state names: the conclusion's, a confirmed verdict's, else the program's
    own as far as the evidence shows it."""
    for hypothesis in state.hypotheses.values() if state.conclusion is None else ():
        verdict = hypothesis.verdict
        if hypothesis.status is Status.CONFIRMED and verdict is not None and verdict.frame:
            return verdict.frame
    if (found := looking.program_frame(state)) is not None:
        return found
    for stack in state.facts.all(Stack):
        if stack.current and stack.frames:
            named = [frame for frame in stack.frames if frame.file and frame.line]
            return (named or list(stack.frames))[0]
    return None


def frame_text(frame: Frame) -> str:
    """``conn_touch server.c:88``, or module and address where nothing better is known."""
    name = frame.function or (f"{frame.address:#x}" if frame.address is not None else "??")
    if frame.file and frame.line:
        return f"{name} {last_part(frame.file)}:{frame.line}"
    return f"{name} {last_part(frame.module)}" if frame.module else name


def last_part(path: str) -> str:
    """A file's name, whichever way the slashes of its system go."""
    return re.split(r"[/\\]", path)[-1]
