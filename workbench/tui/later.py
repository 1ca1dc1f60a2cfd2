"""What the app needs once its first frame stands."""

from workbench.engine.outcome import exit_status, resume_hint
from workbench.tui.clipboard import copy_text
from workbench.tui.palette import ActionsProvider, where_it_works
from workbench.tui.panes.base import Intent
from workbench.tui.screens.help import HelpScreen
from workbench.tui.screens.home import HomeScreen
from workbench.tui.screens.workbench import WorkbenchScreen

__all__ = [
    "ActionsProvider",
    "HelpScreen",
    "HomeScreen",
    "Intent",
    "WorkbenchScreen",
    "copy_text",
    "exit_status",
    "resume_hint",
    "where_it_works",
]
