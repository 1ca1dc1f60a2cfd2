/* attack: flags=-O0 */
#include <stddef.h>
struct span { const char *text; size_t size; };
static size_t fence(const char *text, size_t size, struct span *word)
{
    size_t at = 0;
    goto begin; /* as compilers lay out blocks */
braced:
    word->text++; /*!*/
    goto end;
begin:
    while (at < size && text[at] == '`')
        at++;
    if (word)
        word->text = text + at;
    if (at < size && text[at] == '{')
        goto braced;
end:
    if (word)
        word->size = size - at;
    return at > 2 ? at : 0;
}
static int begins(const char *text, size_t size) { return fence(text, size, NULL) != 0; }
int main(int count, char **words)
{
    struct span word;
    return (fence("``` c", 5, &word) && begins("```{c", (size_t)count + 4)) + (words == NULL);
}
