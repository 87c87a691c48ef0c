// libavformat's Matroska and WebM, looked up at run time: it brings some ninety libraries along, and only what records or
// composes needs it. The headers this is compiled with name the version that is loaded.
#pragma once
#include <dlfcn.h>
#include <errno.h>
#include <libavformat/avformat.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CAV_FUNCTIONS(X)                                                                                               \
    X(avformat_alloc_output_context2)                                                                                  \
    X(avformat_new_stream)                                                                                             \
    X(avformat_write_header)                                                                                           \
    X(avformat_free_context)                                                                                           \
    X(avformat_open_input)                                                                                             \
    X(avformat_close_input)                                                                                            \
    X(av_read_frame)                                                                                                   \
    X(av_write_frame)                                                                                                  \
    X(av_write_trailer)                                                                                                \
    X(avio_alloc_context)                                                                                              \
    X(avio_context_free)                                                                                               \
    X(avio_flush)                                                                                                      \
    X(av_packet_alloc)                                                                                                 \
    X(av_packet_free)                                                                                                  \
    X(av_packet_unref)                                                                                                 \
    X(av_packet_rescale_ts)                                                                                            \
    X(av_malloc)                                                                                                       \
    X(av_mallocz)                                                                                                      \
    X(av_freep)                                                                                                        \
    X(av_dict_set)                                                                                                     \
    X(av_dict_set_int)                                                                                                 \
    X(av_dict_free)                                                                                                    \
    X(av_log_set_level)                                                                                                \
    X(av_strerror)

#define CAV_MEMBER(name) __typeof__(&name) name;
typedef struct {
    CAV_FUNCTIONS(CAV_MEMBER)
} cav_api;

#define CAV_TEXT_(x) #x
#define CAV_TEXT(x) CAV_TEXT_(x)
#define CAV_LIBRARY "libavformat.so." CAV_TEXT(LIBAVFORMAT_VERSION_MAJOR)

// 0 where the library is there and complete. It stays loaded, and says nothing on standard error.
static inline int cav_load(cav_api *api) {
    void *library = dlopen(CAV_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) return -1;
#define CAV_LOOK_UP(name)                                                                                              \
    api->name = (__typeof__(&name))dlsym(library, #name);                                                              \
    if (!api->name) return -1;
    CAV_FUNCTIONS(CAV_LOOK_UP)
    api->av_log_set_level(AV_LOG_QUIET);
    return 0;
}

static inline const char *cav_library_name(void) { return CAV_LIBRARY; }

enum cav_codec { cav_opus, cav_vp8, cav_vp9, cav_av1, cav_h264, cav_other };

static inline enum AVCodecID cav_codec_id(int codec) {
    switch (codec) {
    case cav_opus: return AV_CODEC_ID_OPUS;
    case cav_vp8: return AV_CODEC_ID_VP8;
    case cav_vp9: return AV_CODEC_ID_VP9;
    case cav_av1: return AV_CODEC_ID_AV1;
    case cav_h264: return AV_CODEC_ID_H264;
    default: return AV_CODEC_ID_NONE;
    }
}

static inline int cav_codec_of(enum AVCodecID id) {
    for (int codec = cav_opus; codec < cav_other; codec++)
        if (cav_codec_id(codec) == id) return codec;
    return cav_other;
}

// MARK: Writing

typedef struct {
    const cav_api *api;
    AVFormatContext *context;
    AVIOContext *io;
    AVPacket *packet;
    int descriptor;
    int failure; // errno of the first write that failed
    int64_t position, size;
    int64_t limit; // bytes that the file may have
} cav_muxer;

#if LIBAVFORMAT_VERSION_MAJOR >= 61
typedef const uint8_t cav_byte;
#else
typedef uint8_t cav_byte;
#endif

static inline int cav_sink_write(void *opaque, cav_byte *bytes, int count) {
    cav_muxer *muxer = (cav_muxer *)opaque;
    int done = 0;
    if (muxer->position + count > muxer->limit && !muxer->failure) muxer->failure = EFBIG;
    while (done < count && !muxer->failure) {
        ssize_t written = pwrite(muxer->descriptor, bytes + done, count - done, muxer->position);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            muxer->failure = written < 0 ? errno : ENOSPC;
            break;
        }
        done += (int)written;
        muxer->position += written;
        if (muxer->position > muxer->size) muxer->size = muxer->position;
    }
    return muxer->failure ? AVERROR(muxer->failure) : count;
}

static inline int64_t cav_sink_seek(void *opaque, int64_t offset, int whence) {
    cav_muxer *muxer = (cav_muxer *)opaque;
    switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE: return muxer->size;
    case SEEK_CUR: offset += muxer->position; break;
    case SEEK_END: offset += muxer->size; break;
    default: break;
    }
    if (offset < 0) return AVERROR(EINVAL);
    return muxer->position = offset;
}

// Frees all but the descriptor, which stays the caller's.
static inline void cav_muxer_free(cav_muxer *muxer) {
    if (!muxer) return;
    const cav_api *api = muxer->api;
    if (muxer->packet) api->av_packet_free(&muxer->packet);
    if (muxer->context) api->avformat_free_context(muxer->context);
    if (muxer->io) {
        api->av_freep(&muxer->io->buffer);
        api->avio_context_free(&muxer->io);
    }
    free(muxer);
}

static inline cav_muxer *cav_muxer_new(
    const cav_api *api, int descriptor, const char *format, int64_t limit) {
    cav_muxer *muxer = (cav_muxer *)calloc(1, sizeof(cav_muxer));
    if (!muxer) return NULL;
    muxer->api = api;
    muxer->descriptor = descriptor;
    muxer->limit = limit;
    const int room = 1 << 16;
    unsigned char *buffer = (unsigned char *)api->av_malloc(room);
    if (buffer) muxer->io = api->avio_alloc_context(buffer, room, 1, muxer, NULL, cav_sink_write, cav_sink_seek);
    muxer->packet = api->av_packet_alloc();
    if (!muxer->io || !muxer->packet ||
        api->avformat_alloc_output_context2(&muxer->context, NULL, format, NULL) < 0) {
        cav_muxer_free(muxer);
        return NULL;
    }
    muxer->context->pb = muxer->io;
    muxer->context->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
    return muxer;
}

static inline AVStream *cav_stream(cav_muxer *muxer, int codec, const uint8_t *setup, int length) {
    AVStream *stream = muxer->api->avformat_new_stream(muxer->context, NULL);
    if (!stream) return NULL;
    stream->codecpar->codec_id = cav_codec_id(codec);
    stream->time_base = (AVRational){1, 1000};
    if (length > 0) {
        uint8_t *copy = (uint8_t *)muxer->api->av_mallocz(length + AV_INPUT_BUFFER_PADDING_SIZE);
        if (!copy) return NULL;
        memcpy(copy, setup, length);
        stream->codecpar->extradata = copy;
        stream->codecpar->extradata_size = length;
    }
    return stream;
}

// 0, or -1.
static inline int cav_add_audio(cav_muxer *muxer, int codec, int rate, int channels, const uint8_t *setup, int length) {
    AVStream *stream = cav_stream(muxer, codec, setup, length);
    if (!stream) return -1;
    stream->codecpar->codec_type = AVMEDIA_TYPE_AUDIO;
    stream->codecpar->sample_rate = rate;
    stream->codecpar->ch_layout.order = AV_CHANNEL_ORDER_NATIVE;
    stream->codecpar->ch_layout.nb_channels = channels;
    stream->codecpar->ch_layout.u.mask = channels == 1 ? AV_CH_LAYOUT_MONO : AV_CH_LAYOUT_STEREO;
    return 0;
}

// 0, or -1.
static inline int cav_add_video(cav_muxer *muxer, int codec, int width, int height, const uint8_t *setup, int length) {
    AVStream *stream = cav_stream(muxer, codec, setup, length);
    if (!stream) return -1;
    stream->codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
    stream->codecpar->width = width;
    stream->codecpar->height = height;
    return 0;
}

// Writes the header; 0, or a negative error.
static inline int cav_begin(cav_muxer *muxer, int cluster_milliseconds) {
    AVDictionary *options = NULL;
    muxer->api->av_dict_set_int(&options, "cluster_time_limit", cluster_milliseconds, 0);
    muxer->api->av_dict_set(&options, "write_crc32", "0", 0);
    int result = muxer->api->avformat_write_header(muxer->context, &options);
    muxer->api->av_dict_free(&options);
    muxer->api->avio_flush(muxer->io);
    return muxer->failure ? AVERROR(muxer->failure) : result < 0 ? result : 0;
}

// Adds a frame; times in milliseconds. What is written stands in the file once its cluster is complete.
static inline int cav_add(
    cav_muxer *muxer, int stream, const uint8_t *bytes, int count, int64_t time, int64_t duration, int is_key) {
    AVPacket *packet = muxer->packet;
    packet->data = (uint8_t *)bytes;
    packet->size = count;
    packet->stream_index = stream;
    packet->pts = packet->dts = time;
    packet->duration = duration;
    packet->flags = is_key ? AV_PKT_FLAG_KEY : 0;
    muxer->api->av_packet_rescale_ts(packet, (AVRational){1, 1000}, muxer->context->streams[stream]->time_base);
    int result = muxer->api->av_write_frame(muxer->context, packet);
    packet->data = NULL;
    packet->size = 0;
    muxer->api->avio_flush(muxer->io);
    return muxer->failure ? AVERROR(muxer->failure) : result < 0 ? result : 0;
}

// Completes the file: duration, index. 0, or a negative error.
static inline int cav_end(cav_muxer *muxer) {
    int result = muxer->api->av_write_trailer(muxer->context);
    muxer->api->avio_flush(muxer->io);
    return muxer->failure ? AVERROR(muxer->failure) : result < 0 ? result : 0;
}

// MARK: Reading

typedef struct {
    const cav_api *api;
    AVFormatContext *context;
    AVPacket *packet;
} cav_demuxer;

static inline void cav_demuxer_free(cav_demuxer *demuxer) {
    if (!demuxer) return;
    if (demuxer->packet) demuxer->api->av_packet_free(&demuxer->packet);
    if (demuxer->context) demuxer->api->avformat_close_input(&demuxer->context);
    free(demuxer);
}

static inline cav_demuxer *cav_demuxer_new(const cav_api *api, const char *path, int *error) {
    cav_demuxer *demuxer = (cav_demuxer *)calloc(1, sizeof(cav_demuxer));
    if (!demuxer) return NULL;
    demuxer->api = api;
    demuxer->packet = api->av_packet_alloc();
    *error = demuxer->packet ? api->avformat_open_input(&demuxer->context, path, NULL, NULL) : AVERROR(ENOMEM);
    if (*error < 0) {
        cav_demuxer_free(demuxer);
        return NULL;
    }
    return demuxer;
}

static inline int cav_stream_count(const cav_demuxer *demuxer) { return (int)demuxer->context->nb_streams; }
static inline int cav_stream_codec(const cav_demuxer *demuxer, int stream) {
    return cav_codec_of(demuxer->context->streams[stream]->codecpar->codec_id);
}

// The next frame in the demuxer's packet: its stream, or a negative number at the end of the file.
static inline int cav_next(cav_demuxer *demuxer) {
    demuxer->api->av_packet_unref(demuxer->packet);
    if (demuxer->api->av_read_frame(demuxer->context, demuxer->packet) < 0) return -1;
    AVStream *stream = demuxer->context->streams[demuxer->packet->stream_index];
    demuxer->api->av_packet_rescale_ts(demuxer->packet, stream->time_base, (AVRational){1, 1000});
    return demuxer->packet->stream_index;
}

static inline void cav_describe(const cav_api *api, int error, char *text, size_t room) {
    if (api->av_strerror(error, text, room) < 0) text[0] = 0;
}
