/* Splits a line of commands into tokens and counts the words of each command. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TOKENS 12

enum token_kind { WORD, NUMBER, SEMICOLON };

struct token {
    enum token_kind kind;
    int start;
    int length;
};

struct source {
    const char *name;
    const char *text;
    unsigned line;
};

struct lexer {
    int count;
    struct token tokens[MAX_TOKENS];
    struct source *source;
    int errors;
};

static struct lexer *lexer_new(struct source *source)
{
    struct lexer *lexer = calloc(1, sizeof *lexer);

    if (lexer == NULL)
        return NULL;
    lexer->source = source;
    return lexer;
}

static int lexer_push(struct lexer *lexer, enum token_kind kind, int start, int end)
{
    struct token *token;

    if (lexer->count > MAX_TOKENS) {
        lexer->errors++;
        return -1;
    }
    token = &lexer->tokens[lexer->count++];
    token->kind = kind;
    token->start = start;
    token->length = end - start;
    return 0;
}

static void lexer_scan(struct lexer *lexer, const char *text)
{
    int at = 0;

    while (text[at] != '\0') {
        int start = at;
        if (isspace((unsigned char)text[at])) {
            at++;
        } else if (text[at] == ';') {
            at++;
            lexer_push(lexer, SEMICOLON, start, at);
        } else if (isdigit((unsigned char)text[at])) {
            while (isdigit((unsigned char)text[at]))
                at++;
            lexer_push(lexer, NUMBER, start, at);
        } else {
            while (text[at] != '\0' && !isspace((unsigned char)text[at]) && text[at] != ';')
                at++;
            lexer_push(lexer, WORD, start, at);
        }
    }
}

static int count_kind(const struct lexer *lexer, enum token_kind kind)
{
    int found = 0;

    for (int at = 0; at < lexer->count && at < MAX_TOKENS; at++)
        if (lexer->tokens[at].kind == kind)
            found++;
    return found;
}

static void report(const struct lexer *lexer)
{
    int words = count_kind(lexer, WORD);
    int commands = count_kind(lexer, SEMICOLON) + 1;

    printf("%s:%u: %d words in %d commands\n", lexer->source->name, lexer->source->line, words,
           commands);
}

int main(void)
{
    static const char *const lines[] = {
        "move 10 20; draw; line 5",
        "push a; push b; push c; add; add; print 1",
    };
    struct source source = {"script", NULL, 0};

    for (unsigned at = 0; at < sizeof lines / sizeof *lines; at++) {
        struct lexer *lexer = lexer_new(&source);
        source.text = lines[at];
        source.line = at + 1;
        lexer_scan(lexer, lines[at]);
        report(lexer);
        free(lexer);
    }
    return 0;
}
