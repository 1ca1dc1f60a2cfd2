"""Reads what tools, runtimes and kernels print."""
