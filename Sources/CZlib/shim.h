// zlib, and the calls of it that are macros.
#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <zlib.h>

// A gzip member (RFC 1952) instead of zlib's own framing: 16 more than the window's bits. The memory that zlib takes, and
// clears, is four times the window and more: what is short needs no large one.
static inline int czlib_gzip_init(z_stream *stream, unsigned long length) {
    int window = length <= 8192 ? 13 : 15;
    int memory = length <= 8192 ? 6 : 8;
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window + 16, memory, Z_DEFAULT_STRATEGY);
}

// Reads a gzip member, and nothing else.
static inline int czlib_gunzip_init(z_stream *stream) {
    return inflateInit2(stream, 15 + 16);
}

// Reads a bare DEFLATE stream (RFC 1951).
static inline int czlib_inflate_init(z_stream *stream) {
    return inflateInit2(stream, -15);
}

#endif
