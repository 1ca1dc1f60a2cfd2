/* attack: flags=-O0 */
#include <stdlib.h>
#include <string.h>
struct sheet { long *cells; int columns; };
static void put(struct sheet *one, int row, int column, long value)
{
    one->cells[row * one->columns + column] = value; /*!*/
}
int main(int count, char **words)
{
    struct sheet one = {malloc(40), 5};
    char *line = malloc(40), *name = malloc(40);
    put(&one, 0, 1, 7);
    memset(line, 1, 40);
    free(line);
    put(&one, count * 2, 1, 0x3030303030303030);
    free(name);
    return words == NULL;
}
