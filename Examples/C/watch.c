/* Joins a call, sends a tone and pictures of its own, and watches until it has seen so many pictures of somebody.
 *
 *     watch URL TOKEN PICTURES [SESSION]
 *
 * With a session it joins by the OpenTok-style dialect, otherwise by LiveKit's.
 * Prints one line of JSON. Exit code 0 where all were seen; 1 where the call ended before. */
#define _POSIX_C_SOURCE 200809L
#include <callbridge.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WIDTH = 320, HEIGHT = 180 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int state, pictures, wanted, width, height, threads;
static float loudest;
static char from[256];
static pthread_t callback_thread;

static void note_thread(void) {
    if (threads == 0 || !pthread_equal(callback_thread, pthread_self())) threads++;
    callback_thread = pthread_self();
}

static void on_state(void *user, callbridge_call call, int32_t now, const char *reason) {
    (void)user; (void)call;
    pthread_mutex_lock(&lock);
    note_thread();
    state = now;
    if (*reason) fprintf(stderr, "state %d: %s\n", now, reason);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void on_level(void *user, callbridge_call call, const char *identity, float level) {
    (void)user; (void)call; (void)identity;
    pthread_mutex_lock(&lock);
    note_thread();
    if (level > loudest) loudest = level;
    pthread_mutex_unlock(&lock);
}

static void on_frame(void *user, callbridge_call call, const char *identity, const callbridge_frame *frame) {
    (void)user; (void)call;
    pthread_mutex_lock(&lock);
    note_thread();
    snprintf(from, sizeof from, "%s", identity);
    width = frame->width;
    height = frame->height;
    pictures++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void need(int32_t code, const char *what) {
    if (code == CALLBRIDGE_OK) return;
    fprintf(stderr, "%s: error %d: %s\n", what, code, callbridge_last_error());
    exit(1);
}

/* Whatever is asked of what is none is refused, and nothing else happens. */
static int refusals(callbridge_call destroyed) {
    callbridge_options wrong = {0};
    callbridge_call none = 1;
    return callbridge_join(NULL, &none) == CALLBRIDGE_ERROR_ARGUMENT && none == 0
        && callbridge_join(&wrong, &none) == CALLBRIDGE_ERROR_ARGUMENT && *callbridge_last_error() != 0
        && callbridge_join(&wrong, NULL) == CALLBRIDGE_ERROR_ARGUMENT
        && callbridge_leave(0) == CALLBRIDGE_ERROR_HANDLE
        && callbridge_destroy(destroyed) == CALLBRIDGE_ERROR_HANDLE
        && callbridge_leave(destroyed) == CALLBRIDGE_ERROR_HANDLE
        && callbridge_push_video(destroyed, NULL) == CALLBRIDGE_ERROR_HANDLE
        && callbridge_publish_tone(destroyed, 440) == CALLBRIDGE_ERROR_HANDLE;
}

int main(int count, char **arguments) {
    if (count < 4 || count > 5) {
        fprintf(stderr, "usage: watch URL TOKEN PICTURES [SESSION]\n");
        return 2;
    }
    if (callbridge_abi_version() != CALLBRIDGE_ABI_VERSION) {
        fprintf(stderr, "libcallbridge.so has interface %u, and not %d\n", callbridge_abi_version(), CALLBRIDGE_ABI_VERSION);
        return 2;
    }
    wanted = atoi(arguments[3]);
    callbridge_options options = {.size = sizeof options, .provider = CALLBRIDGE_LIVEKIT};
    options.url = arguments[1];
    options.token = arguments[2];
    if (count == 5) {
        options.provider = CALLBRIDGE_OPENTOK;
        options.session = arguments[4];
    }
    options.callbacks.state = on_state;
    options.callbacks.audio_level = on_level;
    options.callbacks.video_frame = on_frame;
    callbridge_call call;
    need(callbridge_join(&options, &call), "join");
    int early = callbridge_push_audio(call, NULL, 0, NULL) == CALLBRIDGE_ERROR_STATE;
    need(callbridge_publish_tone(call, 440), "publish a tone");
    need(callbridge_publish_video(call, WIDTH, HEIGHT, 15), "publish pictures");
    static uint8_t luma[WIDTH * HEIGHT], chroma[WIDTH * HEIGHT / 4];
    memset(chroma, 128, sizeof chroma);
    callbridge_frame frame = {
        .y = luma, .u = chroma, .v = chroma, .y_stride = WIDTH, .u_stride = WIDTH / 2, .v_stride = WIDTH / 2,
        .width = WIDTH, .height = HEIGHT};
    pthread_mutex_lock(&lock);
    for (int number = 0; state != CALLBRIDGE_ENDED && pictures < wanted; number++) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 66000000;
        if (until.tv_nsec >= 1000000000) { until.tv_sec++; until.tv_nsec -= 1000000000; }
        pthread_cond_timedwait(&changed, &lock, &until);
        pthread_mutex_unlock(&lock);
        /* A band that wanders. */
        for (int row = 0; row < HEIGHT; row++) memset(luma + row * WIDTH, (row + number) % 64 < 32 ? 200 : 60, WIDTH);
        need(callbridge_push_video(call, &frame), "push a picture");
        pthread_mutex_lock(&lock);
    }
    int seen = pictures;
    pthread_mutex_unlock(&lock);
    need(callbridge_set_muted(call, CALLBRIDGE_AUDIO, 1), "mute");
    need(callbridge_leave(call), "leave");
    need(callbridge_destroy(call), "destroy");
    int refused = early && refusals(call);
    printf("{\"version\": \"%s\", \"from\": \"%s\", \"pictures\": %d, \"width\": %d, \"height\": %d, \"loudest\": %.4f, "
        "\"threads\": %d, \"refused\": %s}\n",
        callbridge_version(), from, seen, width, height, loudest, threads, refused ? "true" : "false");
    return seen >= wanted && refused ? 0 : 1;
}
