"""Crash patterns: each proposes a hypothesis from facts and evaluates it, without I/O."""
