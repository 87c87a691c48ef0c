#define _GNU_SOURCE
#include "CFloors.h"
#include "sockets.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#define READY 64

typedef struct {
    int descriptor;
    floor_cipher *cipher;
} participant;

struct floor_receiver {
    int poller, count;
    participant *participants;
    floor_batch batch;
};

floor_receiver *floor_receiver_make(floor_profile profile, const uint8_t *keys, int count) {
    floor_receiver *receiver = calloc(1, sizeof *receiver);
    receiver->poller = epoll_create1(EPOLL_CLOEXEC);
    receiver->count = count;
    receiver->participants = calloc(count, sizeof(participant));
    floor_batch_prepare(&receiver->batch);
    for (int i = 0; i < count; i++) {
        participant *one = &receiver->participants[i];
        one->descriptor = floor_socket();
        one->cipher = floor_cipher_make(profile, keys, 0);
        struct epoll_event interest = {.events = EPOLLIN, .data.ptr = one};
        epoll_ctl(receiver->poller, EPOLL_CTL_ADD, one->descriptor, &interest);
    }
    return receiver;
}

void floor_receiver_free(floor_receiver *receiver) {
    for (int i = 0; i < receiver->count; i++) {
        close(receiver->participants[i].descriptor);
        floor_cipher_free(receiver->participants[i].cipher);
    }
    close(receiver->poller);
    free(receiver->participants);
    free(receiver);
}

uint16_t floor_receiver_port(const floor_receiver *receiver, int index) {
    return floor_socket_port(receiver->participants[index].descriptor);
}

// Whether the datagram that ends the run was among them.
static int drain(floor_receiver *receiver, participant *one, floor_tally *tally) {
    for (int count; (count = floor_batch_read(&receiver->batch, one->descriptor)) > 0;) {
        for (int i = 0; i < count; i++) {
            int length = (int)receiver->batch.headers[i].msg_len;
            if (length == 1) return 1;
            if (floor_open(one->cipher, receiver->batch.bytes[i], length) < 0) tally->failed++; else tally->received++;
        }
        if (count < FLOOR_BATCH) break;
    }
    return 0;
}

floor_tally floor_receiver_run(floor_receiver *receiver) {
    floor_tally tally = {0};
    struct epoll_event ready[READY];
    uint64_t start = floor_thread_nanoseconds();
    for (int ended = 0; !ended;) {
        int count = epoll_wait(receiver->poller, ready, READY, -1);
        for (int i = 0; i < count; i++) ended |= drain(receiver, ready[i].data.ptr, &tally);
    }
    tally.cpu_nanoseconds = floor_thread_nanoseconds() - start;
    return tally;
}
