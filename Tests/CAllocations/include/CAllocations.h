#pragma once

/// How often the calling thread has taken memory from the heap so far; -1 where that isn't counted (under a sanitizer,
/// which has an allocator of its own).
long allocations_of_this_thread(void);
