// SPDX-License-Identifier: GPL-2.0-or-later
// Wiretap forgets its buffer where a pcapng name resolution block ends too early: two kilobytes, once, for reading ends
// there. No leak of ours, so LeakSanitizer is not told of these buffers. A suppression could not name them: GLib keeps
// no frame pointers, and stacks end in it.
#include <dlfcn.h>
#include <wsutil/buffer.h>

extern "C" [[gnu::weak]] void __lsan_disable();
extern "C" [[gnu::weak]] void __lsan_enable();

/// Stands before wsutil's own.
extern "C" void ws_buffer_init(Buffer* buffer, gsize space) {
    static const auto original = reinterpret_cast<decltype(&ws_buffer_init)>(::dlsym(RTLD_NEXT, "ws_buffer_init"));
    if (__lsan_disable != nullptr) __lsan_disable();
    original(buffer, space);
    if (__lsan_enable != nullptr) __lsan_enable();
}
