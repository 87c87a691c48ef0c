// SRTP as cheap as libcrypto makes it: RFC 7714 (AES-GCM), RFC 3711 (AES-CM with HMAC-SHA1).
#define OPENSSL_SUPPRESS_DEPRECATED
#include "CFloors.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

struct floor_cipher {
    floor_profile profile;
    EVP_CIPHER_CTX *context;
    uint8_t salt[16];
    SHA_CTX inner, outer;
};

static void prepare_hmac(floor_cipher *cipher, const uint8_t *key) {
    uint8_t block[64];
    memset(block, 0x36, sizeof block);
    for (int i = 0; i < 20; i++) block[i] ^= key[i];
    SHA1_Init(&cipher->inner);
    SHA1_Update(&cipher->inner, block, sizeof block);
    for (int i = 0; i < 64; i++) block[i] ^= 0x36 ^ 0x5c;
    SHA1_Init(&cipher->outer);
    SHA1_Update(&cipher->outer, block, sizeof block);
}

floor_cipher *floor_cipher_make(floor_profile profile, const uint8_t *keys, int encrypts) {
    floor_cipher *cipher = calloc(1, sizeof *cipher);
    cipher->profile = profile;
    cipher->context = EVP_CIPHER_CTX_new();
    memcpy(cipher->salt, keys + 16, profile == FLOOR_AES_GCM ? 12 : 14);
    prepare_hmac(cipher, keys + 30);
    const EVP_CIPHER *kind = profile == FLOOR_AES_GCM ? EVP_aes_128_gcm() : EVP_aes_128_ctr();
    EVP_CipherInit_ex(cipher->context, kind, NULL, keys, NULL, profile == FLOOR_AES_GCM ? encrypts : 1);
    return cipher;
}

void floor_cipher_free(floor_cipher *cipher) {
    EVP_CIPHER_CTX_free(cipher->context);
    free(cipher);
}

static int header_length(const uint8_t *packet, int length) {
    int header = 12 + 4 * (packet[0] & 15);
    if (packet[0] & 0x10) header += 4 + 4 * (packet[header + 2] << 8 | packet[header + 3]);
    return header <= length ? header : length;
}

// SSRC and sequence number into the salt, where the profile wants them.
static void make_nonce(const floor_cipher *cipher, const uint8_t *packet, uint8_t *nonce) {
    memcpy(nonce, cipher->salt, 16);
    int gcm = cipher->profile == FLOOR_AES_GCM;
    for (int i = 0; i < 4; i++) nonce[(gcm ? 2 : 4) + i] ^= packet[8 + i];
    for (int i = 0; i < 2; i++) nonce[(gcm ? 10 : 12) + i] ^= packet[2 + i];
}

static void authenticate(const floor_cipher *cipher, const uint8_t *packet, int length, uint8_t *digest) {
    static const uint8_t rollover[4];
    SHA_CTX state = cipher->inner;
    SHA1_Update(&state, packet, length);
    SHA1_Update(&state, rollover, sizeof rollover);
    SHA1_Final(digest, &state);
    state = cipher->outer;
    SHA1_Update(&state, digest, 20);
    SHA1_Final(digest, &state);
}

int floor_seal(floor_cipher *cipher, uint8_t *packet, int length) {
    uint8_t nonce[16], digest[20];
    int header = header_length(packet, length), ignored;
    make_nonce(cipher, packet, nonce);
    EVP_CipherInit_ex(cipher->context, NULL, NULL, NULL, nonce, -1);
    if (cipher->profile == FLOOR_AES_GCM) EVP_CipherUpdate(cipher->context, NULL, &ignored, packet, header);
    if (!EVP_CipherUpdate(cipher->context, packet + header, &ignored, packet + header, length - header)) return -1;
    if (cipher->profile == FLOOR_AES_GCM) {
        EVP_CipherFinal_ex(cipher->context, packet + length, &ignored);
        return EVP_CIPHER_CTX_ctrl(cipher->context, EVP_CTRL_AEAD_GET_TAG, 16, packet + length) ? length + 16 : -1;
    }
    authenticate(cipher, packet, length, digest);
    memcpy(packet + length, digest, 10);
    return length + 10;
}

int floor_open(floor_cipher *cipher, uint8_t *packet, int length) {
    uint8_t nonce[16], digest[20];
    int gcm = cipher->profile == FLOOR_AES_GCM, ignored;
    length -= gcm ? 16 : 10;
    if (length < 12) return -1;
    int header = header_length(packet, length);
    if (!gcm) {
        authenticate(cipher, packet, length, digest);
        if (CRYPTO_memcmp(digest, packet + length, 10) != 0) return -1;
    }
    make_nonce(cipher, packet, nonce);
    EVP_CipherInit_ex(cipher->context, NULL, NULL, NULL, nonce, -1);
    if (gcm) EVP_CipherUpdate(cipher->context, NULL, &ignored, packet, header);
    if (!EVP_CipherUpdate(cipher->context, packet + header, &ignored, packet + header, length - header)) return -1;
    if (!gcm) return length;
    EVP_CIPHER_CTX_ctrl(cipher->context, EVP_CTRL_AEAD_SET_TAG, 16, packet + length);
    return EVP_CipherFinal_ex(cipher->context, packet + length, &ignored) > 0 ? length : -1;
}

void floor_seal_many(floor_cipher *cipher, uint8_t *packet, int length, int count) {
    for (int number = 0; number < count; number++) {
        packet[2] = number >> 8;
        packet[3] = number;
        floor_seal(cipher, packet, length);
    }
}
