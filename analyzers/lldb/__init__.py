"""Reads lldb's output."""
