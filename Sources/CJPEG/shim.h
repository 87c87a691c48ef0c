// The TurboJPEG API: it handles errors of libjpeg itself and returns codes, no jump crosses a caller's frames.
#pragma once
#include <turbojpeg.h>
