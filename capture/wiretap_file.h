// SPDX-License-Identifier: GPL-2.0-or-later
// What everything shares that speaks to Wireshark's wiretap.
#pragma once

#include <wiretap/wtap.h>

#include <memory>
#include <string>

namespace fabricscope::capture {

/// Wiretap's error code and the details it may add, which are ours to free: it adds some where nothing failed, too.
struct WiretapProblem {
    WiretapProblem() = default;
    WiretapProblem(const WiretapProblem&) = delete;
    WiretapProblem& operator=(const WiretapProblem&) = delete;
    ~WiretapProblem() { g_free(details); }

    /// What went wrong, in words. The details are gone then, and there is room for others.
    std::string take_text();

    int code = 0;
    gchar* details = nullptr;
};

struct WiretapClose {
    void operator()(wtap* file) const { wtap_close(file); }
};
using WiretapFile = std::unique_ptr<wtap, WiretapClose>;

/// Wiretap's initialisation, once.
void prepare_wiretap();

/// Wiretap has no way to report that, and would end the process by a signal. `give_up` does not return; to be set
/// before the first file is opened.
void when_wiretap_lacks_memory(void (*give_up)());

/// For plugins: Wireshark has initialised it, and a second time would be once too often.
void wiretap_is_prepared();

/// Null, with a problem, if the file cannot be opened. Takes care of wiretap's initialisation.
WiretapFile open_wiretap_file(const std::string& path, WiretapProblem& problem);

}  // namespace fabricscope::capture
