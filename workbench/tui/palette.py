"""The command palette's entries: what the registry of actions allows on the screen below it; and
where a key works that does nothing where it was typed."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from textual.app import App, SystemCommand
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.screen import Screen

from workbench.tui.action import Situation, key_name
from workbench.tui.action_table import ACTIONS
from workbench.tui.panes.base import owner_of


def palette_commands(app: App[Any], screen: Screen[Any]) -> Iterator[SystemCommand]:
    """Every action that works now, its key in its title."""
    for action in ACTIONS:
        owner = owner_of(action, app, screen)
        if owner is None or action.id == "app.palette":
            continue
        situation = getattr(owner, "situation", Situation)
        if action.works(situation()):
            yield SystemCommand(
                f"{action.title.capitalize()}  {key_name(action.keys[0])}",
                f"{action.where}: {action.help}",
                partial(app.run_action, action.handler, owner),
            )


def where_it_works(key: str, app: App[Any], screen: Screen[Any]) -> str:
    """Of a key that does nothing here: in which pane it works, or when; empty for
    one that is no action's on this screen."""
    idle = ""
    for action in ACTIONS:
        owner = owner_of(action, app, screen) if key in action.keys else None
        if owner is None:
            continue
        named = f"{key_name(key)} ({action.title})"
        now = getattr(owner, "situation", Situation)()
        if action.works(now):
            return f"{named} works in the pane {action.where}."
        looked = action.writes and now.read_only
        when = "in no session that is only looked at" if looked else action.when
        idle = idle or f"{named} works {when or 'not now'}."
    return idle


class ActionsProvider(Provider):
    """Finds an action by its title or by what it does."""

    async def discover(self) -> Hits:
        for one in palette_commands(self.app, self.screen):
            yield DiscoveryHit(one.title, one.callback, help=one.help)

    async def search(self, query: str) -> Hits:
        """Those whose title matches first, then those whose help does."""
        matcher = self.matcher(query)
        for one in palette_commands(self.app, self.screen):
            score = max(matcher.match(one.title), matcher.match(one.help) / 2)
            if score > 0:
                yield Hit(score, matcher.highlight(one.title), one.callback, help=one.help)
