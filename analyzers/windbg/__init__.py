"""Reads the output of WinDbg, cdb and kd."""
