/* attack: flags=-O0 */
/* Accounts of a ledger; each keeps its entries as text in one block. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 48

struct bank {
    char code[12];
    int country;
};

struct account {
    int number;
    uint16_t room;
    unsigned entries;
    char *text;
};

struct ledger {
    struct account *accounts[8];
    struct bank **banks;
    int count;
};

static struct account *account_open(struct ledger *l, unsigned lines)
{
    struct account *a = calloc(1, sizeof *a);
    a->number = 100 + l->count;
    a->room = lines * LINE; /*!*/
    a->text = malloc(a->room);
    l->accounts[l->count++] = a;
    return a;
}

static void account_enter(struct account *a, const char *what, long cents)
{
    char *at = a->text + (size_t)a->entries * LINE;
    memset(at, ' ', LINE);
    snprintf(at, LINE, "%-30s %10ld", what, cents);
    a->entries++;
}

static void ledger_banks(struct ledger *l, int count)
{
    l->banks = calloc(count, sizeof *l->banks);
    for (int i = 0; i < count; i++) {
        l->banks[i] = calloc(1, sizeof **l->banks);
        snprintf(l->banks[i]->code, sizeof l->banks[i]->code, "BANK%03d", i);
        l->banks[i]->country = 40 + i;
    }
}

static int countries(const struct ledger *l, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += l->banks[i]->country;
    return sum;
}

int main(int argc, char **argv)
{
    struct ledger l = {0};
    unsigned lines = argc > 1 ? (unsigned)atoi(argv[1]) : 1370;
    struct account *small = account_open(&l, 20);
    struct account *large = account_open(&l, lines);
    ledger_banks(&l, 4);
    for (int i = 0; i < 20; i++)
        account_enter(small, "coffee", 240 + i);
    printf("%d\n", countries(&l, 4));
    for (int i = 0; i < 40; i++)
        account_enter(large, "rent of the hall", 90000 + i);
    printf("%d %s\n", countries(&l, 4), large->text);
    return 0;
}
