// SPDX-License-Identifier: GPL-2.0-or-later
// What everybody on a Fibre Channel says besides their own protocol: logins, address resolution, logouts.
#pragma once

#include "capture/frame.h"
#include "tests/traffic/fc_builder.h"

namespace fabricscope::traffic {

/// Frames one after another. Where they go, who derives from this says.
class FcTalk {
public:
    virtual ~FcTalk() = default;

    void emit(const FcFrame& frame) { now += step, on_frame(frame); }
    void emit(const std::vector<FcFrame>& frames) {
        for (const FcFrame& frame : frames) emit(frame);
    }
    /// Sent, but not captured.
    void lose() { now += step, on_lost(); }

    capture::Time now = 0;                      ///< of the latest frame
    capture::Time step = capture::millisecond;  ///< between frames

protected:
    virtual void on_frame(const FcFrame& frame) = 0;
    virtual void on_lost() {}
};

/// What frames `talk` emits, with their times.
struct TimedFrame {
    capture::Time time = 0;
    FcFrame frame;
};
template <class Talk> class Recorded : public Talk {
public:
    using Talk::Talk;
    std::vector<TimedFrame> frames;

protected:
    void on_frame(const FcFrame& frame) override { frames.push_back({this->now, frame}); }
};

/// Two N_Ports on a fabric, and who else has an address.
struct FcFabric {
    FcPort a{0x01'0203, 0x2000'0000'5E00'5314, 0x1000'0000'5E00'5314};  ///< has the higher Port_Name
    FcPort b{0x04'0506, 0x2000'0000'5E00'530A, 0x1000'0000'5E00'530A};
    FcPort f_port{fc::f_port_server, 0x2000'0000'5E00'5301, 0x1000'0000'5E00'5301};
    FcPort name_server{fc::directory_server};
    FcPort everybody{fc::broadcast};
};
inline constexpr Ipv4 ip_of_a{{192, 0, 2, 10}}, ip_of_b{{192, 0, 2, 20}};

/// A request and its answer, or a request that has none.
void ask(FcTalk& talk, FcPort& from, FcPort& to, std::uint8_t type, const Octets& request, const Octets& answer);
/// What a request and its accept say other than usual.
struct LoginChanges {
    LoginChange request = unchanged_login, accept = unchanged_login;
};
/// FLOGI of a port that asks for the address that it has.
void fabric_login(FcTalk& talk, FcFabric& fabric, const FcPort& port, const LoginChanges& changes = {});
void port_login(FcTalk& talk, FcPort& from, FcPort& to, const LoginChanges& changes = {});
void port_logout(FcTalk& talk, FcPort& from, FcPort& to);
/// A page for FCP.
void process_login(FcTalk& talk, FcPort& from, FcPort& to, std::uint32_t parameters, std::uint32_t answer);
/// FARP-REQ to everybody, FARP-REPLY from who has the address (ISO/IEC 14165-331, 7.5).
void resolve_by_farp(FcTalk& talk, FcFabric& fabric);
/// GID_IPP (ISO/IEC 14165-331, 7.6).
void resolve_by_name_server(FcTalk& talk, FcFabric& fabric);

/// Octets [begin, end) of any Message's data.
Octets message_data(std::uint32_t begin, std::uint32_t end);

}  // namespace fabricscope::traffic
