// What the process holds of its heap: a structure that Swift's Glibc module does not show.
#ifndef CHEAP_SHIM_H
#define CHEAP_SHIM_H

#include <malloc.h>

// Bytes in use, mapped blocks included. mallinfo2(3)
static inline long cheap_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
}

#endif
