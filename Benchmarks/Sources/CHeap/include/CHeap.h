#pragma once

#include <stddef.h>

/// Bytes that this process has taken from the heap and not given back, mapped blocks included.
size_t heap_in_use(void);
