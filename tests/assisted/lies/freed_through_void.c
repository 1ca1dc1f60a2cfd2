/* attack: flags=-O1; values=wheel_run:t,wheel_run:w,panel_blink:p,panel_blink:data,main:w,wheel_run:t->data,panel_blink:p->label */
/* Timers call a function with data; panels on a screen blink by one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct timer {
    struct timer *next;
    unsigned due;
    void (*call)(void *data);
    void *data;
};

struct wheel {
    struct timer *timers;
    unsigned now;
};

struct label {
    char text[24];
    int on;
};

struct panel {
    struct label *label;
    unsigned blinks;
    struct wheel *wheel;
};

static __attribute__((noinline)) void wheel_add(struct wheel *w, unsigned in, void (*call)(void *), void *data)
{
    struct timer *t = malloc(sizeof *t);
    t->due = w->now + in;
    t->call = call;
    t->data = data;
    t->next = w->timers;
    w->timers = t;
}

static __attribute__((noinline)) void wheel_run(struct wheel *w)
{
    struct timer **at = &w->timers;
    w->now++;
    while (*at) {
        struct timer *t = *at;
        if (t->due <= w->now) {
            *at = t->next;
            t->call(t->data);
            free(t);
        } else {
            at = &t->next;
        }
    }
}

static __attribute__((noinline)) void panel_blink(void *data)
{
    struct panel *p = data;
    p->label->on = !p->label->on;
    p->blinks++;
    printf("%s %d\n", p->label->text, p->label->on);
}

static __attribute__((noinline)) struct panel *panel_new(struct wheel *w, const char *text)
{
    struct panel *p = malloc(sizeof *p);
    p->label = malloc(sizeof *p->label);
    snprintf(p->label->text, sizeof p->label->text, "%s", text);
    p->label->on = 0;
    p->blinks = 0;
    p->wheel = w;
    wheel_add(w, 2, panel_blink, p);
    wheel_add(w, 5, panel_blink, p);
    return p;
}

static __attribute__((noinline)) void panel_close(struct panel *p)
{
    printf("closed after %u\n", p->blinks);
    free(p->label);
    free(p); /*!*/
}

int main(void)
{
    struct wheel *w = calloc(1, sizeof *w);
    struct panel *left = panel_new(w, "left");
    struct panel *right = panel_new(w, "right");
    for (int i = 0; i < 3; i++)
        wheel_run(w);
    panel_close(left);
    for (int i = 0; i < 4; i++)
        wheel_run(w);
    panel_close(right);
    free(w);
    return 0;
}
