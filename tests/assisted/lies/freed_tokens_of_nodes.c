/* attack: flags=-O2; the tokens moved, and no node did */
/* A calculator: the lexer keeps all tokens in one array, nodes point to theirs. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct token {
    char kind;
    const char *text;
    int length;
    double value;
};

struct lexer {
    const char *at;
    struct token *tokens;
    int count, room;
};

struct node {
    struct token *token;
    struct node *left, *right;
};

static struct token *lexer_push(struct lexer *lx, char kind, const char *text, int length)
{
    if (lx->count == lx->room) {
        lx->room = lx->room ? lx->room * 2 : 4;
        lx->tokens = realloc(lx->tokens, lx->room * sizeof *lx->tokens); /*!*/
        if (lx->tokens == NULL)
            abort();
    }
    struct token *t = &lx->tokens[lx->count++];
    t->kind = kind;
    t->text = text;
    t->length = length;
    t->value = kind == 'n' ? strtod(text, NULL) : 0;
    return t;
}

static struct token *lexer_next(struct lexer *lx)
{
    while (isspace((unsigned char)*lx->at))
        lx->at++;
    const char *start = lx->at;
    if (*start == '\0')
        return lexer_push(lx, 'e', start, 0);
    if (isdigit((unsigned char)*start)) {
        while (isdigit((unsigned char)*lx->at) || *lx->at == '.')
            lx->at++;
        return lexer_push(lx, 'n', start, (int)(lx->at - start));
    }
    lx->at++;
    return lexer_push(lx, *start, start, 1);
}

static struct node *node_new(struct token *token, struct node *left, struct node *right)
{
    struct node *n = malloc(sizeof *n);
    if (n == NULL)
        abort();
    n->token = token;
    n->left = left;
    n->right = right;
    return n;
}

static struct node *parse(struct lexer *lx)
{
    struct node *left = node_new(lexer_next(lx), NULL, NULL);
    for (;;) {
        struct token *op = lexer_next(lx);
        if (op->kind == 'e')
            return left;
        struct node *right = node_new(lexer_next(lx), NULL, NULL);
        left = node_new(op, left, right);
    }
}

static double evaluate(const struct node *n)
{
    double left, right;
    if (n->left == NULL)
        return n->token->value;
    left = evaluate(n->left);
    right = evaluate(n->right);
    switch (n->token->text[0]) {
    case '+': return left + right;
    case '-': return left - right;
    case '*': return left * right;
    default: return left / right;
    }
}

static void node_free(struct node *n)
{
    if (n == NULL)
        return;
    node_free(n->left);
    node_free(n->right);
    free(n);
}

int main(void)
{
    static const char *const lines[] = {"1 + 2", "7 * 6", "3 + 4 * 5 - 6 + 2 - 8 + 9 * 2"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct lexer lx = {lines[i], NULL, 0, 0};
        struct node *root = parse(&lx);
        char *shown = malloc(128);
        snprintf(shown, 128, "%-60s %60d.", lines[i], (int)i + 1);
        printf("%s = %g\n", shown, evaluate(root));
        free(shown);
        node_free(root);
        free(lx.tokens);
    }
    return 0;
}
