// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/wiretap_file.h"

#include <wsutil/wslog.h>

#include <mutex>
#include <utility>

namespace fabricscope::capture {
namespace {

std::once_flag initialised;

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
        wtap_init(false);
    });
}

void wiretap_is_prepared() {
    std::call_once(initialised, [] {});
}

WiretapFile open_wiretap_file(const std::string& path, WiretapProblem& problem) {
    prepare_wiretap();
    return WiretapFile(wtap_open_offline(path.c_str(), WTAP_TYPE_AUTO, &problem.code, &problem.details, false));
}

}  // namespace fabricscope::capture
