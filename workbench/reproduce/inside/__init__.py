"""The parts of `agent.py`, which run inside gdb: nothing but the standard library and gdb."""
