"""The canonical report of an investigation, from its state, and what it is rendered as."""
