"""Small programs that crash or wait, for the reader's tests."""

THREADED = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int answer = 0x2a;
const char motto[] = "read only words";
char *kept;
static pthread_barrier_t all;
static void *idle(void *unused) {
    char *own = malloc(100);
    memset(own, 'i', 100);
    pthread_barrier_wait(&all);
    for (;;) pause();
    return own;
}
__attribute__((noinline)) static void touch(volatile int *place) { *place = answer; }
int main(int argc, char **argv) {
    pthread_t thread;
    pthread_barrier_init(&all, 0, 4);
    for (int i = 0; i < 3; i++) pthread_create(&thread, 0, idle, 0);
    kept = malloc(64);
    strcpy(kept, "kept on the heap");
    pthread_barrier_wait(&all);
    if (argc > 1) for (;;) pause();
    usleep(50000);
    touch((int *)0x10);
    return 0;
}
"""

ONE_LINERS = {
    "null": "*(volatile int *)0 = 1;",
    "readonly": "*(volatile char *)main = 1;",
    "non_canonical": "*(volatile int *)0x4141414141414141 = 1;",
    "divide": "volatile int zero = 0; zero = 7 / zero;",
    "illegal": "__builtin_trap();",
    "breakpoint": '__asm__ volatile("int3");',
    "abort": "abort();",
    "kill": "kill(getpid(), SIGQUIT);",
    "queue": "union sigval v = {7}; sigqueue(getpid(), SIGXCPU, v); pause();",
    "bus": (
        "FILE *f = tmpfile(); volatile char *m = mmap(0, 8192, 3, 1, fileno(f), 0); m[5000] = 1;"
    ),
}


def one_liner(name: str) -> str:
    """A program whose main does one thing."""
    return (
        "#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
        f"#include <sys/mman.h>\nint main(void) {{ {ONE_LINERS[name]} return 0; }}\n"
    )
