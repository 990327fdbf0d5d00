// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/elements.h"

#include <glib.h>

#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <ostream>
#include <thread>

namespace fabricscope::report {
namespace {

/// Both threads go through the list, and each takes every second piece of it, as soon as it is a long one.
constexpr std::size_t piece = 256;
constexpr std::size_t flush_at = 32 * 1024;

constexpr bool is_helpers(std::size_t index) { return index / piece % 2 == 1 && index / piece > 1; }

/// Makes its pieces of a list into texts, some ahead of whoever writes them.
class Helper {
public:
    Helper(const Column& list, const void* record, const Context& context, const AppendElement& append)
        : thread_([&list, record, &context, &append, this] { make_texts(list, record, context, append); }) {}
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;

    ~Helper() {
        {
            const std::lock_guard lock(mutex_);
            abandoned_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }

    void write_next_piece(std::ostream& out) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return waiting_ != 0; });
        if (failure_) std::rethrow_exception(failure_);
        lock.unlock();
        out << texts_[first_ % texts_.size()];
        lock.lock();
        ++first_, --waiting_;
        changed_.notify_all();
    }

private:
    void make_texts(const Column& list, const void* record, const Context& context, const AppendElement& append) {
        try {
            std::size_t index = 0;
            const auto take = [&](const void* element) { append(*text_, element, false); };
            const auto is_mine = [&] {
                const std::size_t at = index++;
                if (is_helpers(at) && at % piece == 0) begin_text();
                else if (text_ != nullptr && at % piece == 0) end_text();
                return text_ != nullptr;
            };
            list.visit(record, context, {take, is_mine});
            if (text_ != nullptr) end_text();
        } catch (...) {  // memory is short
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
            ++waiting_;
            changed_.notify_all();
        }
    }

    /// There is none if nobody waits for it.
    void begin_text() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return waiting_ < texts_.size() || abandoned_; });
        if (abandoned_) return;
        text_ = &texts_[(first_ + waiting_) % texts_.size()];
        text_->clear();
    }

    void end_text() {
        text_ = nullptr;
        const std::lock_guard lock(mutex_);
        ++waiting_;
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::array<std::string, 4> texts_;  ///< a ring
    std::size_t first_ = 0;             ///< the serial number of the first that waits
    std::size_t waiting_ = 0;
    std::exception_ptr failure_;
    bool abandoned_ = false;
    std::string* text_ = nullptr;  ///< that is being made; nullptr: another's piece
    std::thread thread_;
};

}  // namespace

bool write_elements(
    std::ostream& out, const Column& list, const void* record, const Context& context, const AppendElement& append) {
    // Timelines of cursors may be so long that one at a time is enough.
    const bool is_alone = g_get_num_processors() == 1 || context.cursors;
    std::optional<Helper> helper;
    std::string text;
    const auto flush = [&] {
        out << text;
        text.clear();
    };
    std::size_t index = 0;
    const auto is_mine = [&] {
        const std::size_t at = index++;
        if (at == piece && !is_alone) helper.emplace(list, record, context, append);
        if (!helper || !is_helpers(at)) return true;
        if (at % piece == 0) {
            flush();
            helper->write_next_piece(out);
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
