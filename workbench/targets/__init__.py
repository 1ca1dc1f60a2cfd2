"""Dumps as files: recognised, checked, and read by our own code before any debugger speaks."""
