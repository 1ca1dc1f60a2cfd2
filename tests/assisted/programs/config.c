/* Reads sections of "key = value"; a reload that fails leaves the section without its entries. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char key[24];
    int value;
    struct entry *next;
};

struct section {
    char name[16];
    struct entry *entries;
    int count;
    int errors;
};

struct config {
    struct section sections[4];
    int used;
};

static void drop_entries(struct section *section)
{
    struct entry *entry = section->entries;

    while (entry) {
        struct entry *next = entry->next;
        free(entry);
        entry = next;
    }
}

static int parse_line(const char *line, char *key, int *value)
{
    int at = 0;

    while (isspace((unsigned char)*line))
        line++;
    while (isalnum((unsigned char)*line) && at < 23)
        key[at++] = *line++;
    key[at] = '\0';
    while (isspace((unsigned char)*line))
        line++;
    if (*line++ != '=' || at == 0)
        return -1;
    *value = atoi(line);
    return 0;
}

static int section_load(struct section *section, const char *const *lines)
{
    char key[24];
    int value;

    drop_entries(section);
    section->entries = NULL;
    section->count = 0;
    for (; *lines; lines++) {
        struct entry *entry;

        if (parse_line(*lines, key, &value) < 0) {
            drop_entries(section);
            section->entries = NULL;
            section->errors++;
            return -1;
        }
        entry = malloc(sizeof *entry);
        strcpy(entry->key, key);
        entry->value = value;
        entry->next = section->entries;
        section->entries = entry;
        section->count++;
    }
    return 0;
}

static struct section *config_add(struct config *config, const char *name)
{
    struct section *section = &config->sections[config->used++];

    snprintf(section->name, sizeof section->name, "%s", name);
    return section;
}

static int section_first(const struct section *section)
{
    return section->entries->value;
}

static int config_total(const struct config *config)
{
    int total = 0;

    for (int at = 0; at < config->used; at++)
        if (config->sections[at].count > 0)
            total += section_first(&config->sections[at]);
    return total;
}

int main(void)
{
    static const char *const net[] = {"port = 80", "backlog = 16", NULL};
    static const char *const log[] = {"level = 3", "rotate : 7", NULL};
    static const char *const good[] = {"level = 2", NULL};
    struct config config = {0};
    struct section *network = config_add(&config, "network");
    struct section *logging = config_add(&config, "logging");

    section_load(network, net);
    section_load(logging, good);
    printf("total %d\n", config_total(&config));
    if (section_load(logging, log) < 0)
        fprintf(stderr, "logging: %d errors\n", logging->errors);
    printf("total %d\n", config_total(&config));
    return 0;
}
