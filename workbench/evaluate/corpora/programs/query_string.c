#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static int count_pairs(char *query)
{
    int pairs = 0;

    for (char *pair = strchr(query, '='); pair != NULL; pair = strchr(pair + 1, '='))
        pairs++;
    return pairs;
}

int main(void)
{
    printf("%d pairs\n", count_pairs(getenv("CORPUS_QUERY_STRING")));
    return 0;
}
