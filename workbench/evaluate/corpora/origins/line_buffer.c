/* A copy that runs over a buffer on the stack. flags: -g -O0 -fstack-protector-all */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct token {
    const char *start;
    size_t length;
};

static int is_space(char c) {
    return c == ' ' || c == '\t';
}

static struct token next_token(const char **at) {
    while (is_space(**at))
        (*at)++;
    struct token token = {*at, 0};
    while (**at != '\0' && !is_space(**at)) {
        (*at)++;
        token.length++;
    }
    return token;
}

static void copy_token(char *to, struct token token) {
    for (size_t i = 0; i <= token.length; i++)
        to[i] = i < token.length ? token.start[i] : '\0'; /* origin copy_token */
}

static int weigh(const char *line) {
    char word[24];
    int weight = 0;
    const char *at = line;
    for (;;) {
        struct token token = next_token(&at);
        if (token.length == 0)
            break;
        copy_token(word, token);
        weight += (int)strlen(word) * word[0];
    }
    return weight;
}

int main(void) {
    static const char *lines[] = {
        "the quick brown fox",
        "jumps over the lazy dog",
        "a word of unreasonable-length-that-no-buffer-of-two-dozen-holds here",
    };
    int total = 0;
    for (int i = 0; i < 3; i++)
        total += weigh(lines[i]);
    printf("%d\n", total);
    return 0;
}
