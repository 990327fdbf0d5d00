// SPDX-License-Identifier: GPL-2.0-or-later
// A network interface of this host, by libpcap: whole frames are read from it and written to it.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "capture/frame.h"

namespace fabricscope::capture {

/// The problem is told to the user as it stands: "eth0: ...".
struct InterfaceError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The user's filter makes no sense.
struct FilterError : InterfaceError {
    using InterfaceError::InterfaceError;
};

inline constexpr int default_buffer_mib = 32;

struct InterfaceOptions {
    std::string filter;                                 ///< BPF, as tcpdump takes it; empty: all frames
    bool promiscuous = true;                            ///< frames to other hosts, too
    bool own_frames = true;                             ///< what this host sends, too
    std::uint32_t snap_length = unlimited_snap_length;  ///< octets of a frame that are kept
    int buffer_mib = default_buffer_mib;                ///< of the kernel, for frames that have not been read yet
    bool immediate = false;  ///< each frame at once; otherwise up to 20 ms late, and a burst loses less
};

/// Needs CAP_NET_RAW. Not thread-safe.
class Interface {
public:
    /// `name` as libpcap has it: "eth0", "any". Throws InterfaceError, FilterError.
    Interface(std::string name, const InterfaceOptions& options);
    ~Interface();
    Interface(const Interface&) = delete;
    Interface& operator=(const Interface&) = delete;

    const std::string& name() const { return name_; }
    LinkType link() const { return link_; }
    /// Can be waited for with poll(2); readable when there are frames.
    int descriptor() const;

    /// The next frame, numbered from 1; false if there is none at the moment. `frame.data` is valid until the next
    /// call. Throws InterfaceError, for instance when the interface went down.
    bool next(Frame& frame);
    /// Throws InterfaceError.
    void send(ByteView frame);
    struct Counts {
        std::uint64_t received = 0;  ///< frames that passed the filter
        std::uint64_t dropped = 0;   ///< ... and were lost, because they were not read in time
    };
    Counts counts() const;

private:
    struct Handle;

    std::string problem(const std::string& what) const;
    void set_filter(const std::string& filter);

    std::string name_;
    std::unique_ptr<Handle> handle_;
    LinkType link_ = LinkType::unknown;
    std::uint64_t count_ = 0;
};

struct InterfaceInfo {
    std::string name, description;
};
/// Those that frames can be captured from. Throws InterfaceError.
std::vector<InterfaceInfo> interfaces();

}  // namespace fabricscope::capture
