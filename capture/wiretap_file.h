// SPDX-License-Identifier: GPL-2.0-or-later
// What everything shares that speaks to Wireshark's wiretap.
#pragma once

#include <wiretap/wtap.h>
#include <wsutil/buffer.h>

#include <cstdint>
#include <memory>
#include <string>

#include "capture/wireshark_version.h"
#include "protocols/layout/types.h"

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

/// A record of a file, and its octets.
class WiretapRecord {
public:
    WiretapRecord();
    WiretapRecord(const WiretapRecord&) = delete;
    WiretapRecord& operator=(const WiretapRecord&) = delete;
    ~WiretapRecord();

    wtap_rec* operator->() { return &record_; }
    const wtap_rec* operator->() const { return &record_; }
    const std::uint8_t* octets() const { return ws_buffer_start_ptr(&buffer_); }

    /// Frees what belongs to it, for the next one.
    void reset();
    void assign(ByteView octets);
    /// The next record of the file. False at its end, or with a problem.
    bool read(wtap* file, WiretapProblem& problem);
    bool write(wtap_dumper* file, WiretapProblem& problem) const;

private:
    wtap_rec record_;
#if FABRICSCOPE_WIRESHARK_VERSION >= 406
    Buffer& buffer_ = record_.data;
#else
    Buffer buffer_;
#endif
};

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
