"""Workbench: from a crash dump to a root cause whose every number can be followed to its line."""

__version__ = "0.1.0"
