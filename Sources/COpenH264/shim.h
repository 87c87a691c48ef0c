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

typedef struct {
    const unsigned char *bytes;
    int count;
    bool is_key_frame;
} coh264_access_unit;

// Constrained baseline for calls: one thread, one slice, one layer, the bitrate kept, no picture left out, key frames on demand.
static inline void *coh264_encoder_new(int width, int height, int bitrate, float rate) {
    ISVCEncoder *encoder = NULL;
    if (WelsCreateSVCEncoder(&encoder) != 0 || !encoder) return NULL;
    int level = WELS_LOG_QUIET;
    (*encoder)->SetOption(encoder, ENCODER_OPTION_TRACE_LEVEL, &level);
    SEncParamExt parameters;
    (*encoder)->GetDefaultParams(encoder, &parameters);
    parameters.iUsageType = CAMERA_VIDEO_REAL_TIME;
    parameters.iPicWidth = width;
    parameters.iPicHeight = height;
    parameters.iTargetBitrate = bitrate;
    parameters.iMaxBitrate = UNSPECIFIED_BIT_RATE;
    parameters.iRCMode = RC_BITRATE_MODE;
    parameters.fMaxFrameRate = rate;
    parameters.bEnableFrameSkip = false;
    parameters.uiIntraPeriod = 0;
    parameters.uiMaxNalSize = 0;
    parameters.iMultipleThreadIdc = 1;
    parameters.bEnableDenoise = false;
    parameters.bEnableSceneChangeDetect = false;
    parameters.iComplexityMode = LOW_COMPLEXITY;
    parameters.iEntropyCodingModeFlag = 0;
    parameters.eSpsPpsIdStrategy = CONSTANT_ID;
    parameters.iTemporalLayerNum = 1;
    parameters.iSpatialLayerNum = 1;
    parameters.sSpatialLayers[0].iVideoWidth = width;
    parameters.sSpatialLayers[0].iVideoHeight = height;
    parameters.sSpatialLayers[0].fFrameRate = rate;
    parameters.sSpatialLayers[0].iSpatialBitrate = bitrate;
    parameters.sSpatialLayers[0].iMaxSpatialBitrate = UNSPECIFIED_BIT_RATE;
    parameters.sSpatialLayers[0].uiProfileIdc = PRO_BASELINE;
    parameters.sSpatialLayers[0].sSliceArgument.uiSliceMode = SM_SINGLE_SLICE;
    if ((*encoder)->InitializeExt(encoder, &parameters) != 0) {
        WelsDestroySVCEncoder(encoder);
        return NULL;
    }
    return encoder;
}

static inline void coh264_encoder_free(void *opaque) {
    ISVCEncoder *encoder = (ISVCEncoder *)opaque;
    (*encoder)->Uninitialize(encoder);
    WelsDestroySVCEncoder(encoder);
}

// 0, or what OpenH264 says.
static inline int coh264_encoder_set_rate(void *opaque, int bitrate, float rate) {
    ISVCEncoder *encoder = (ISVCEncoder *)opaque;
    SBitrateInfo info = {SPATIAL_LAYER_ALL, bitrate};
    int status = (*encoder)->SetOption(encoder, ENCODER_OPTION_BITRATE, &info);
    return status ? status : (*encoder)->SetOption(encoder, ENCODER_OPTION_FRAME_RATE, &rate);
}

// 0, or what OpenH264 says. The bytes, with start codes, stay valid until the next call.
static inline int coh264_encode(
    void *opaque, const coh264_picture *picture, long long milliseconds, bool key_frame, coh264_access_unit *unit) {
    ISVCEncoder *encoder = (ISVCEncoder *)opaque;
    if (key_frame && (*encoder)->ForceIntraFrame(encoder, true) != 0) return -1;
    SSourcePicture source;
    memset(&source, 0, sizeof(source));
    source.iColorFormat = videoFormatI420;
    source.iPicWidth = picture->width;
    source.iPicHeight = picture->height;
    source.uiTimeStamp = milliseconds;
    for (int plane = 0; plane < 3; plane++) {
        source.pData[plane] = picture->planes[plane];
        source.iStride[plane] = picture->strides[plane ? 1 : 0];
    }
    SFrameBSInfo info;
    memset(&info, 0, sizeof(info));
    int status = (*encoder)->EncodeFrame(encoder, &source, &info);
    if (status != 0) return status;
    // Layers stand one behind the other in one buffer: parameter sets, then the picture.
    unit->bytes = info.iLayerNum > 0 ? info.sLayerInfo[0].pBsBuf : NULL;
    unit->count = 0;
    for (int layer = 0; layer < info.iLayerNum; layer++) {
        const SLayerBSInfo *part = &info.sLayerInfo[layer];
        if (part->pBsBuf != unit->bytes + unit->count) return -2;
        for (int nal = 0; nal < part->iNalCount; nal++) unit->count += part->pNalLengthInByte[nal];
    }
    unit->is_key_frame = info.eFrameType == videoFrameTypeIDR;
    return 0;
}
