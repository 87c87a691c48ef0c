/*
 * callbridge.h: real WebRTC calls from C, and from whatever can call C.
 *
 * Link libcallbridge.so, or load it. Its symbols have the version CALLBRIDGE_1.0; there are no others.
 *
 * Handles are numbers that are never given twice: one that was destroyed, or never was, is refused with
 * CALLBRIDGE_ERROR_HANDLE. Each handle that callbridge_join() gave is to be destroyed, also that of a call that has ended: until
 * then it holds memory.
 *
 * Every function may be called on any thread and from within callbacks; two may run at once, for one call, too. Text that is
 * given is UTF-8 with a final 0; it is copied. No function keeps a pointer but `user_data`.
 *
 * Callbacks come on one thread of the library, one at a time, for all calls. What a callback is given lives until it returns.
 * A callback that takes long delays all others; pictures and levels are then left out, nothing else is. An exception must not
 * leave a callback.
 *
 * The process ignores SIGPIPE from the first connection on. The library can't be unloaded, nor used by the child of a fork(2) that has not called exec(2). docs/c-interface.md says how
 * it is built and linked, and what stays the same from version to version.
 */
#ifndef CALLBRIDGE_H
#define CALLBRIDGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of what this header describes; callbridge_abi_version() is that of the library. */
#define CALLBRIDGE_ABI_VERSION 1

/* A call; 0 is none. */
typedef uint64_t callbridge_call;

/* What functions return. callbridge_last_error() has a sentence for each but CALLBRIDGE_OK. */
#define CALLBRIDGE_OK 0
/* An argument is NULL, too large, or makes no sense. */
#define CALLBRIDGE_ERROR_ARGUMENT 1
/* The handle is none, or was destroyed. */
#define CALLBRIDGE_ERROR_HANDLE 2
/* It can't be done now: the call has ended, or what is pushed is not published. */
#define CALLBRIDGE_ERROR_STATE 3
/* Nobody answers, or the connection is lost. */
#define CALLBRIDGE_ERROR_NETWORK 4
/* The server refuses: token, room, what we may do. */
#define CALLBRIDGE_ERROR_REFUSED 5
/* A codec or a device is missing on this machine. */
#define CALLBRIDGE_ERROR_MEDIA 6

/* By which protocol a server is spoken to. */
#define CALLBRIDGE_LIVEKIT 1
#define CALLBRIDGE_OPENTOK 2

/* Where a call stands. */
#define CALLBRIDGE_CONNECTING 1
#define CALLBRIDGE_CONNECTED 2
#define CALLBRIDGE_RECONNECTING 3
/* Over, and final: no callback of the call follows. */
#define CALLBRIDGE_ENDED 4

/* What a track is. */
#define CALLBRIDGE_AUDIO 1
#define CALLBRIDGE_VIDEO 2

/* A picture in three planes (I420). Chroma has half the width and height, rounded up. */
typedef struct callbridge_frame {
    const uint8_t *y;      /* luma, y_stride * height bytes */
    const uint8_t *u;      /* blue difference */
    const uint8_t *v;      /* red difference */
    int32_t y_stride;      /* bytes from a row to the next, at least width */
    int32_t u_stride;      /* at least (width + 1) / 2 */
    int32_t v_stride;
    int32_t width;         /* pixels, 16 to 4096 where pushed */
    int32_t height;
    int64_t time_us;       /* when it is due, microseconds of the library's own monotonic clock; not read where pushed */
} callbridge_frame;

/*
 * Who is told. Any function may be NULL. `user_data` is handed through and never looked at; it must live until
 * callbridge_destroy() has returned.
 */
typedef struct callbridge_callbacks {
    void *user_data;
    /* The call stands so now, CALLBRIDGE_CONNECTING to CALLBRIDGE_ENDED. `reason` is a sentence for people, empty where there
     * is none. */
    void (*state)(void *user_data, callbridge_call call, int32_t state, const char *reason);
    /* Somebody has come (`joined` is 1) or gone (0). `identity` is the same at each of their visits. */
    void (*participant)(void *user_data, callbridge_call call, const char *identity, int32_t joined);
    /* How loud somebody is, ten times a second while their sound comes: 0 for silence to 1 for full scale (root mean square). */
    void (*audio_level)(void *user_data, callbridge_call call, const char *identity, float level);
    /* A picture of somebody. */
    void (*video_frame)(void *user_data, callbridge_call call, const char *identity, const callbridge_frame *frame);
} callbridge_callbacks;

/* How a call is joined. */
typedef struct callbridge_options {
    uint32_t size;         /* sizeof(callbridge_options): later versions add fields at the end */
    int32_t provider;      /* CALLBRIDGE_LIVEKIT or CALLBRIDGE_OPENTOK */
    const char *url;       /* ws://, wss://, http:// or https://, at most 2048 bytes */
    const char *token;     /* an access token in the provider's form, at most 65536 bytes; it is not logged */
    const char *session;   /* CALLBRIDGE_OPENTOK: the session's id. CALLBRIDGE_LIVEKIT: NULL, the token names the room */
    callbridge_callbacks callbacks;
} callbridge_options;

/* The library's version, such as "0.1.0". Never NULL; lives as long as the library is loaded. */
const char *callbridge_version(void);

/* The version of this interface that the library has. A library of another one can't be used with this header. */
uint32_t callbridge_abi_version(void);

/* What went wrong last in a call on this thread, in a sentence for people; empty where nothing has. Never NULL; lives until the
 * next call of any function but this one on the same thread. */
const char *callbridge_last_error(void);

/*
 * Begins to join, and returns at once. The state callback tells what becomes of it: CALLBRIDGE_CONNECTED, or
 * CALLBRIDGE_ENDED with the reason. `call` gets the handle, 0 where the call fails; a first callback may come before that, and
 * has the handle, too.
 *
 * CALLBRIDGE_ERROR_ARGUMENT: `options` or `call` is NULL, `size` is wrong, the provider is unknown, url or token are missing or
 * too long, OPENTOK without a session.
 */
int32_t callbridge_join(const callbridge_options *options, callbridge_call *call);

/*
 * Publishes a sine of `hertz`, 20 to 20000. This and the following functions that publish wait until we are in the call and the
 * server has accepted the track, in a callback, too; one track of sound and one of pictures at a time.
 *
 * All that publish: CALLBRIDGE_ERROR_STATE where the call has ended or there is such a track already, CALLBRIDGE_ERROR_ARGUMENT
 * where a number is out of its range, CALLBRIDGE_ERROR_REFUSED where the server does not let us, CALLBRIDGE_ERROR_MEDIA where a
 * codec is missing; and what joining fails with.
 */
int32_t callbridge_publish_tone(callbridge_call call, double hertz);

/* Publishes a moving test card that carries `sender`, its number and its time in machine-readable form. 160 to 4096 by 90 to 4096
 * pixels, 1 to 60 pictures a second. */
int32_t callbridge_publish_test_card(callbridge_call call, int32_t width, int32_t height, double frames_per_second, uint16_t sender);

/* Publishes what callbridge_push_audio() gives, in 1 or 2 channels. Silence is sent while there is nothing. */
int32_t callbridge_publish_audio(callbridge_call call, int32_t channels);

/*
 * Gives sound: interleaved samples of 16 bits at 48 kHz. They are copied and played in order; a second of it may wait.
 * `taken` gets how many frames (samples of each channel) were taken, fewer than `frames` where a second waits already; it may
 * be NULL.
 *
 * CALLBRIDGE_ERROR_STATE: callbridge_publish_audio() has not been called. CALLBRIDGE_ERROR_ARGUMENT: samples are NULL and
 * frames are not 0, more than 480000 frames.
 */
int32_t callbridge_push_audio(callbridge_call call, const int16_t *samples, size_t frames, size_t *taken);

/* Publishes what callbridge_push_video() gives, in that size and at most so often; the last picture is sent again while there is no
 * other, black before the first. Sides of 16 to 4096 pixels, 1 to 60 pictures a second. */
int32_t callbridge_publish_video(callbridge_call call, int32_t width, int32_t height, double frames_per_second);

/* Gives a picture, which is copied and takes the place of one that was not sent yet. It has the size that was published.
 *
 * CALLBRIDGE_ERROR_STATE: callbridge_publish_video() has not been called. CALLBRIDGE_ERROR_ARGUMENT: NULL, a wrong size, a
 * stride shorter than its row. */
int32_t callbridge_push_video(callbridge_call call, const callbridge_frame *frame);

/* Mutes our track of a kind (CALLBRIDGE_AUDIO, CALLBRIDGE_VIDEO) for everybody, or lifts that (`muted` is 0).
 *
 * CALLBRIDGE_ERROR_STATE: no such track is published, or the call has ended. CALLBRIDGE_ERROR_ARGUMENT: another kind. */
int32_t callbridge_set_muted(callbridge_call call, int32_t kind, int32_t muted);

/* Leaves the call in order, and returns when that is done; CALLBRIDGE_ENDED follows. Who is not in the call yet gives joining up.
 * A call that has ended stays so, and that is no error. */
int32_t callbridge_leave(callbridge_call call);

/*
 * Leaves the call, without waiting for it, and gives the handle up. No callback of the call comes when this has returned; called
 * within one, none but that one. It waits for the callbacks of the library that run or are due by now: a callback must not wait
 * for the thread that destroys.
 *
 * CALLBRIDGE_ERROR_HANDLE: it was destroyed already.
 */
int32_t callbridge_destroy(callbridge_call call);

#ifdef __cplusplus
}
#endif
#endif
