#include <stdio.h>

__attribute__((noinline)) static void store(char *record, int value)
{
    *(int *)(record + 3) = value;
}

int main(void)
{
    char record[16] __attribute__((aligned(8))) = {0};

#if defined(__x86_64__)
    /* EFLAGS.AC: the processor is asked to check what it does not by itself */
    __asm__ volatile("pushf; orl $0x40000, (%%rsp); popf" ::: "memory", "cc");
#endif
    store(record, 7);
    return record[3];
}
