// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/wiretap_file.h"

#include <wsutil/wslog.h>

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

void prepare_wiretap() {
    std::call_once(initialised, [] {
        ws_log_init("fabricscope", nullptr);  // without it every debug message is shown
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
