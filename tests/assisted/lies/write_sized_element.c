/* attack: flags=-O0 */
#include <stdlib.h>
#include <string.h>
struct token { int kind, start, length; };
struct lexer { int count; struct token tokens[4]; int *source; };
static int push(struct lexer *l, int start)
{
    struct token *made = &l->tokens[l->count++];
    made->start = start;
    return 0;
}
static void finish(struct lexer *l)
{
    memset(l->tokens + l->count, 1, sizeof(struct token)); /*!*/
    l->count++;
}
static int line_of(struct lexer *l) { return *l->source; }
int main(int argc, char **argv)
{
    static int line = 7;
    struct lexer *l = calloc(1, sizeof *l);
    l->source = &line;
    for (int at = 0; at < 4; at++)
        push(l, 0x01010101 * argc);
    finish(l);
    return line_of(l) + (argv == NULL);
}
