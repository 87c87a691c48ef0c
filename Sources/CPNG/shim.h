// libpng's simplified API: it handles its errors itself and returns 0, no jump crosses a caller's frames. Its constants are
// macros that Swift can't call.
#ifndef CPNG_SHIM_H
#define CPNG_SHIM_H

#include <png.h>
#include <string.h>

// Reads the header alone; 0 where it is none. The image has to be released by cpng_read or png_image_free.
static inline int cpng_open(png_image *image, const void *bytes, size_t count) {
    memset(image, 0, sizeof *image);
    image->version = PNG_IMAGE_VERSION;
    return png_image_begin_read_from_memory(image, bytes, count);
}

// Four bytes a pixel into width * height * 4 bytes of the caller's.
static inline int cpng_read_rgba(png_image *image, void *pixels) {
    image->format = PNG_FORMAT_RGBA;
    return png_image_finish_read(image, NULL, pixels, 0, NULL);
}

// Three bytes a pixel, on black where the picture is transparent.
static inline int cpng_read_rgb(png_image *image, void *pixels) {
    png_color black = {0, 0, 0};
    image->format = PNG_FORMAT_RGB;
    return png_image_finish_read(image, &black, pixels, 0, NULL);
}

// Compresses three bytes a pixel into *count bytes of the caller's, and sets *count. 0 where there are too few of them.
static inline int cpng_write_rgb(const void *pixels, unsigned width, unsigned height, void *bytes, size_t *count) {
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_RGB;
    image.flags = PNG_IMAGE_FLAG_FAST;
    return png_image_write_to_memory(&image, bytes, count, 0, pixels, 0, NULL);
}

#endif
