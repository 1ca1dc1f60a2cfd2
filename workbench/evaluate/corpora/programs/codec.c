#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static void *need(const char *library)
{
    void *handle = dlopen(library, RTLD_NOW);

    if (handle == NULL) {
        fprintf(stderr, "cannot load the codec: %s\n", dlerror());
        abort();
    }
    return handle;
}

int main(void)
{
    return need("libcodec-of-tomorrow.so.9") == NULL;
}
