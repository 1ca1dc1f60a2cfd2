"""Patterns for what only Windows and its debuggers record.

They stand beside the patterns of all systems; of two for one cause the surer one is asked.
"""
