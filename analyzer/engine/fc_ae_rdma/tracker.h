// SPDX-License-Identifier: GPL-2.0-or-later
// Fibre Channel frames in, FC-AE-RDMA messages out. Sans-I/O: no files, no clock, no threads.
//
// An Exchange of FCP is one of FC-AE-RDMA if its FCP_CMND says so in the frame header; without that command
// captured nothing of it is claimed.
#pragma once

#include <memory>

#include "analyzer/engine/fc/observer.h"
#include "analyzer/engine/fc_ae_rdma/model.h"
#include "analyzer/engine/fc_ae_rdma/observer.h"
#include "protocols/fc_ae_rdma/process_login.h"

namespace fabricscope::engine::fc_ae_rdma {

/// Bounds on what is remembered; a hostile capture must not grow the program without end.
struct Limits {
    std::size_t messages = 4'000'000;
    std::size_t exchanges = 200'000;  ///< open ones, and those that may still be repeated
    std::size_t regions = 65'536;
    std::size_t ports = 65'536;  ///< pairs that log in
    std::size_t findings = 10'000;
    std::size_t findings_of_a_kind = 20;  ///< for each rule and message
};

/// How large a Logical Unit's memory region is, as the user says.
struct RegionSize {
    Port target;
    std::uint8_t lun = 0;
    std::uint64_t octets = 0;
};

struct Options {
    Limits limits{};
    Profile profile = Profile::standard;
    std::vector<RegionSize> region_sizes{};
};

/// A frame of any TYPE. `frame` needs to live only during the call.
struct FrameSeen {
    std::uint64_t number = 0;
    Time time = 0;
    std::uint32_t interface = 0;
    std::uint16_t fabric = 0;            ///< VSAN or VF_ID; 0: not told
    std::optional<int> service_class{};  ///< 2 or 3, where SOF tells
    const fc::Frame& frame;
    const fibre_channel::Login* login = nullptr;  ///< in Profile::avionics: between the ports, if one was seen
};

/// A PRLI for FCP, or what came of it.
struct ProcessLogin {
    Port from, to;  ///< who sent this page
    bool is_accept = false;
    bool rejected = false;  ///< LS_RJT: there is no page
    wire::ServicePage page;
    std::uint64_t frame = 0;
};

class Tracker {
public:
    explicit Tracker(Options options = {}, Observer* observer = nullptr);
    ~Tracker();
    Tracker(const Tracker&) = delete;
    Tracker& operator=(const Tracker&) = delete;

    /// Frames in order of capture.
    void on_frame(const FrameSeen& seen);
    void on_process_login(const ProcessLogin& login);
    /// Process logins between the ports are undone: by PRLO, or LOGO.
    void on_process_logout(const Port& a, const Port& b, std::uint64_t frame);

    // In Profile::avionics: all that the Fibre Channel tracker tells. Frames before on_frame().
    void on_fibre_channel(const fibre_channel::FrameFacts& facts);
    void on_fibre_channel_login(const fibre_channel::Login& login, fibre_channel::Party said_by);

    const Model& model() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace fabricscope::engine::fc_ae_rdma
