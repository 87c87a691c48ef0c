/*
 * callbridge.h: real WebRTC calls from C, and from whatever can call C.
 *
 * Link libcallbridge.so, or load it. Its symbols have the versions CALLBRIDGE_1.0 and, for clients of a conversation service, ringing and data,
 * CALLBRIDGE_1.1; there are no others.
 *
 * Handles are numbers that are never given twice: one that was destroyed, or never was, is refused with
 * CALLBRIDGE_ERROR_HANDLE. Each handle that was given is to be destroyed, also that of a call that has ended: until
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
    /* Since CALLBRIDGE_1.1. `size` bytes that somebody has sent to us or to all; `topic` may be empty. `identity` is empty where the
     * server speaks. */
    void (*data)(void *user_data, callbridge_call call, const char *identity, const char *topic, const uint8_t *bytes, size_t size);
} callbridge_callbacks;

/* How a call is joined. */
typedef struct callbridge_options {
    uint32_t size;         /* sizeof(callbridge_options): later versions add fields at the end, in callbacks too */
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

/*
 * Sends bytes to somebody in the call, or to all others (`identity` is NULL). Waits until we are in the call, and not for who gets them.
 * `topic` may be NULL. `reliable` is 1 for what arrives, and in order; 0 for what arrives at once or not at all. Since CALLBRIDGE_1.1.
 *
 * CALLBRIDGE_ERROR_ARGUMENT: bytes are NULL and size is not 0, more than 15000 bytes, a topic of more than 256 bytes.
 * CALLBRIDGE_ERROR_STATE: the call has ended. CALLBRIDGE_ERROR_REFUSED: we may send no data, or the provider has none.
 */
int32_t callbridge_send_data(
    callbridge_call call, const uint8_t *bytes, size_t size, const char *topic, const char *identity, int32_t reliable);

/*
 * Conversations. All that follows is there since CALLBRIDGE_1.1.
 *
 * A client is a visitor's or an agent's at a conversation service: it begins conversations or takes them from the queue, writes and
 * reads messages, and joins their calls, which are calls as above. A connection that is lost comes back by itself; messages wait for it.
 */

/* A client; 0 is none. No call has the number of a client. */
typedef uint64_t callbridge_client;

/* Whose a client is. */
#define CALLBRIDGE_VISITOR 1
#define CALLBRIDGE_AGENT 2

/* Where a client stands. */
#define CALLBRIDGE_CLIENT_STARTING 1
#define CALLBRIDGE_CLIENT_READY 2
/* It may be started again. */
#define CALLBRIDGE_CLIENT_STOPPED 3
/* Final: destroy it, and make another one. */
#define CALLBRIDGE_CLIENT_FAILED 4

/* What has happened to a conversation: it is new to us or has changed, or it is over. */
#define CALLBRIDGE_CONVERSATION_CHANGED 1
#define CALLBRIDGE_CONVERSATION_ENDED 2

/* What has become of a message of our own: the service has it, or it will not be sent. */
#define CALLBRIDGE_MESSAGE_SENT 1
#define CALLBRIDGE_MESSAGE_FAILED 2

/* What has become of ringing. */
#define CALLBRIDGE_RING_CONNECTED 1  /* the call goes on here */
#define CALLBRIDGE_RING_DECLINED 2   /* declined, here or on another device of the same person; or by whom we called */
#define CALLBRIDGE_RING_MISSED 3     /* it rang in vain */
#define CALLBRIDGE_RING_ELSEWHERE 4  /* somebody else answered, or another device */
#define CALLBRIDGE_RING_ENDED 5      /* given up, by us or by the caller */
#define CALLBRIDGE_RING_FAILED 6     /* something failed; the reason says what */

/* Bytes for an identifier that is given back, the final 0 included. */
#define CALLBRIDGE_ID_SIZE 256

/* A message of somebody's, ourselves included. */
typedef struct callbridge_message {
    const char *conversation;
    const char *id;        /* what callbridge_message_write() gave its author; another client may use the same one */
    const char *author;    /* an identity */
    const char *text;      /* 1 to 8192 bytes; a 0 within it ends it */
    int64_t number;        /* its place in the conversation: 1, 2, 3 and so on */
    int64_t sent_ms;       /* when the service took it, milliseconds of Unix time */
} callbridge_message;

/* A call that rings here. */
typedef struct callbridge_ringing {
    const char *ring;          /* for callbridge_ring_answer() and callbridge_ring_decline() */
    const char *conversation;
    const char *caller;        /* an identity */
    const char *caller_name;   /* for people; may be empty */
    int32_t kind;              /* CALLBRIDGE_AUDIO, or CALLBRIDGE_VIDEO for sound and pictures */
    int64_t until_ms;          /* until when it rings, milliseconds of Unix time */
} callbridge_ringing;

/*
 * Who is told. Any function may be NULL. `user_data` must live until callbridge_client_destroy() has returned. What holds of the
 * callbacks of calls holds of these: one thread, one at a time, in the order of what happened.
 */
typedef struct callbridge_client_callbacks {
    void *user_data;
    /* The client stands so now, CALLBRIDGE_CLIENT_STARTING to CALLBRIDGE_CLIENT_FAILED. */
    void (*state)(void *user_data, callbridge_client client, int32_t state);
    /* Whether the service can be reached (1) or not (0). Losing it is no error. */
    void (*online)(void *user_data, callbridge_client client, int32_t online);
    /* Something went wrong that no function has returned: a number as functions return, and a sentence for people. */
    void (*error)(void *user_data, callbridge_client client, int32_t code, const char *message);
    /* Whether an agent is there to answer. */
    void (*availability)(void *user_data, callbridge_client client, int32_t available);
    /* A conversation: CALLBRIDGE_CONVERSATION_CHANGED or CALLBRIDGE_CONVERSATION_ENDED. Agents are told of those that wait in the
     * queue, too. */
    void (*conversation)(void *user_data, callbridge_client client, const char *conversation, int32_t what);
    /* A message; each once, and in its conversation's order. */
    void (*message)(void *user_data, callbridge_client client, const callbridge_message *message);
    /* What has become of a message of our own, by its id. `reason` is empty where it was sent. */
    void (*message_fate)(
        void *user_data, callbridge_client client, const char *conversation, const char *id, int32_t fate, const char *reason);
    /* A call rings here, until callbridge_ring_answer(), callbridge_ring_decline(), or `ring_ended`. */
    void (*ringing)(void *user_data, callbridge_client client, const callbridge_ringing *ringing);
    /* What has become of ringing, here or of a call that we have placed: CALLBRIDGE_RING_CONNECTED to CALLBRIDGE_RING_FAILED, once for each. */
    void (*ring_ended)(void *user_data, callbridge_client client, const char *ring, int32_t outcome, const char *reason);
} callbridge_client_callbacks;

/* What a client is made from. */
typedef struct callbridge_client_options {
    uint32_t size;          /* sizeof(callbridge_client_options): later versions add fields at the end */
    int32_t role;           /* CALLBRIDGE_VISITOR or CALLBRIDGE_AGENT */
    const char *url;        /* http:// or https://, at most 2048 bytes */
    const char *api_key;    /* names the application, at most 128 bytes */
    const char *token;      /* an access token, at most 65536 bytes; it is not logged */
    const char *name;       /* ours, for people, at most 256 bytes; may be NULL */
    const char *secret;     /* of the API key, at most 1024 bytes; not logged. NULL: neither calls nor ringing */
    const char *identity;   /* with `secret`: who is rung here, the token's identity. NULL: nobody. At most 256 bytes */
    const char *device;     /* with `identity`: a name of this device, unlike those of our other ones. At most 256 bytes */
    callbridge_client_callbacks callbacks;
} callbridge_client_options;

/*
 * Makes a client, and returns at once; nothing is asked of the service yet. `client` gets the handle, 0 where it fails.
 *
 * CALLBRIDGE_ERROR_ARGUMENT: NULL, `size` is wrong, the role is unknown, a text is missing, too long or makes no sense, an identity
 * without secret or device.
 */
int32_t callbridge_client_create(const callbridge_client_options *options, callbridge_client *client);

/*
 * Starts, and returns when conversations may be used, and when calls ring here where there is an identity. A client that runs is
 * started already, and that is no error.
 *
 * CALLBRIDGE_ERROR_REFUSED: the token or the key. CALLBRIDGE_ERROR_NETWORK: nobody answers within 30 seconds.
 * CALLBRIDGE_ERROR_STATE: it was stopped meanwhile, or has failed.
 */
int32_t callbridge_client_start(callbridge_client client);

/* Stops, and returns when the connection is gone; its calls end. It may be started again. A client that has stopped stays so, and
 * that is no error. */
int32_t callbridge_client_stop(callbridge_client client);

/* A new token, for a client whose one was refused or is used up. It is copied. Conversations and calls go on. */
int32_t callbridge_client_set_token(callbridge_client client, const char *token);

/* An agent is there to answer (1), or no longer (0). Waits for the service.
 *
 * CALLBRIDGE_ERROR_REFUSED: the client is a visitor's. CALLBRIDGE_ERROR_STATE: it is not started. */
int32_t callbridge_client_set_available(callbridge_client client, int32_t available);

/*
 * Begins a conversation, and returns when the service has it and it is open. `conversation` gets its identifier, with a final 0;
 * `capacity` is how many bytes are there, CALLBRIDGE_ID_SIZE at least.
 *
 * CALLBRIDGE_ERROR_STATE: the client is not started, or another conversation is open. CALLBRIDGE_ERROR_REFUSED: the service does.
 */
int32_t callbridge_conversation_begin(callbridge_client client, char *conversation, size_t capacity);

/* Opens a conversation that exists. At most one is open.
 *
 * CALLBRIDGE_ERROR_STATE: another one is open, or there is no such conversation. */
int32_t callbridge_conversation_open(callbridge_client client, const char *conversation);

/* Closes the one that is open, if there is one. It goes on at the service. */
int32_t callbridge_conversation_close(callbridge_client client);

/* Comes to a conversation: an agent to one of the queue. Waits for the service. */
int32_t callbridge_conversation_join(callbridge_client client, const char *conversation);

/* Ends a conversation for everybody, and its call with it. Waits for the service. */
int32_t callbridge_conversation_end(callbridge_client client, const char *conversation);

/*
 * Writes: 1 to 8192 bytes, copied. Returns at once; `message_fate` tells what becomes of it. `id` gets its identifier, as
 * callbridge_conversation_begin() gives one; it may be NULL, `capacity` is not read then.
 *
 * CALLBRIDGE_ERROR_ARGUMENT: no text or too much of it, too many messages wait. CALLBRIDGE_ERROR_STATE: no such conversation.
 */
int32_t callbridge_message_write(callbridge_client client, const char *conversation, const char *text, char *id, size_t capacity);

/*
 * Joins the call of a conversation, and begins one where there is none: returns at once, as callbridge_join(). Of `options` size and
 * callbacks are read; where the call goes is the service's to say. `kind` is CALLBRIDGE_AUDIO, or CALLBRIDGE_VIDEO for sound and
 * pictures; what is published is another matter. A client is in one call of a conversation: another handle for it is of the same call.
 *
 * CALLBRIDGE_ERROR_STATE: the client was made without `secret`.
 */
int32_t callbridge_conversation_call(
    callbridge_client client, const char *conversation, int32_t kind, const callbridge_options *options, callbridge_call *call);

/*
 * Calls somebody of a conversation on their devices, and returns when the exchange has been asked: the call is
 * CALLBRIDGE_CONNECTING until somebody answers, and CALLBRIDGE_ENDED where nobody does. Leaving it gives the ringing up. Of `options`
 * size and callbacks are read.
 *
 * CALLBRIDGE_ERROR_STATE: the client was made without `identity`, or is not started.
 */
int32_t callbridge_ring(
    callbridge_client client, const char *conversation, int32_t kind, const char *identity, const callbridge_options *options,
    callbridge_call *call);

/* Answers a call that rings here, by what `ringing` has told of it; `call` gets the call, as callbridge_join() gives it.
 *
 * CALLBRIDGE_ERROR_STATE: it rings no longer, or was answered. */
int32_t callbridge_ring_answer(callbridge_client client, const char *ring, const callbridge_options *options, callbridge_call *call);

/* Declines a call that rings here.
 *
 * CALLBRIDGE_ERROR_STATE: it rings no longer, or was answered. */
int32_t callbridge_ring_decline(callbridge_client client, const char *ring);

/*
 * Stops the client, without waiting for it, and gives the handle up. No callback of the client comes when this has returned; called
 * within one, none but that one. Its calls end, and their handles are to be destroyed, too. It waits as callbridge_destroy() does.
 *
 * CALLBRIDGE_ERROR_HANDLE: it was destroyed already.
 */
int32_t callbridge_client_destroy(callbridge_client client);

#ifdef __cplusplus
}
#endif
#endif
