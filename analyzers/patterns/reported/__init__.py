"""Causes that a tool or a runtime names itself, in a log.

A sanitizer or valgrind tracks what the memory is: its report is evidence of structure. A runtime's
message is what it decided. A failed access alone says only where it went.
"""
