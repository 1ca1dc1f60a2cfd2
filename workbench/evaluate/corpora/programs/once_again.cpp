// The table of plug-ins asks for itself while it is made.
#include <cstdio>
#include <mutex>

static std::once_flag made;
static int plugins;

__attribute__((noinline)) static int table() {
    std::call_once(made, [] { plugins = table() + 1; });
    return plugins;
}

int main() { printf("%d\n", table()); }
