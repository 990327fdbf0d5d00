// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/elements.h"

#include <glib.h>

#include <optional>
#include <ostream>

#include "capture/ring.h"

namespace fabricscope::report {
namespace {

/// Both threads go through the list, and each takes every second piece of it, as soon as it is a long one.
constexpr std::size_t piece = 256;
constexpr std::size_t flush_at = 32 * 1024;

constexpr bool is_helpers(std::size_t index) { return index / piece % 2 == 1 && index / piece > 1; }

using Texts = capture::Ring<std::string, 4>;

/// Makes the helper's pieces of a list into texts.
void make_texts(
    Texts& texts, const Column& list, const void* record, const Context& context, const AppendElement& append) {
    std::size_t index = 0;
    std::string* text = nullptr;  // nullptr: in another's piece, or nobody waits
    const auto is_mine = [&] {
        const std::size_t at = index++;
        if (at % piece != 0) return text != nullptr;
        if (text != nullptr) texts.filled();
        text = is_helpers(at) ? texts.free_slot() : nullptr;
        if (text != nullptr) text->clear();
        return text != nullptr;
    };
    list.visit(record, context, {[&](const void* element) { append(*text, element, false); }, is_mine});
    if (text != nullptr) texts.filled();
}

}  // namespace

bool write_elements(
    std::ostream& out, const Column& list, const void* record, const Context& context, const AppendElement& append) {
    // Timelines of cursors may be so long that one at a time is enough.
    const bool is_alone = g_get_num_processors() == 1 || context.cursors;
    std::optional<Texts> helper;
    std::string text;
    const auto flush = [&] {
        out << text;
        text.clear();
    };
    std::size_t index = 0;
    const auto is_mine = [&] {
        const std::size_t at = index++;
        if (at == piece && !is_alone)
            helper.emplace([&](Texts& texts) { make_texts(texts, list, record, context, append); });
        if (!helper || !is_helpers(at)) return true;
        if (at % piece == 0) {
            flush();
            out << helper->take();
        }
        return false;
    };
    const auto take = [&](const void* element) {
        append(text, element, index == 1);
        if (text.size() >= flush_at) flush();
    };
    list.visit(record, context, {take, is_mine});
    flush();
    return index != 0;
}

}  // namespace fabricscope::report
