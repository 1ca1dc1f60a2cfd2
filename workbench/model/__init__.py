"""Plain data: targets, evidence, facts, hypotheses, critiques, events, and the fold over them.

Nothing in this room does I/O, and it imports no other room.
"""
