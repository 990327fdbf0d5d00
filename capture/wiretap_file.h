// SPDX-License-Identifier: GPL-2.0-or-later
// What everything shares that speaks to Wireshark's wiretap.
#pragma once

#include <wiretap/wtap.h>

#include <memory>
#include <string>

namespace fabricscope::capture {

/// Wiretap's error code and the details it may add, which are ours to free.
struct WiretapProblem {
    int code = 0;
    gchar* details = nullptr;

    std::string take_text();
};

struct WiretapClose {
    void operator()(wtap* file) const { wtap_close(file); }
};
using WiretapFile = std::unique_ptr<wtap, WiretapClose>;

/// Wiretap's initialisation, once.
void prepare_wiretap();

/// For plugins: Wireshark has initialised it, and a second time would be once too often.
void wiretap_is_prepared();

/// Null, with a problem, if the file cannot be opened. Takes care of wiretap's initialisation.
WiretapFile open_wiretap_file(const std::string& path, WiretapProblem& problem);

}  // namespace fabricscope::capture
