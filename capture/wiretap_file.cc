// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/wiretap_file.h"

#include <wsutil/wslog.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace fabricscope::capture {
namespace {

std::once_flag initialised;
void (*out_of_memory)();

/// GLib itself would end the process by a signal.
void listen_for_lack_of_memory() {
    constexpr auto fatal = static_cast<GLogLevelFlags>(G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION);
    const auto handler = [](const gchar*, GLogLevelFlags, const gchar*, gpointer) { out_of_memory(); };
    if (out_of_memory != nullptr) g_log_set_handler("GLib", fatal, handler, nullptr);
}

}  // namespace

std::string WiretapProblem::take_text() {
    std::string text = code == WTAP_ERR_SHORT_READ ? "truncated file: it ends in the middle of a record"
                                                   : wtap_strerror(code);
    if (details != nullptr) text.append(" (").append(details).append(")");
    g_free(std::exchange(details, nullptr));
    return text;
}

// A record holds its octets itself, as of Wireshark 4.6.
#if FABRICSCOPE_WIRESHARK_VERSION >= 406

WiretapRecord::WiretapRecord() { wtap_rec_init(&record_, WTAP_MAX_PACKET_SIZE_STANDARD); }
WiretapRecord::~WiretapRecord() { wtap_rec_cleanup(&record_); }

bool WiretapRecord::read(wtap* file, WiretapProblem& problem) {
    reset();
    gint64 offset;
    return wtap_read(file, &record_, &problem.code, &problem.details, &offset);
}

bool WiretapRecord::write(wtap_dumper* file, WiretapProblem& problem) const {
    return wtap_dump(file, &record_, &problem.code, &problem.details);
}

#else

WiretapRecord::WiretapRecord() {
    wtap_rec_init(&record_);
    ws_buffer_init(&buffer_, WTAP_MAX_PACKET_SIZE_STANDARD);
}
WiretapRecord::~WiretapRecord() {
    ws_buffer_free(&buffer_);
    wtap_rec_cleanup(&record_);
}

bool WiretapRecord::read(wtap* file, WiretapProblem& problem) {
    reset();
    gint64 offset;
    return wtap_read(file, &record_, &buffer_, &problem.code, &problem.details, &offset);
}

bool WiretapRecord::write(wtap_dumper* file, WiretapProblem& problem) const {
    return wtap_dump(file, &record_, octets(), &problem.code, &problem.details);
}

#endif

void WiretapRecord::reset() { wtap_rec_reset(&record_); }

void WiretapRecord::assign(ByteView octets) {
    ws_buffer_clean(&buffer_);
    ws_buffer_assure_space(&buffer_, octets.size());
    std::ranges::copy(octets, ws_buffer_end_ptr(&buffer_));
    ws_buffer_increase_length(&buffer_, octets.size());
}

void prepare_wiretap() {
    std::call_once(initialised, [] {
    // Without it every debug message is shown.
#if FABRICSCOPE_WIRESHARK_VERSION >= 406
        ws_log_init(nullptr);
#else
        ws_log_init("fabricscope", nullptr);
#endif
        listen_for_lack_of_memory();
        wtap_init(false);
    });
}

void when_wiretap_lacks_memory(void (*give_up)()) { out_of_memory = give_up; }

void wiretap_is_prepared() {
    std::call_once(initialised, [] {});
}

WiretapFile open_wiretap_file(const std::string& path, WiretapProblem& problem) {
    prepare_wiretap();
    return WiretapFile(wtap_open_offline(path.c_str(), WTAP_TYPE_AUTO, &problem.code, &problem.details, false));
}

}  // namespace fabricscope::capture
