"""Readers of outputs: text in, typed facts with line spans out. No I/O; imports only the model."""
