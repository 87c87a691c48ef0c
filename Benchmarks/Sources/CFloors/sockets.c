#define _GNU_SOURCE
#include "sockets.h"

#include <string.h>
#include <time.h>

struct sockaddr_in floor_loopback(uint16_t port) {
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

int floor_socket(void) {
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int size = 4 << 20;
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    struct sockaddr_in address = floor_loopback(0);
    bind(descriptor, (struct sockaddr *)&address, sizeof address);
    return descriptor;
}

uint16_t floor_socket_port(int descriptor) {
    struct sockaddr_in address = {0};
    socklen_t length = sizeof address;
    getsockname(descriptor, (struct sockaddr *)&address, &length);
    return ntohs(address.sin_port);
}

void floor_batch_prepare(floor_batch *batch) {
    memset(batch->headers, 0, sizeof batch->headers);
    for (int i = 0; i < FLOOR_BATCH; i++) {
        batch->vectors[i] = (struct iovec){batch->bytes[i], FLOOR_DATAGRAM};
        batch->headers[i].msg_hdr.msg_iov = &batch->vectors[i];
        batch->headers[i].msg_hdr.msg_iovlen = 1;
    }
}

int floor_batch_read(floor_batch *batch, int descriptor) {
    int count = recvmmsg(descriptor, batch->headers, FLOOR_BATCH, MSG_DONTWAIT, NULL);
    return count < 0 ? 0 : count;
}

uint64_t floor_thread_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}
