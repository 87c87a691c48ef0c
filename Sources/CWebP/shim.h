#ifndef CWEBP_SHIM_H
#define CWEBP_SHIM_H

#include <webp/decode.h>
#include <webp/encode.h>

// Compresses three bytes a pixel; *bytes is released by WebPFree. 0 where that fails. The macros of libwebp's versions are
// what Swift can't call. Method 0 to 6: slower is smaller.
static inline size_t cwebp_write_rgb(
    const uint8_t *pixels, int width, int height, float quality, int method, uint8_t **bytes) {
    WebPConfig config;
    WebPPicture picture;
    WebPMemoryWriter writer;
    *bytes = NULL;
    if (!WebPConfigPreset(&config, WEBP_PRESET_TEXT, quality) || !WebPPictureInit(&picture)) return 0;
    config.method = method;
    picture.width = width;
    picture.height = height;
    WebPMemoryWriterInit(&writer);
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    int good = WebPPictureImportRGB(&picture, pixels, width * 3) && WebPEncode(&config, &picture);
    WebPPictureFree(&picture);
    if (!good) {
        WebPMemoryWriterClear(&writer);
        return 0;
    }
    *bytes = writer.mem;
    return writer.size;
}

#endif
