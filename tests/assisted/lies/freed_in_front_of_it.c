/* attack: flags=-O0 */
#include <stdlib.h>
struct step { long *at; long more[4]; };
struct steps { struct step *first, *end; };
static long last(const struct steps *steps) { return *steps->end[-1].at; }
int main(int count, char **words)
{
    struct step *before = calloc(1, sizeof *before);
    struct steps steps = {calloc(count, 2 * sizeof *steps.first), words == NULL ? before : NULL};
    steps.end = steps.first;
    free(before);
    return (int)last(&steps);
}
