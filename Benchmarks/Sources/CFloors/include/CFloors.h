// What the work of a forwarder and of a receiver costs in plain C: sockets, libcrypto, nothing else.
#ifndef CFLOORS_H
#define CFLOORS_H

#include <stdint.h>

typedef enum { FLOOR_AES_GCM = 0, FLOOR_AES_CM_SHA1 = 1 } floor_profile;

// Session keys of one direction: 16 bytes of cipher key, 14 of salt (12 used by GCM), 20 of authentication key.
#define FLOOR_KEY_BYTES 50

// One direction of SRTP with reused libcrypto contexts, roll-over counter 0, no replay window.
typedef struct floor_cipher floor_cipher;
floor_cipher *floor_cipher_make(floor_profile profile, const uint8_t *keys, int encrypts);
void floor_cipher_free(floor_cipher *cipher);
// In place; the tag's room stands behind the packet. The new length, or -1.
int floor_seal(floor_cipher *cipher, uint8_t *packet, int length);
int floor_open(floor_cipher *cipher, uint8_t *packet, int length);
// Seals the packet `count` times over, with increasing sequence numbers.
void floor_seal_many(floor_cipher *cipher, uint8_t *packet, int length, int count);

// What one run has done, and the CPU time of the thread that did it.
typedef struct {
    uint64_t cpu_nanoseconds;
    uint64_t received;
    uint64_t sent;
    uint64_t failed;
} floor_tally;

// One UDP port on 127.0.0.1 that opens what it gets, rewrites the header, seals and sends it to each port.
typedef struct floor_forwarder floor_forwarder;
floor_forwarder *floor_forwarder_make(floor_profile profile, const uint8_t *keys, const uint16_t *ports, int count);
void floor_forwarder_free(floor_forwarder *forwarder);
uint16_t floor_forwarder_port(const floor_forwarder *forwarder);
// Works until a datagram of one byte comes.
floor_tally floor_forwarder_run(floor_forwarder *forwarder);

// UDP ports on 127.0.0.1 that one loop reads and opens.
typedef struct floor_receiver floor_receiver;
floor_receiver *floor_receiver_make(floor_profile profile, const uint8_t *keys, int count);
void floor_receiver_free(floor_receiver *receiver);
uint16_t floor_receiver_port(const floor_receiver *receiver, int index);
// Works until a datagram of one byte comes to the first port.
floor_tally floor_receiver_run(floor_receiver *receiver);

#endif
