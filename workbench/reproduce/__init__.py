"""Run a program again under the debugger and watch for the line that caused its fault."""
