"""Converses about a folder of texts: asks what is missing, proposes what the evidence carries."""
