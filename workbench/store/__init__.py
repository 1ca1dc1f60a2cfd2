"""One folder a session: a SQLite file, large outputs beside it, a log; a catalog of them all."""
