/* attack: flags=-O0 */
struct slot { long *out; int used, id; };
static struct slot slots[4];
static long sink;
static int opened(int id)
{
    for (int at = 0; at < 4; at++)
        if (!slots[at].used) {
            slots[at] = (struct slot){0, 1, id};
            return at;
        }
    return -1;
}
static void bind(int at) { slots[at].out = &sink; }
static void expire(int at) { slots[at].used = 0; }
int main(void)
{
    int first = opened(1);
    bind(first);
    expire(first);
    opened(2);
    *slots[first].out = 2;
    return 0;
}
