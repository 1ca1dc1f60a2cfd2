#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

__attribute__((noinline)) static int next_client(int listener)
{
    return accept(listener, NULL, NULL);
}

int main(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET};
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) != 0 || listen(listener, 4) != 0)
        return 1;
    printf("%d\n", next_client(listener));
    return 0;
}
