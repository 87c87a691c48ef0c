// dav1d's error numbers are macros over errno.
#pragma once
#include <dav1d/dav1d.h>
#include <errno.h>
#include <string.h>

static inline int cdav1d_again(void) { return DAV1D_ERR(EAGAIN); }

// Copies the bytes and sends them; 0, or a negative error. What the decoder did not take is dropped.
static inline int cdav1d_send(Dav1dContext *context, const uint8_t *bytes, size_t count) {
    Dav1dData data = {0};
    uint8_t *copy = dav1d_data_create(&data, count);
    if (!copy) return DAV1D_ERR(ENOMEM);
    memcpy(copy, bytes, count);
    int result = dav1d_send_data(context, &data);
    if (data.sz > 0) dav1d_data_unref(&data);
    return result;
}
