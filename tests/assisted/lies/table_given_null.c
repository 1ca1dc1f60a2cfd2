/* attack: flags=-O0 */
/* Keys of an editor, the commands that they run, and plug-ins that bring commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COMMANDS 32
#define KEYS 128

struct editor;
typedef int (*command_fn)(struct editor *ed, int count);

struct command {
    char name[24];
    command_fn run;
    int plugin;
    unsigned used;
};

struct editor {
    struct command commands[MOST_COMMANDS];
    int command_count;
    unsigned char bound[KEYS];
    int line, column;
    int modified;
};

static int move_down(struct editor *ed, int count) { ed->line += count; return 0; }
static int move_up(struct editor *ed, int count)
{
    ed->line -= count;
    if (ed->line < 0)
        ed->line = 0;
    return 0;
}
static int insert_tab(struct editor *ed, int count)
{
    ed->column += 4 * count;
    ed->modified = 1;
    return 0;
}
static int fold_block(struct editor *ed, int count)
{
    ed->line += 10 * count;
    return 1;
}

static int command_define(struct editor *ed, const char *name, command_fn run, int plugin)
{
    if (ed->command_count == MOST_COMMANDS)
        return -1;
    struct command *c = &ed->commands[ed->command_count];
    snprintf(c->name, sizeof c->name, "%s", name);
    c->run = run;
    c->plugin = plugin;
    return ed->command_count++;
}

static int command_find(const struct editor *ed, const char *name)
{
    for (int i = 0; i < ed->command_count; i++)
        if (strcmp(ed->commands[i].name, name) == 0)
            return i;
    return -1;
}

static void key_bind(struct editor *ed, int key, const char *name)
{
    int at = command_find(ed, name);
    if (at >= 0)
        ed->bound[key] = (unsigned char)(at + 1);
}

static void command_unload(struct editor *ed, int plugin)
{
    for (int i = 0; i < ed->command_count; i++) {
        struct command *c = &ed->commands[i];
        if (c->plugin == plugin) {
            c->run = NULL; 
            c->plugin = 0;
        }
    }
}

static int key_press(struct editor *ed, int key, int count)
{
    int at = ed->bound[key & (KEYS - 1)];
    if (at == 0) {
        ed->column += count;
        return 0;
    }
    struct command *c = &ed->commands[at - 1];
    c->used++;
    return c->run(ed, count);
}

int main(void)
{
    struct editor *ed = calloc(1, sizeof *ed);
    command_define(ed, "down", move_down, 0);
    command_define(ed, "up", move_up, 0);
    command_define(ed, "tab", insert_tab, 0);
    command_define(ed, "fold", fold_block, 3);
    command_define(ed, "help", NULL, 0); /*!*/
    key_bind(ed, 'h', "help");
    key_bind(ed, 'j', "down");
    key_bind(ed, 'k', "up");
    key_bind(ed, '\t', "tab");
    key_bind(ed, 'z', "fold");
    const char *typed = "jjkz\tj";
    for (const char *t = typed; *t; t++)
        key_press(ed, *t, 1);
    printf("at %d:%d\n", ed->line, ed->column);
    command_unload(ed, 3);
    for (const char *t = "jkhj"; *t; t++)
        key_press(ed, *t, 2);
    printf("at %d:%d\n", ed->line, ed->column);
    free(ed);
    return 0;
}
