#pragma once

/// How often the calling thread has taken memory from the heap so far; -1 where that isn't counted (under a sanitizer,
/// which has an allocator of its own).
long allocations_of_this_thread(void);

/// Bytes of the heap that are in use by all threads; -1 under a sanitizer.
long heap_in_use(void);
