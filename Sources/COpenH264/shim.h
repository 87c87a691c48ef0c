// OpenH264's C interface is a table of functions behind a pointer, which Swift can't call.
#pragma once
#include <stdbool.h>
#include <string.h>
#include <wels/codec_api.h>

typedef struct {
    unsigned char *planes[3];
    int strides[2];
    int width, height;
} coh264_picture;

static inline void *coh264_decoder_new(void) {
    ISVCDecoder *decoder = NULL;
    if (WelsCreateDecoder(&decoder) != 0 || !decoder) return NULL;
    int level = WELS_LOG_QUIET;
    (*decoder)->SetOption(decoder, DECODER_OPTION_TRACE_LEVEL, &level);
    SDecodingParam parameters;
    memset(&parameters, 0, sizeof(parameters));
    parameters.uiTargetDqLayer = 0xff;
    // A picture whose references are missing is refused, and a key frame asked for.
    parameters.eEcActiveIdc = ERROR_CON_DISABLE;
    parameters.sVideoProperty.eVideoBsType = VIDEO_BITSTREAM_DEFAULT;
    if ((*decoder)->Initialize(decoder, &parameters) != 0) {
        WelsDestroyDecoder(decoder);
        return NULL;
    }
    return decoder;
}

static inline void coh264_decoder_free(void *opaque) {
    ISVCDecoder *decoder = (ISVCDecoder *)opaque;
    (*decoder)->Uninitialize(decoder);
    WelsDestroyDecoder(decoder);
}

// 1 with a picture, 0 without one, or a negative decoding state.
static inline int coh264_decode(void *opaque, const unsigned char *bytes, int count, coh264_picture *picture) {
    ISVCDecoder *decoder = (ISVCDecoder *)opaque;
    SBufferInfo info;
    memset(&info, 0, sizeof(info));
    unsigned char *planes[3] = {NULL, NULL, NULL};
    DECODING_STATE state = (*decoder)->DecodeFrameNoDelay(decoder, bytes, count, planes, &info);
    if (state != dsErrorFree) return -(int)state;
    if (info.iBufferStatus != 1 || !planes[0] || !planes[1] || !planes[2]) return 0;
    for (int plane = 0; plane < 3; plane++) picture->planes[plane] = planes[plane];
    picture->strides[0] = info.UsrData.sSystemBuffer.iStride[0];
    picture->strides[1] = info.UsrData.sSystemBuffer.iStride[1];
    picture->width = info.UsrData.sSystemBuffer.iWidth;
    picture->height = info.UsrData.sSystemBuffer.iHeight;
    return 1;
}
