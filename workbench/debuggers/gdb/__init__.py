"""gdb: how it is found, started, spelt and held to reading."""
