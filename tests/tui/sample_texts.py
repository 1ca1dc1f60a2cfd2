"""What the sample investigation's commands printed."""

from workbench.model.evidence import Source

ITEMS: tuple[tuple[str, Source, str, str, str], ...] = (
    (
        "@health",
        Source.FILE,
        "dump integrity",
        "complete; executable matches",
        "core        relayd.core  2318336 bytes, complete\n"
        "executable  relayd  build id 6f1c0a83d2e94b57, matches the core\n"
        "memory      2.1 MB dumped, nothing missing\n",
    ),
    (
        "@fault",
        Source.FILE,
        "the faulting instruction and its operands",
        "read of 0x4c7318 through rax in conn_expire",
        "signal   SIGSEGV (11), SEGV_MAPERR, si_addr 0x5a5a5a5a5a5a5a72\n"
        "thread   4711 (the one that received it)\n"
        "pc       0x401c3e  conn_expire+94\n"
        "  0x401c3e:  mov    rdx, QWORD PTR [rax+0x18]\n"
        "operand  0x5a5a5a5a5a5a5a72 = rax (0x5a5a5a5a5a5a5a5a) + 0x18, not mapped\n"
        "origin   rax was loaded from 0x4c7318 by 0x401c37: mov rax, [rbx+0x8]\n",
    ),
    (
        "thread apply all bt 32",
        Source.DEBUGGER,
        "where every thread stands",
        "8 threads, 6 idle in futex_wait",
        'Thread 1 (LWP 4711 "relayd"):\n'
        "#0  0x0000000000401c3e in conn_expire (list=0x4c6080 <live>, now=1773480413)"
        " at src/relayd.c:212\n"
        "#1  0x0000000000401f02 in reaper_main (arg=0x0) at src/relayd.c:287\n"
        "#2  0x000000000042a1b5 in start_thread ()\n"
        "#3  0x0000000000459d7f in clone3 ()\n"
        + "".join(
            f'\nThread {number} (LWP {4710 + number} "worker-{number - 2}"):\n'
            "#0  0x00000000004287ac in __futex_abstimed_wait_common ()\n"
            "#1  0x000000000042b1f0 in pthread_cond_wait ()\n"
            f"#2  0x0000000000402{number}10 in worker_main (arg=0x{number}) at src/relayd.c:341\n"
            for number in range(2, 9)
        ),
    ),
    (
        "list *0x401c3e",
        Source.DEBUGGER,
        "the source around frame 0",
        "10 source lines",
        "0x401c3e is in conn_expire (src/relayd.c:212).\n"
        "207\t/* Close what has been idle for too long. */\n"
        "208\tstatic int conn_expire(struct list *list, time_t now)\n"
        "209\t{\n"
        "210\t    int expired = 0;\n"
        "211\t    for (struct conn *c = list->first; c; c = c->next) {\n"
        "212\t        if (c->next->deadline < now)\n"
        '213\t            expired += conn_close(c, "idle");\n'
        "214\t    }\n"
        "215\t    return expired;\n"
        "216\t}\n",
    ),
    (
        "frame apply level 0 -q info locals",
        Source.DEBUGGER,
        "what the frame held",
        "c = 0x4c7310",
        'c = 0x4c7310\nexpired = 3\nname = "[red]client\\x1b[31m\\000"\n',
    ),
    (
        "@heap 0x4c7310",
        Source.FILE,
        "whether the pointer lies in a freed chunk",
        "0x4c7310 lies in a freed chunk (tcache of thread 4714)",
        "heap     0x4c6000-0x4e7000, main arena, 214 chunks walked, intact\n"
        "chunk    0x4c7300, 64 bytes with its header\n"
        "address  0x4c7310 is the first byte of its memory\n"
        "state    free: entry 2 of 3 in the tcache bin of 64 bytes, thread 4714\n"
        "next     0x4c7290 (safe-linking undone: 0x4bbb57 ^ 0x4c7)\n",
    ),
    (
        "list conn_close",
        Source.USER,
        "asked by you",
        "conn_close at src/relayd.c:158",
        "158\tstatic void conn_close(struct conn *c)\n159\t{\n160\t    close(c->fd);\n"
        "161\t    free(c);\n162\t}\n",
    ),
)
"""Command, who asked, intent, summary, stored text."""

SAMPLE_CONSOLE = (
    b"\x1b[2m[engine]\x1b[0m \x1b[1mframe function conn_expire\x1b[0m\n"
    b"#0  0x0000000000401c3e in \x1b[33mconn_expire\x1b[m (\x1b[36mlist\x1b[m=0x4c6080 <live>, "
    b"\x1b[36mnow\x1b[m=1773480413) at \x1b[32msrc/relayd.c\x1b[m:212\n"
    b"212\t        if (c->next->deadline < now)\n"
    b"\x1b[2m[engine]\x1b[0m \x1b[1minfo locals\x1b[0m\n"
    b"c = 0x4c7310\nexpired = 3\n"
    b"\x1b[36m[you]\x1b[0m \x1b[1mlist conn_close\x1b[0m\n"
    b"158\tstatic void conn_close(struct conn *c)\n159\t{\n160\t    close(c->fd);\n"
    b"161\t    free(c);\n162\t}\n"
)
