#define _GNU_SOURCE
#include "CFloors.h"
#include "sockets.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

typedef struct {
    struct sockaddr_in address;
    floor_cipher *cipher;
    uint32_t ssrc, timestamp_offset;
    uint16_t sequence_offset;
} subscriber;

struct floor_forwarder {
    int descriptor, poller, count;
    floor_cipher *opener;
    subscriber *subscribers;
    floor_batch batch;
    uint8_t scratch[FLOOR_DATAGRAM];
};

floor_forwarder *floor_forwarder_make(floor_profile profile, const uint8_t *keys, const uint16_t *ports, int count) {
    floor_forwarder *forwarder = calloc(1, sizeof *forwarder);
    forwarder->descriptor = floor_socket();
    forwarder->poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event interest = {.events = EPOLLIN};
    epoll_ctl(forwarder->poller, EPOLL_CTL_ADD, forwarder->descriptor, &interest);
    floor_batch_prepare(&forwarder->batch);
    forwarder->opener = floor_cipher_make(profile, keys, 0);
    forwarder->count = count;
    forwarder->subscribers = calloc(count, sizeof(subscriber));
    for (int i = 0; i < count; i++) {
        subscriber *one = &forwarder->subscribers[i];
        one->address = floor_loopback(ports[i]);
        one->cipher = floor_cipher_make(profile, keys, 1);
        one->ssrc = 0x10000 + 2 * i;
        one->sequence_offset = 7 * i;
        one->timestamp_offset = 0x1234567 * i;
    }
    return forwarder;
}

void floor_forwarder_free(floor_forwarder *forwarder) {
    for (int i = 0; i < forwarder->count; i++) floor_cipher_free(forwarder->subscribers[i].cipher);
    free(forwarder->subscribers);
    floor_cipher_free(forwarder->opener);
    close(forwarder->descriptor);
    close(forwarder->poller);
    free(forwarder);
}

uint16_t floor_forwarder_port(const floor_forwarder *forwarder) { return floor_socket_port(forwarder->descriptor); }

// Sequence number, timestamp and SSRC of the subscriber's own stream (RFC 3550 section 5.1).
static void rewrite(uint8_t *packet, const subscriber *one) {
    uint16_t sequence;
    uint32_t timestamp, ssrc = htonl(one->ssrc + (packet[1] & 1));
    memcpy(&sequence, packet + 2, 2);
    memcpy(&timestamp, packet + 4, 4);
    sequence = htons((uint16_t)(ntohs(sequence) + one->sequence_offset));
    timestamp = htonl(ntohl(timestamp) + one->timestamp_offset);
    memcpy(packet + 2, &sequence, 2);
    memcpy(packet + 4, &timestamp, 4);
    memcpy(packet + 8, &ssrc, 4);
}

static void forward(floor_forwarder *forwarder, const uint8_t *packet, int length, floor_tally *tally) {
    for (int i = 0; i < forwarder->count; i++) {
        subscriber *one = &forwarder->subscribers[i];
        memcpy(forwarder->scratch, packet, length);
        rewrite(forwarder->scratch, one);
        int sealed = floor_seal(one->cipher, forwarder->scratch, length);
        ssize_t sent = sendto(forwarder->descriptor, forwarder->scratch, sealed, 0, (struct sockaddr *)&one->address,
                              sizeof one->address);
        if (sent == sealed) tally->sent++; else tally->failed++;
    }
}

floor_tally floor_forwarder_run(floor_forwarder *forwarder) {
    floor_tally tally = {0};
    uint64_t start = floor_thread_nanoseconds();
    for (int ended = 0; !ended;) {
        struct epoll_event event;
        epoll_wait(forwarder->poller, &event, 1, -1);
        for (int count; (count = floor_batch_read(&forwarder->batch, forwarder->descriptor)) > 0;) {
            for (int i = 0; i < count; i++) {
                uint8_t *packet = forwarder->batch.bytes[i];
                int length = (int)forwarder->batch.headers[i].msg_len;
                if (length == 1) { ended = 1; continue; }
                length = floor_open(forwarder->opener, packet, length);
                if (length < 0) { tally.failed++; continue; }
                tally.received++;
                forward(forwarder, packet, length, &tally);
            }
            if (count < FLOOR_BATCH) break;
        }
    }
    tally.cpu_nanoseconds = floor_thread_nanoseconds() - start;
    return tally;
}
