/* A visitor: begins a conversation, writes, reads the answer, takes the call that rings, says a word in it, and goes when the
 * conversation is over.
 *
 *     talk URL KEY SECRET TOKEN IDENTITY TEXT
 *
 * KEY and SECRET are the API key that calls need; TOKEN is IDENTITY's access token. Examples/Python/talk.py is the other side.
 * Prints one line of JSON. Exit code 0 where all of it came about. */
#define _POSIX_C_SOURCE 200809L
#include <callbridge.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int sent, over, ring_outcome, call_state, threads;
static char us[256], answer[256], author[256], caller[256], ring[256], word[256];
static pthread_t callback_thread;

/* Each callback holds the lock while it notes something. */
static void begin(void) {
    pthread_mutex_lock(&lock);
    if (threads == 0 || !pthread_equal(callback_thread, pthread_self())) threads++;
    callback_thread = pthread_self();
}

static void end(void) {
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void on_error(void *user, callbridge_client client, int32_t code, const char *message) {
    (void)user; (void)client;
    fprintf(stderr, "error %d: %s\n", code, message);
}

static void on_conversation(void *user, callbridge_client client, const char *conversation, int32_t what) {
    (void)user; (void)client; (void)conversation;
    begin();
    if (what == CALLBRIDGE_CONVERSATION_ENDED) over = 1;
    end();
}

static void on_message(void *user, callbridge_client client, const callbridge_message *message) {
    (void)user; (void)client;
    begin();
    if (strcmp(message->author, us) != 0) {
        snprintf(answer, sizeof answer, "%s", message->text);
        snprintf(author, sizeof author, "%s", message->author);
    }
    end();
}

static void on_fate(
    void *user, callbridge_client client, const char *conversation, const char *id, int32_t fate, const char *reason) {
    (void)user; (void)client; (void)conversation; (void)id;
    begin();
    sent = fate;
    if (*reason) fprintf(stderr, "a message was not sent: %s\n", reason);
    end();
}

static void on_ringing(void *user, callbridge_client client, const callbridge_ringing *ringing) {
    (void)user; (void)client;
    begin();
    snprintf(ring, sizeof ring, "%s", ringing->ring);
    snprintf(caller, sizeof caller, "%s", ringing->caller);
    end();
}

static void on_ring_ended(void *user, callbridge_client client, const char *which, int32_t outcome, const char *reason) {
    (void)user; (void)client; (void)which;
    begin();
    ring_outcome = outcome;
    if (*reason) fprintf(stderr, "ringing: %s\n", reason);
    end();
}

static void on_call_state(void *user, callbridge_call call, int32_t state, const char *reason) {
    (void)user; (void)call; (void)reason;
    begin();
    call_state = state;
    end();
}

static void on_data(void *user, callbridge_call call, const char *identity, const char *topic, const uint8_t *bytes, size_t size) {
    (void)user; (void)call; (void)identity; (void)topic;
    begin();
    snprintf(word, sizeof word, "%.*s", (int)size, (const char *)bytes);
    end();
}

static void need(int32_t code, const char *what) {
    if (code == CALLBRIDGE_OK) return;
    fprintf(stderr, "%s: error %d: %s\n", what, code, callbridge_last_error());
    exit(1);
}

/* Waits until *text begins, or *number is not 0. */
static void wait_for(const char *text, const int *number, const char *what) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    pthread_mutex_lock(&lock);
    while (text ? !*text : !*number) {
        if (pthread_cond_timedwait(&changed, &lock, &until) == 0) continue;
        fprintf(stderr, "%s did not come within a minute\n", what);
        exit(1);
    }
    pthread_mutex_unlock(&lock);
}

int main(int count, char **arguments) {
    if (count != 7) {
        fprintf(stderr, "usage: talk URL KEY SECRET TOKEN IDENTITY TEXT\n");
        return 2;
    }
    snprintf(us, sizeof us, "%s", arguments[5]);
    callbridge_client_options options = {.size = sizeof options, .role = CALLBRIDGE_VISITOR};
    options.url = arguments[1];
    options.api_key = arguments[2];
    options.secret = arguments[3];
    options.token = arguments[4];
    options.identity = arguments[5];
    options.device = "talk";
    options.callbacks.error = on_error;
    options.callbacks.conversation = on_conversation;
    options.callbacks.message = on_message;
    options.callbacks.message_fate = on_fate;
    options.callbacks.ringing = on_ringing;
    options.callbacks.ring_ended = on_ring_ended;
    callbridge_client client;
    need(callbridge_client_create(&options, &client), "create");
    need(callbridge_client_start(client), "start");
    char conversation[CALLBRIDGE_ID_SIZE];
    need(callbridge_conversation_begin(client, conversation, sizeof conversation), "begin");
    need(callbridge_message_write(client, conversation, arguments[6], NULL, 0), "write");
    wait_for(NULL, &sent, "news of our message");
    wait_for(answer, NULL, "an answer");
    wait_for(ring, NULL, "a call");
    callbridge_options call_options = {.size = sizeof call_options};
    call_options.callbacks.state = on_call_state;
    call_options.callbacks.data = on_data;
    callbridge_call call;
    need(callbridge_ring_answer(client, ring, &call_options, &call), "answer");
    need(callbridge_publish_tone(call, 440), "publish a tone");
    wait_for(NULL, &ring_outcome, "what became of the call");
    wait_for(word, NULL, "a word in the call");
    need(callbridge_send_data(call, (const uint8_t *)"over", 4, "talk", NULL, 1), "send a word");
    wait_for(NULL, &over, "the end of the conversation");
    need(callbridge_leave(call), "leave");
    need(callbridge_destroy(call), "destroy the call");
    need(callbridge_client_stop(client), "stop");
    need(callbridge_client_stop(client), "stop again");
    need(callbridge_client_destroy(client), "destroy");
    int refused = callbridge_client_destroy(client) == CALLBRIDGE_ERROR_HANDLE
        && callbridge_client_start(client) == CALLBRIDGE_ERROR_HANDLE
        && callbridge_message_write(client, conversation, "x", NULL, 0) == CALLBRIDGE_ERROR_HANDLE;
    printf("{\"conversation\": \"%s\", \"author\": \"%s\", \"answer\": \"%s\", \"caller\": \"%s\", \"ring\": %d, \"word\": \"%s\", "
        "\"threads\": %d, \"refused\": %s}\n",
        conversation, author, answer, caller, ring_outcome, word, threads, refused ? "true" : "false");
    return refused && sent == CALLBRIDGE_MESSAGE_SENT && ring_outcome == CALLBRIDGE_RING_CONNECTED ? 0 : 1;
}
