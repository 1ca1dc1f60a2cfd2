"""Whose code a frame runs: the program's own, the C library's, a runtime's, a tool's, a kernel's.

All that is known of it stands here and nowhere else, as data and as functions that look into it:

- `modules`: by the file that the code was loaded from;
- `sources`: by the source file that it was compiled from;
- `functions`: by its name, which is all that a statically linked program leaves;
- `windows`, `managed`, `kernel`: by the names of one world, which mean nothing in another;
- `printed`: a frame as a log prints it, whoever wrote the log;
- `passing`: what a crash's signature leaves out, a question of weight more than of ownership.

The same name is not everywhere the same one's: ``panic`` is a kernel's in a kernel's trace and the
program's in a core. So each question has the inputs that it is asked of in its docstring, and a
rule that is true of every input stands once and is used by all.

Where the rules come from: the exported and the reserved names of glibc (ISO C 7.1.3), libstdc++
and libc++abi (Itanium C++ ABI), library/std and library/core of Rust, compiler-rt, Valgrind and
libFuzzer for the tools, mm/ and kernel/ of Linux, the debug symbols of ntdll and of Microsoft's C
runtime (vcruntime, ucrt), the namespaces of .NET, the JDK, Go and Android; each table says which.
"""
