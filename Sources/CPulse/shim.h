// PulseAudio's simple API, looked up at run time: a machine without a sound system runs everything else.
#pragma once
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <pulse/simple.h>
#include <pulse/error.h>

typedef pa_simple *(*cpulse_new)(const char *, const char *, pa_stream_direction_t, const char *, const char *,
                                 const pa_sample_spec *, const pa_channel_map *, const pa_buffer_attr *, int *);
typedef int (*cpulse_write)(pa_simple *, const void *, size_t, int *);
typedef int (*cpulse_read)(pa_simple *, void *, size_t, int *);
typedef int (*cpulse_drain)(pa_simple *, int *);
typedef void (*cpulse_free)(pa_simple *);
typedef const char *(*cpulse_strerror)(int);

typedef struct {
    cpulse_new open;
    cpulse_write write;
    cpulse_read read;
    cpulse_drain drain;
    cpulse_free close;
    cpulse_strerror text;
} cpulse_api;

// 0 where the libraries are there and complete. They stay loaded.
static inline int cpulse_load(cpulse_api *api) {
    void *simple = dlopen("libpulse-simple.so.0", RTLD_NOW | RTLD_LOCAL);
    void *base = dlopen("libpulse.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!simple || !base) return -1;
    api->open = (cpulse_new)dlsym(simple, "pa_simple_new");
    api->write = (cpulse_write)dlsym(simple, "pa_simple_write");
    api->read = (cpulse_read)dlsym(simple, "pa_simple_read");
    api->drain = (cpulse_drain)dlsym(simple, "pa_simple_drain");
    api->close = (cpulse_free)dlsym(simple, "pa_simple_free");
    api->text = (cpulse_strerror)dlsym(base, "pa_strerror");
    return api->open && api->write && api->read && api->drain && api->close && api->text ? 0 : -1;
}

// A stream of 16-bit samples at 48 kHz; NULL with `error` set where it can't be had.
static inline pa_simple *cpulse_open(const cpulse_api *api, const char *application, const char *device, int records,
                                     int channels, uint32_t latency_bytes, int *error) {
    pa_sample_spec format = {.format = PA_SAMPLE_S16LE, .rate = 48000, .channels = (uint8_t)channels};
    pa_buffer_attr attributes = {.maxlength = (uint32_t)-1,
                                 .tlength = latency_bytes,
                                 .prebuf = (uint32_t)-1,
                                 .minreq = (uint32_t)-1,
                                 .fragsize = latency_bytes};
    return api->open(NULL, application, records ? PA_STREAM_RECORD : PA_STREAM_PLAYBACK, device, "call", &format, NULL,
                     &attributes, error);
}
