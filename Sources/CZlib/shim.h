// zlib, and the one call of it that is a macro.
#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <zlib.h>

// A gzip member (RFC 1952) instead of zlib's own framing: 16 more than the window's 15 bits.
static inline int czlib_gzip_init(z_stream *stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

// Reads a gzip member, and nothing else.
static inline int czlib_gunzip_init(z_stream *stream) {
    return inflateInit2(stream, 15 + 16);
}

#endif
