#include <stdio.h>

struct invoice {
    long number;
    const char *customer;
};

__attribute__((noinline)) static int line(char *text, size_t size, const struct invoice *invoice)
{
    return snprintf(text, size, "%s: %s", invoice->number, invoice->customer);
}

int main(void)
{
    struct invoice invoice = {20240501117, "Muster GmbH"};
    char text[64];

    line(text, sizeof text, &invoice);
    puts(text);
    return 0;
}
