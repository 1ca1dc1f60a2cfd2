#include <emmintrin.h>
#include <stdio.h>

static char message[64] __attribute__((aligned(16))) = {3};

__attribute__((noinline)) static int sum(const char *bytes)
{
    __m128i first = _mm_load_si128((const __m128i *)bytes);
    __m128i second = _mm_load_si128((const __m128i *)(bytes + 16));

    return _mm_cvtsi128_si32(_mm_add_epi32(first, second));
}

int main(int argc, char **argv)
{
    printf("%d\n", sum(message));
    printf("%d\n", sum(message + argc));
    return 0;
}
