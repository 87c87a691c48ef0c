// Speech synthesis (espeak-ng) and sample-rate conversion (speexdsp).
#pragma once
#include <stddef.h>
#include <espeak-ng/speak_lib.h>
#include <speex/speex_resampler.h>

// From 1.52 on, which begins with the time of day: the same text would sound otherwise in each process.
extern int espeak_ng_SetRandSeed(long seed) __attribute__((weak));
static inline void cspeech_seed(long seed) {
    if (espeak_ng_SetRandSeed) espeak_ng_SetRandSeed(seed);
}
