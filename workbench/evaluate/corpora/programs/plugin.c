#include <dlfcn.h>
#include <stdio.h>

__attribute__((noinline)) static int initialise(const char *symbol)
{
    int (*init)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, symbol);
    int status = init(2);

    printf("%s: %d\n", symbol, status);
    return status;
}

int main(void)
{
    return initialise("plugin_initialise_v2");
}
