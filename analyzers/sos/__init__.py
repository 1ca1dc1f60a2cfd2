"""Reads SOS's output, in whichever debugger it runs."""
