"""Patterns of .NET processes, from what SOS says of them."""
