// vpx_codec_{enc,dec}_init and vpx_codec_control are macros over versioned or variadic functions.
#pragma once
#include <vpx/vp8cx.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>
#include <vpx/vpx_encoder.h>

static inline vpx_codec_err_t cvpx_encoder_init(vpx_codec_ctx_t *c, vpx_codec_iface_t *i, const vpx_codec_enc_cfg_t *cfg) {
    return vpx_codec_enc_init(c, i, cfg, 0);
}

static inline vpx_codec_err_t cvpx_decoder_init(vpx_codec_ctx_t *c, vpx_codec_iface_t *i, const vpx_codec_dec_cfg_t *cfg) {
    return vpx_codec_dec_init(c, i, cfg, 0);
}

static inline vpx_codec_err_t cvpx_set(vpx_codec_ctx_t *c, int id, int value) { return vpx_codec_control_(c, id, value); }

static inline vpx_codec_err_t cvpx_get(vpx_codec_ctx_t *c, int id, int *value) { return vpx_codec_control_(c, id, value); }

static inline vpx_enc_frame_flags_t cvpx_force_key_frame(void) { return VPX_EFLAG_FORCE_KF; }
