"""Reads gdb's output."""
