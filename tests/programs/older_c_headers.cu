/* With the headers that programs for clusters and sockets include. */
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <inttypes.h>
#include <ctype.h>
#include <locale.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#define PORT 7471
#define WORDS 512

static in_addr_t address_of(const char *text)
{
    struct in_addr address;
    return inet_aton(text, &address) ? address.s_addr : INADDR_NONE;
}

static int listen_at(uint16_t port)
{
    struct sockaddr_in where;
    memset(&where, 0, sizeof where);
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    where.sin_addr.s_addr = address_of("127.0.0.1");
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return fd < 0 || bind(fd, (struct sockaddr *)&where, sizeof where) < 0 ? -1 : fd;
}

__global__ void swap_bytes(uint32_t *words, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) words[i] = __byte_perm(words[i], 0, 0x0123);
}

int main(void)
{
    struct rusage usage;
    uint32_t *words;
    pid_t child = getpid();
    getrusage(RUSAGE_SELF, &usage);
    if (cudaMalloc((void **)&words, WORDS * sizeof(uint32_t)) != cudaSuccess) return 1;
    swap_bytes<<<WORDS / 64, 64>>>(words, WORDS);
    printf("%d %" PRIu32 " %d\n", (int)child, (uint32_t)usage.ru_maxrss, listen_at(PORT) >= 0);
    return cudaDeviceSynchronize() != cudaSuccess;
}
