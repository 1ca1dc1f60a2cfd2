"""Reads what our own reader of a dump says."""
