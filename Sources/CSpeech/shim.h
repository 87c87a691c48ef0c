// Speech synthesis (espeak-ng) and sample-rate conversion (speexdsp).
#pragma once
#include <stddef.h>
#include <espeak-ng/speak_lib.h>
#include <speex/speex_resampler.h>
