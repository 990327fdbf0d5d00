// SPDX-License-Identifier: GPL-2.0-or-later
// Where the FC-VI scenarios take place: a fabric, its two ports, and what is recorded of them.
#pragma once

#include "tests/traffic/fc_scenarios.h"
#include "tests/traffic/fcvi_dialogue.h"

namespace fabricscope::traffic {

inline constexpr auto rev_1_0 = fcvi::Version::rev_1_0;
inline constexpr auto iso = fcvi::Version::iso;
inline constexpr auto unreliable_delivery = fcvi::Reliability::unreliable_delivery;
inline constexpr auto reliable_delivery = fcvi::Reliability::reliable_delivery;
inline constexpr auto reliable_reception = fcvi::Reliability::reliable_reception;
inline constexpr auto client = Side::client;  ///< port 01.02.03, which has the higher Port_Name: Peer A of annex A
inline constexpr auto server = Side::server;  ///< port 04.05.06: Peer B
inline constexpr capture::Time r_a_tov = 10 * capture::second, e_d_tov = 2 * capture::second;

class FcviScene : public Recorded<FcviDialogue> {
public:
    explicit FcviScene(fcvi::Version the_version = iso, fcvi::Reliability the_level = reliable_reception)
        : Recorded(the_version, the_level) {
        now = scenario_start - step;
    }

    /// Both ports log into the fabric, which tells R_A_TOV, and the client's into the server's.
    void login() {
        fabric_login(*this, fabric, fabric.a);
        fabric_login(*this, fabric, fabric.b);
        port_login(*this, fabric.a, fabric.b);
    }
    void begin() { login(), connect(); }
    /// Each side disconnects, and tells which Message it completed last (D.1, D.2).
    void end() {
        for (const Side side : {client, server}) {
            const Change completed = [&](FcviSpec& s) {
                if (s.iso()) s.header.common().msg_id = msg_id(other(s.from));
            };
            disconnect_rqst(side, completed), disconnect_resp(other(side), completed);
        }
    }
    /// The Connect Requester gives its Exchange up after R_A_TOV, and the other port agrees.
    void give_up_setup(Side side) {
        now += r_a_tov;
        abts(side, side, setup_ox_id(side)), ba_acc(other(side), side, setup_ox_id(side));
    }
    void give_up_message(Side side) {
        now += r_a_tov;
        abts(side, side, message_ox_id(side)), ba_acc(other(side), side, message_ox_id(side));
    }

    FcFabric fabric;
};

using FcviPlay = std::function<void(FcviScene&)>;

/// A row of the table.
inline FcScenario fcvi_scenario(
    std::string name, FcviScene scene, std::string happens, std::string clause, std::string result,
    std::vector<std::string> findings, FcviPlay play) {
    return {
        .name = std::move(name),
        .happens = std::move(happens),
        .clause = std::move(clause),
        .result = std::move(result),
        .findings = std::move(findings),
        .make = [scene = std::move(scene), play = std::move(play)] {
            FcviScene now = scene;
            play(now);
            return now.frames;
        }};
}

}  // namespace fabricscope::traffic
