// libssl and libcrypto, and the few lines of them that Swift cannot call: macros, variadic functions, option bits.
#ifndef CCRYPTO_SHIM_H
#define CCRYPTO_SHIM_H

// The SHA states as plain values are what makes an HMAC without allocation possible.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <string.h>
#include <sys/time.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/srtp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Keys and certificates

static inline EVP_PKEY *ccrypto_p256_key(void) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
}

static inline EVP_PKEY *ccrypto_x25519_key(void) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
}

static inline EVP_PKEY *ccrypto_rsa_key(size_t bits) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "RSA", bits);
}

static inline void ccrypto_set_serial(X509 *certificate, const unsigned char *bytes, int count) {
    BIGNUM *number = BN_bin2bn(bytes, count, NULL);
    if (number != NULL) BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
    BN_free(number);
}

// The PRF of TLS 1.2, RFC 5246 section 5; `seed` begins with the label. 1 where it succeeded.
static inline int ccrypto_tls_prf(const char *digest, const void *secret, size_t secret_length, const void *seed,
                                  size_t seed_length, void *output, size_t output_length) {
    EVP_KDF *function = EVP_KDF_fetch(NULL, "TLS1-PRF", NULL);
    EVP_KDF_CTX *context = function == NULL ? NULL : EVP_KDF_CTX_new(function);
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)digest, 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SECRET, (void *)secret, secret_length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SEED, (void *)seed, seed_length),
        OSSL_PARAM_construct_end(),
    };
    int result = context == NULL ? 0 : EVP_KDF_derive(context, (unsigned char *)output, output_length, parameters);
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(function);
    return result == 1;
}

// Contexts of libssl

static inline int ccrypto_ctx_only_dtls12(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, DTLS1_2_VERSION) == 1
        && SSL_CTX_set_max_proto_version(context, DTLS1_2_VERSION) == 1;
}

static inline int ccrypto_ssl_set_groups(SSL *ssl, const char *list) { return (int)SSL_set1_groups_list(ssl, list); }

// The wire MTU is ours to say, sessions are never resumed, and nobody renegotiates.
static inline void ccrypto_ctx_set_defaults(SSL_CTX *context, long largest_message) {
    SSL_CTX_set_options(context, SSL_OP_NO_QUERY_MTU | SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION
                                     | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_max_cert_list(context, largest_message);
}

static inline void ccrypto_ssl_set_mtu(SSL *ssl, long mtu) { SSL_set_mtu(ssl, mtu); }
static inline int ccrypto_ssl_handle_timeout(SSL *ssl) { return (int)DTLSv1_handle_timeout(ssl); }
static inline int ccrypto_ssl_set_owner(SSL *ssl, void *owner) { return SSL_set_app_data(ssl, owner); }

static inline void *ccrypto_store_owner(X509_STORE_CTX *store) {
    SSL *ssl = (SSL *)X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    return ssl == NULL ? NULL : SSL_get_app_data(ssl);
}

// Whether libssl has read the peer's ChangeCipherSpec and waits for its Finished: records of epoch 1 can be opened.
static inline int ccrypto_ssl_has_read_keys(const SSL *ssl) {
    OSSL_HANDSHAKE_STATE state = SSL_get_state(ssl);
    return state == TLS_ST_SR_CHANGE || state == TLS_ST_CR_CHANGE;
}

// Datagram BIO

static inline void ccrypto_bio_retry_read(BIO *bio) {
    BIO_clear_retry_flags(bio);
    BIO_set_retry_read(bio);
}
static inline void ccrypto_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }

// Certificates

// Certificates of a chain; a null pointer has none.
static inline int ccrypto_certificates_count(const STACK_OF(X509) *chain) { return chain == NULL ? 0 : sk_X509_num(chain); }
static inline X509 *ccrypto_certificate_at(const STACK_OF(X509) *chain, int index) { return sk_X509_value(chain, index); }
static inline void ccrypto_certificates_free(STACK_OF(X509) *chain) { sk_X509_pop_free(chain, X509_free); }
static inline STACK_OF(X509) *ccrypto_certificates_new(void) { return sk_X509_new_null(); }
// The chain owns the certificate from then on.
static inline void ccrypto_certificates_push(STACK_OF(X509) *chain, X509 *certificate) {
    if (sk_X509_push(chain, certificate) <= 0) X509_free(certificate);
}

// AEAD

static inline int ccrypto_aead_set_nonce_length(EVP_CIPHER_CTX *context, int length) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, length, NULL);
}
static inline int ccrypto_gcm_get_tag(EVP_CIPHER_CTX *context, void *tag) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag);
}
static inline int ccrypto_gcm_set_tag(EVP_CIPHER_CTX *context, void *tag) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag);
}

#endif
