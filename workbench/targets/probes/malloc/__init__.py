"""glibc's heap, read from memory by the rules of malloc/malloc.c and malloc/arena.c, 2.26 to 2.42.

A chunk begins with two words, ``prev_size`` and ``size``; the three low bits of ``size`` are
PREV_INUSE, IS_MMAPPED and NON_MAIN_ARENA. Sizes are multiples of 16, at least 32 (64-bit). The walk
needs no symbols: chunks follow each other from the first one of a heap to its top.
"""
