#include <stdio.h>
#include <sys/mman.h>

struct view {
    size_t size;
    int *cells;
};

__attribute__((noinline)) static void close_view(struct view *view)
{
    munmap(view->cells, view->size);
}

__attribute__((noinline)) static int first_cell(const struct view *view)
{
    return view->cells[0];
}

int main(void)
{
    struct view view = {1 << 20, NULL};

    view.cells = mmap(NULL, view.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    view.cells[0] = 5;
    printf("%d\n", first_cell(&view));
    close_view(&view);
    printf("%d\n", first_cell(&view));
    return 0;
}
