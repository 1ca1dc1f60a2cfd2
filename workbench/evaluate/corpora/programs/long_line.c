#include <string.h>
#include <stdio.h>
int main(void) {
    char line[24];
    char text[96];
    memset(text, 0, sizeof text);
    strcpy(text, "a long line of the input which does not fit the buffer that waits for it, and runs on");
    strcpy(line, text);
    puts(line);
    return 0;
}
