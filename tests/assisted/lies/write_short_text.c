/* attack: flags=-O0 */
#include <stdlib.h>
#include <string.h>
struct column { char title[32]; const int *width; };
static const int plain = 8;
static struct column *all[2];
static struct column **slot(int at) { return &all[at]; }
static struct column *column(const char *title)
{
    struct column *made = malloc(sizeof *made); /*!*/
    strcpy(made->title, title);
    return made;
}
int main(void)
{
    void *before[2];
    for (int at = 0; at < 2; at++)
        before[at] = memset(malloc(sizeof(struct column)), 'A', sizeof(struct column));
    for (int at = 0; at < 2; at++)
        free(before[at]);
    all[0] = column("id");
    all[0]->width = &plain;
    all[1] = column("note");
    int sum = before[0] == NULL;
    for (int at = 0; at < 2; at++) {
        struct column *one = *slot(at);
        sum += *one->width;
    }
    return sum;
}
