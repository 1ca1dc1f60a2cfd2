"""Small programs that end badly, and what the real tools print of it."""

import os
import subprocess
from pathlib import Path

USE_AFTER_FREE = """
#include <stdlib.h>
struct order { int id; int total; };
static struct order *make_order(int id) {
    struct order *made = malloc(sizeof *made);
    made->id = id; made->total = 3;
    return made;
}
static void drop_order(struct order *it) { free(it); }
static int order_total(struct order *it) { return it->total; }
int main(void) {
    struct order *first = make_order(7);
    drop_order(first);
    return order_total(first);
}
"""
HEAP_OVERFLOW = """
#include <stdlib.h>
static void fill_row(int *row, int count) { for (int i = 0; i <= count; i++) row[i] = i; }
int main(void) {
    int *row = malloc(8 * sizeof *row);
    fill_row(row, 8);
    int first = row[0];
    free(row);
    return first;
}
"""
DOUBLE_FREE = """
#include <stdlib.h>
static void close_page(char *page) { free(page); }
int main(void) { char *page = malloc(24); close_page(page); close_page(page); return 0; }
"""
NULL_READ = """
#include <stddef.h>
struct node { int pad[4]; int value; };
static int node_value(struct node *it) { return it->value; }
int main(int argc, char **argv) { (void)argv; return node_value(argc > 9 ? (void *)argv : NULL); }
"""
LEAK = """
#include <stdlib.h>
static char *make_label(void) { return malloc(40); }
int main(void) { char *volatile label = make_label(); label = NULL; return label != NULL; }
"""
UNDEFINED = """
#include <limits.h>
static int scale_price(int price, int by) { return price * by; }
int main(int argc, char **argv) { (void)argv; return scale_price(INT_MAX, argc + 1) == 3; }
"""
RACE = """
#include <pthread.h>
static int hits;
static void *count_hit(void *unused) { for (int i = 0; i < 10000; i++) hits++; return unused; }
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, count_hit, 0);
    pthread_create(&two, 0, count_hit, 0);
    pthread_join(one, 0); pthread_join(two, 0);
    return hits == 1;
}
"""
ASSERTION = """
#include <assert.h>
static void check_depth(int depth) { assert(depth < 3 && "too deep"); }
int main(void) { check_depth(5); return 0; }
"""


def build(folder: Path, name: str, source: str, *flags: str) -> Path:
    """Compile one program; raises `subprocess.CalledProcessError`."""
    text = folder / f"{name}.c"
    text.write_text(source, encoding="utf-8")
    program = folder / name
    command = [
        "gcc",
        "-g",
        "-O0",
        "-fno-omit-frame-pointer",
        *flags,
        "-o",
        program,
        text,
        "-lpthread",
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return program


def output_of(*command: str | Path, **environment: str) -> str:
    """What a program printed on both streams, in its order."""
    done = subprocess.run(
        ["setarch", "-R", *command],  # sanitizers of gcc 12 know no wide address randomisation
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=60,
        env=os.environ | environment,
    )
    return done.stdout.decode("utf-8", "replace")
