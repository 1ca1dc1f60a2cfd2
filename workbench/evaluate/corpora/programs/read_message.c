#include <stdio.h>
#include <string.h>

struct message {
    unsigned short length;
    char text[600];
};

__attribute__((noinline)) static int checksum(const struct message *message)
{
    char copy[128];
    int sum = 0;

    memcpy(copy, message->text, message->length);
    for (unsigned at = 0; at < sizeof copy; at++)
        sum += copy[at];
    return sum;
}

int main(void)
{
    static struct message message = {400};

    memset(message.text, 'z', sizeof message.text);
    printf("%d\n", checksum(&message));
    return 0;
}
