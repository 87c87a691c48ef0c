// recvmmsg(2), sendmmsg(2), accept4(2) and pthread_setname_np(3) are declared for _GNU_SOURCE only, which Swift's Glibc
// module is built without; epoll(7) and eventfd(2) are not in it at all.
//
// A file that imports this module must not be the first of its target, by name, that imports Glibc: Swift then takes what
// <sys/socket.h> declares for ours, and files without this import find no SOCK_DGRAM in a release build.
#ifndef CSOCKET_SHIM_H
#define CSOCKET_SHIM_H

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

// As struct mmsghdr.
typedef struct {
    struct msghdr msg_hdr;
    unsigned int msg_len;
} csocket_message;

struct mmsghdr;
extern int recvmmsg(int, struct mmsghdr *, unsigned int, int, struct timespec *);

static inline int csocket_receive(int descriptor, csocket_message *messages, unsigned int count) {
    return recvmmsg(descriptor, (struct mmsghdr *)messages, count, MSG_DONTWAIT, NULL);
}

extern int sendmmsg(int, struct mmsghdr *, unsigned int, int);

static inline int csocket_send(int descriptor, csocket_message *messages, unsigned int count) {
    return sendmmsg(descriptor, (struct mmsghdr *)messages, count, MSG_NOSIGNAL);
}

extern int pthread_setname_np(pthread_t, const char *);

extern int accept4(int, struct sockaddr *, socklen_t *, int);

// Neither blocks nor passes to children.
static inline int csocket_accept(int descriptor, void *name, unsigned int *length) {
    return accept4(descriptor, (struct sockaddr *)name, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

#endif
