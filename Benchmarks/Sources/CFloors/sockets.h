#ifndef CFLOORS_SOCKETS_H
#define CFLOORS_SOCKETS_H

#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

#define FLOOR_BATCH 32
#define FLOOR_DATAGRAM 2048

// Memory for recvmmsg.
typedef struct {
    struct mmsghdr headers[FLOOR_BATCH];
    struct iovec vectors[FLOOR_BATCH];
    uint8_t bytes[FLOOR_BATCH][FLOOR_DATAGRAM];
} floor_batch;

struct sockaddr_in floor_loopback(uint16_t port);
// A socket on 127.0.0.1 and a port of the kernel's choice, which never blocks.
int floor_socket(void);
uint16_t floor_socket_port(int descriptor);
void floor_batch_prepare(floor_batch *batch);
// Datagrams read, 0 where none is there.
int floor_batch_read(floor_batch *batch, int descriptor);
uint64_t floor_thread_nanoseconds(void);

#endif
