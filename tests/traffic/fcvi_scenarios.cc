// SPDX-License-Identifier: GPL-2.0-or-later
// FC-VI as the documents describe it. Clauses without a document are those of ISO/IEC 14165-331.
#include "tests/traffic/fcvi_scene.h"

namespace fabricscope::traffic {
namespace {

using fcvi::IuType;
using Rows = std::vector<FcScenario>;
using Change = FcviDialogue::Change;

constexpr const char* rev_1_0_document = "FC-VI rev 1.0, ";

std::string suffix(fcvi::Version version) { return version == iso ? "_iso" : "_rev10"; }

/// A clause of each version.
std::string clause_of(fcvi::Version version, const char* in_iso, const char* in_rev_1_0) {
    return version == iso ? in_iso : std::string(rev_1_0_document) + in_rev_1_0;
}

Change saying(std::uint8_t reason) {
    return [reason](FcviSpec& s) { s.say(reason); };
}
const Change retried = [](FcviSpec& s) { s.set_retry(); };

// ---- setups --------------------------------------------------------------------------------------

void add_setups(Rows& rows, fcvi::Version version) {
    const FcviScene scene(version);
    rows.push_back(fcvi_scenario(
        "client_server" + suffix(version), scene,
        "Both ports log into the fabric, the client's finds the server's by FARP and by the name server, and logs into "
        "it; a connection is set up, used for one Send each way, and disconnected by both sides; then a LOGO",
        clause_of(version, "5.3.2 (figure 8), 5.3.5, 7.4 to 7.7", "5.3.2 (figure 8), 5.3.5, 7.3 to 7.5"),
        "connected, closed: client send 100; server send 200", {}, [](FcviScene& s) {
            fabric_login(s, s.fabric, s.fabric.a), fabric_login(s, s.fabric, s.fabric.b);
            resolve_by_farp(s, s.fabric), resolve_by_name_server(s, s.fabric);
            port_login(s, s.fabric.a, s.fabric.b);
            s.connect();
            s.send_message(client, 100), s.send_message(server, 200);
            s.end();
            port_logout(s, s.fabric.a, s.fabric.b);
        }));
    rows.push_back(fcvi_scenario(
        "peers" + suffix(version), scene,
        "The first peer asks while the other does not wait yet, and is told so; then the other asks, and is accepted",
        clause_of(version, "5.3.3 (figure 9)", "5.3.3 (figure 9)"),
        "connected, closed: client send 100; server send 100", {}, [](FcviScene& s) {
            const std::uint8_t nobody = fcvi::reason_code(s.version, fcvi::Reason::no_waiting_connectionpoint);
            s.peers = true;
            s.login();
            s.rqst(client), s.refuse(server, nobody), s.finish_refused(client);
            s.rqst(server), s.resp1(client), s.finish_setup(server);
            s.send_message(client), s.send_message(server);
            s.end();
        }));
    rows.push_back(fcvi_scenario(
        "setup_refused" + suffix(version), scene, "The server application refuses the client",
        clause_of(version, "5.3.2, table 12", "5.3.2, table 10"), "rejected (Connect Reject)", {}, [](FcviScene& s) {
            s.login();
            s.rqst(), s.refuse(server, fcvi::reason_code(s.version, fcvi::Reason::connect_reject));
            s.finish_refused();
        }));
    rows.push_back(fcvi_scenario(
        "no_discriminator_match" + suffix(version), scene,
        "Connectionpoints wait, but none of the client's discriminator",
        clause_of(version, "5.9.7.2, table 12", "5.7.6, table 10"), "rejected (No Discriminator Match)", {},
        [](FcviScene& s) {
            s.login();
            s.rqst(), s.refuse(server, fcvi::reason_code(s.version, fcvi::Reason::no_discriminator_match));
            s.finish_refused();
        }));
}

void add_iso_setups(Rows& rows) {
    rows.push_back(fcvi_scenario(
        "connect_info", FcviScene(), "Request and first response have 256 octets of Connect Info", "6.8.3, 6.9.3",
        "connected, closed: client send 100", {}, [](FcviScene& s) {
            const Change informed = [](FcviSpec& spec) {
                const Octets info = message_data(0, fcvi::connect_info_size);
                spec.payload.insert(spec.payload.end(), info.begin(), info.end());
                std::visit(
                    [](auto& head) {
                        if constexpr (requires { head.conn_info; }) head.conn_info = true;
                    },
                    spec.header.head);
            };
            s.login();
            s.rqst(client, informed), s.resp1(server, informed), s.finish_setup();
            s.send_message(client);
            s.end();
        }));
    rows.push_back(fcvi_scenario(
        "invalid_service_parameter", FcviScene(),
        "The client's port has logged in without continuously increasing SEQ_CNT; the server refuses it", "5.6",
        "rejected (Connect Reject - Invalid Service Parm)", {}, [](FcviScene& s) {
            s.fabric.a.increasing_seq_cnt = false;
            s.login();
            s.rqst(), s.refuse(server, 0x20);
            s.finish_refused();
        }));
    rows.push_back(fcvi_scenario(
        "setup_in_class_2", FcviScene(),
        "Setup, a Write with a response and Disconnects in class 2: each frame has its ACK_1", "5.5, 8.4.2",
        "connected, closed: client rdma write 600", {}, [](FcviScene& s) {
            s.service_class = 2;
            s.begin();
            s.data_frames(client, IuType::write_rqst, 600, 0, 600, 256), s.respond(server, IuType::write_resp);
            s.end();
        }));
}

// ---- concurrent matching peer requests (annex A; revision 1.0, 5.3.4) ------------------------------

/// Peer A, the client, has the higher Port_Name. A reason of 0 accepts.
void both_ask(FcviScene& s, std::uint8_t a_says, std::uint8_t b_says) {
    const auto answer = [&](Side from, std::uint8_t reason) {
        if (reason == 0) s.resp1(from);
        else s.refuse(from, reason);
    };
    s.peers = true;
    s.login();
    s.rqst(server), s.rqst(client);
    answer(client, a_says), answer(server, b_says);
    const auto finish = [&](Side requester, std::uint8_t answered) {
        if (answered == 0) s.finish_setup(requester);
        else s.finish_refused(requester);
    };
    finish(server, a_says), finish(client, b_says);
    if (a_says != 0 && b_says != 0) return;
    s.send_message(client), s.send_message(server);
    s.end();
}

void add_concurrent_peers(Rows& rows) {
    const auto add = [&](int number, std::uint8_t a_says, std::uint8_t b_says, const char* happens, const char* result,
                         std::vector<std::string> findings = {}) {
        rows.push_back(fcvi_scenario(
            "concurrent_peers_case" + std::to_string(number), FcviScene(), happens,
            "A." + std::to_string(number + 1) + " (case " + std::to_string(number) + "), table 2, 5.3.4", result,
            std::move(findings), [=](FcviScene& s) { both_ask(s, a_says, b_says); }));
    };
    // Peer B asks first, so that it is the client of the connection.
    constexpr const char* connected = "connected, closed: server send 100; client send 100";
    add(1, 0x00, 0x05, "Two peers ask each other at once: the higher Port_Name (A) accepts, the lower (B) refuses",
        connected);
    add(2, 0x01, 0x00,
        "Two peers ask each other at once; A's No Discriminator Match was sent before A asked itself: B accepts",
        connected);
    add(3, 0x03, 0x00,
        "Two peers ask each other at once; A's No Waiting Remote Connectionpoint was sent before A asked itself: B "
        "accepts",
        connected);
    add(4, 0x05, 0x21,
        "Two peers ask each other at once; A refuses as if it had the lower Port_Name, B tells a Protocol Error",
        "rejected (Connect Reject - Protocol Error)", {"FCVI-23"});
    add(5, 0x22, 0x04, "Two peers ask each other at once; A tells a Transport Error, so B refuses, too",
        "rejected (Connect Reject)");
    add(6, 0x21, 0x04, "Two peers ask each other at once; A tells a Protocol Error, so B refuses, too",
        "rejected (Connect Reject)");
    rows.push_back(fcvi_scenario(
        "concurrent_peers_rev10", FcviScene(rev_1_0),
        "Two peers ask each other at once: the lower host address (the client's) refuses, the higher accepts",
        std::string(rev_1_0_document) + "5.3.4 (figure 10)", connected, {},
        [](FcviScene& s) { both_ask(s, 0x05, 0x00); }));
}

// ---- lost IUs of setups (annex C.5) ----------------------------------------------------------------

/// CONN_SETUP_ABORT of a setup that timed out.
Change aborting(std::uint32_t connection_id) {
    return [connection_id](FcviSpec& s) {
        s.head<fcvi::DisconnectHead>().conn_setup_abort = true;
        s.header.common().handle = fcvi::unassigned_handle;
        s.connection().connection_id = connection_id;
        s.say(0x49);
    };
}

/// As annex D has it, when an endpoint is in Error.
Change after_error(std::uint8_t reason) {
    return [reason](FcviSpec& s) {
        s.connection().connection_id = fcvi::unassigned_connection_id;
        if (reason != 0) s.say(reason);
    };
}

/// The same, and which of the peer's Messages was the last that succeeded (6.12.2).
Change completing(std::uint32_t msg_id, std::uint8_t reason) {
    return [=](FcviSpec& s) {
        after_error(reason)(s);
        s.header.common().msg_id = msg_id;
    };
}

void add_lost_setup_ius(Rows& rows) {
    rows.push_back(fcvi_scenario(
        "client_times_out", FcviScene(),
        "The client's application stops waiting before the server has answered: CONNECT_RESP2 tells Connect Timeout",
        "C.5.6 (figure C.2)", "rejected (Connect Timeout)", {}, [](FcviScene& s) {
            s.login();
            s.rqst();
            s.now += capture::second;
            s.resp1(), s.resp2(client, saying(0x02)), s.resp3(server, saying(0x02));
        }));
    rows.push_back(fcvi_scenario(
        "lost_connect_rqst", FcviScene(),
        "Captured at the client: CONNECT_RQST gets lost behind the tap, and after R_A_TOV its Exchange is aborted",
        "C.5.7.1 (figure C.3)", "aborted", {"FCVI-32"}, [](FcviScene& s) {
            s.login();
            s.rqst();
            s.give_up_setup(client);
        }));
    rows.push_back(fcvi_scenario(
        "retried_setup", FcviScene(), "CONNECT_RQST gets lost; the setup is retried with RETRY, and succeeds",
        "C.5.7.2, 8.5.4", "connected, closed: client send 100", {"FCVI-32"}, [](FcviScene& s) {
            s.login();
            s.rqst();
            s.give_up_setup(client);
            s.setup_number = 1;
            s.rqst(client, retried), s.resp1(server, retried), s.finish_setup(client, retried);
            s.send_message(client);
            s.end();
        }));
    rows.push_back(fcvi_scenario(
        "retried_setup_fails", FcviScene(),
        "CONNECT_RQST gets lost twice; the client disconnects, and is told that there is no such connection",
        "C.5.7.2, D.1 rules 2 and 3", "aborted", {"FCVI-32", "FCVI-32"}, [](FcviScene& s) {
            s.login();
            s.rqst();
            s.give_up_setup(client);
            s.setup_number = 1;
            s.rqst(client, retried);
            s.give_up_setup(client);
            const std::uint32_t connection_id = s.setup_ox_id(client);
            s.disconnect_rqst(client, aborting(connection_id));
            s.disconnect_resp(server, [&](FcviSpec& spec) {
                aborting(connection_id)(spec);
                spec.say(0x4A);
            });
        }));
    rows.push_back(fcvi_scenario(
        "lost_connect_resp1", FcviScene(),
        "Captured at the server: CONNECT_RESP1 gets lost behind the tap; the client aborts the Exchange, and the setup",
        "C.5.8 (figure C.4)", "aborted", {"FCVI-32", "FCVI-32"}, [](FcviScene& s) {
            s.login();
            s.rqst(), s.resp1();
            s.give_up_setup(client);
            s.now += r_a_tov;
            s.disconnect_rqst(client, aborting(s.setup_ox_id(client)));
            s.disconnect_resp(server, [&](FcviSpec& spec) {
                aborting(s.setup_ox_id(client))(spec);
                spec.header.common().handle = FcviDialogue::handle_of(client);
                spec.say(0x4B);
            });
        }));
    rows.push_back(fcvi_scenario(
        "lost_connect_resp2", FcviScene(),
        "Captured at the client: CONNECT_RESP2 gets lost behind the tap; the client, already Connected, goes to Error "
        "and disconnects for a Transport Error",
        "C.5.9.1 (figure C.5)", "aborted", {"FCVI-32"}, [](FcviScene& s) {
            s.login();
            s.rqst(), s.resp1(), s.resp2();
            s.give_up_setup(client);
            s.disconnect_rqst(client, after_error(0x40)), s.disconnect_resp(server, after_error(0));
            s.disconnect_rqst(server, after_error(0)), s.disconnect_resp(client, after_error(0));
        }));
    rows.push_back(fcvi_scenario(
        "lost_connect_resp2_server", FcviScene(),
        "Captured at the server: CONNECT_RESP2 does not arrive, twice R_A_TOV pass, and the server disconnects first",
        "C.5.9.2", "aborted", {"FCVI-32", "FCVI-32"}, [](FcviScene& s) {
            s.login();
            s.rqst(), s.resp1();
            s.resp2(client, [](FcviSpec& spec) { spec.lost = true; });
            s.give_up_setup(client);
            s.now += r_a_tov;
            s.disconnect_rqst(server, after_error(0)), s.disconnect_resp(client, after_error(0));
            s.disconnect_rqst(client, after_error(0x40)), s.disconnect_resp(server, after_error(0));
        }));
    rows.push_back(fcvi_scenario(
        "lost_connect_resp3", FcviScene(iso, reliable_delivery),
        "Captured at the client: CONNECT_RESP3 does not arrive, but a Send of the server does; then both disconnect",
        "C.5.10.1 (figure C.6)", "aborted: server send 100", {"FCVI-32"}, [](FcviScene& s) {
            s.login();
            s.rqst(), s.resp1(), s.resp2();
            s.resp3(server, [](FcviSpec& spec) { spec.lost = true; });
            s.send_message(server);
            s.give_up_setup(client);
            s.disconnect_rqst(client, after_error(0x40)), s.disconnect_resp(server, after_error(0));
            s.disconnect_rqst(server, after_error(0)), s.disconnect_resp(client, after_error(0));
        }));
}

// ---- Disconnects (annex D) -------------------------------------------------------------------------

void add_disconnects(Rows& rows) {
    rows.push_back(fcvi_scenario(
        "disconnect_after_error", FcviScene(),
        "An endpoint in Error disconnects and tells a Transport Error; later the other side disconnects, too",
        "D.2 (figure D.1)", "connected, closed: client send 100", {}, [](FcviScene& s) {
            s.begin();
            s.send_message(client);
            s.disconnect_rqst(server, completing(1, 0x40)), s.disconnect_resp(client, after_error(0));
            s.now += capture::second;
            s.disconnect_rqst(client, after_error(0)), s.disconnect_resp(server, completing(1, 0x4B));
        }));
    rows.push_back(fcvi_scenario(
        "disconnects_cross", FcviScene(), "Both sides disconnect at about the same time", "D.2",
        "connected, closed: client send 100", {}, [](FcviScene& s) {
            const Change completed = [](FcviSpec& spec) { spec.header.common().msg_id = 1; };
            s.begin();
            s.send_message(client);
            s.disconnect_rqst(client), s.disconnect_rqst(server, completed);
            s.disconnect_resp(client), s.disconnect_resp(server, completed);
        }));
    rows.push_back(fcvi_scenario(
        "lost_disconnect_resp", FcviScene(),
        "DISCONNECT_RESP gets lost: after R_A_TOV the Exchange is aborted, and the Disconnect tried again",
        "D.1 rule 1", "connected, closed", {"FCVI-32"}, [](FcviScene& s) {
            s.begin();
            s.disconnect_rqst(client);
            s.disconnect_resp(server, [](FcviSpec& spec) { spec.lost = true; });
            s.now += r_a_tov;
            s.abts(client, client, s.disconnect_ox_id(client)), s.ba_acc(server, client, s.disconnect_ox_id(client));
            s.disconnect_number = 1;
            s.disconnect(client), s.disconnect(server);
        }));
    rows.push_back(fcvi_scenario(
        "disconnect_aborts_setup", FcviScene(),
        "The server does not answer; the client's application disconnects, which aborts the setup", "D.1 rule 2",
        "aborted", {}, [](FcviScene& s) {
            s.login();
            s.rqst();
            s.now += capture::second;
            s.disconnect_rqst(client, aborting(s.setup_ox_id(client)));
            s.disconnect_resp(server, [&](FcviSpec& spec) {
                aborting(s.setup_ox_id(client))(spec);
                spec.header.common().handle = FcviDialogue::handle_of(client);
                spec.say(0x4B);
            });
        }));
    rows.push_back(fcvi_scenario(
        "disconnect_of_nothing", FcviScene(),
        "A Disconnect goes to a handle that was never given: Connection Does Not Exist", "D.1 rule 3", "", {},
        [](FcviScene& s) {
            s.login();
            s.disconnect_rqst(client);
            s.disconnect_resp(server, [](FcviSpec& spec) {
                spec.header.common().handle = fcvi::unassigned_handle;
                spec.connection().connection_id = fcvi::unassigned_connection_id;
                spec.say(0x4A);
            });
        }));
    rows.push_back(fcvi_scenario(
        "disconnect_of_unknown_setup", FcviScene(),
        "A Disconnect that aborts a setup has the handle of a connection, but no setup's FCVI_CONNECTION_ID: Protocol "
        "Error",
        "D.1 rule 6", "connected, half: client send 100", {"VI-R20"}, [](FcviScene& s) {
            const Change aborts_unknown = [](FcviSpec& spec) {
                spec.head<fcvi::DisconnectHead>().conn_setup_abort = true;
                spec.connection().connection_id = 0xDEAD;
            };
            s.begin();
            s.send_message(client);
            s.disconnect_rqst(client, aborts_unknown);
            s.disconnect_resp(server, [&](FcviSpec& spec) { aborts_unknown(spec), spec.say(0x48); });
        }));
    rows.push_back(fcvi_scenario(
        "disconnect_by_kernel_rev10", FcviScene(rev_1_0, reliable_delivery),
        "The kernel disconnects at one end, the application at the other",
        std::string(rev_1_0_document) + "5.3.5 (figure 11), 5.7.2", "connected, closed: client send 100", {},
        [](FcviScene& s) {
            s.begin();
            s.send_message(client);
            s.disconnect_rqst(client, [](FcviSpec& spec) {
                spec.head<fcvi::ConnectRequestHeadRev10>().mode = fcvi::rev_1_0_kernel_disconnect;
            });
            s.disconnect_resp(server);
            s.disconnect(server);
        }));
    rows.push_back(fcvi_scenario(
        "logout", FcviScene(), "A LOGO ends the connection; after a new login another one has the same handles",
        "7.7.1, 8.4.2 g)", "connected: client send 100 / connected, closed: server send 100", {}, [](FcviScene& s) {
            s.begin();
            s.send_message(client);
            port_logout(s, s.fabric.b, s.fabric.a);
            port_login(s, s.fabric.a, s.fabric.b);
            s.setup_number = 1;
            s.set_msg_id(client, 0), s.set_msg_id(server, 0);
            s.connect();
            s.send_message(server);
            s.end();
        }));
}

// ---- Messages --------------------------------------------------------------------------------------

void add_levels(Rows& rows, fcvi::Version version) {
    struct Level {
        fcvi::Reliability level;
        const char* name;
        const char* figures;
        const char* result;
    };
    constexpr std::array levels{
        Level{
            unreliable_delivery, "unreliable_delivery", "5.2 (figures 2 and 4)",
            "connected, closed: client send 500; client rdma write 400; server send 500; server rdma write 400"},
        Level{
            reliable_delivery, "reliable_delivery", "5.2 (figures 2, 4 and 6)",
            "connected, closed: client send 500; client rdma write 400; client rdma read 300; server send 500; server "
            "rdma write 400; server rdma read 300"},
        Level{
            reliable_reception, "reliable_reception", "5.2 (figures 3, 5 and 6)",
            "connected, closed: client send 500; client rdma write 400; client rdma read 300; server send 500; server "
            "rdma write 400; server rdma read 300"}};
    for (const Level& level : levels)
        rows.push_back(fcvi_scenario(
            level.name + suffix(version), FcviScene(version, level.level),
            level.level == unreliable_delivery
                ? "Each side sends a Message, with Immediate Data, and writes one"
                : "Each side sends a Message, with Immediate Data, writes one, and reads one",
            clause_of(version, level.figures, level.figures), level.result, {}, [](FcviScene& s) {
                s.begin();
                for (const Side side : {client, server}) {
                    s.send_message(side, 500, [](FcviSpec& spec) { spec.set_immediate_data(0xCAFE'0001); });
                    s.write_message(side, 400);
                    if (s.level != unreliable_delivery) s.read_message(side, 300);
                }
                s.end();
            }));
    rows.push_back(fcvi_scenario(
        "several_sequences" + suffix(version), FcviScene(version),
        "A Send of one Sequence of three frames, a Write of three Sequences, a Read answered in two",
        clause_of(version, "5.2.2 to 5.2.4, 5.6 (figure 12)", "5.2, 5.4 (figure 12)"),
        "connected, closed: client send 600; client rdma write 1500; client rdma read 700", {}, [](FcviScene& s) {
            s.begin();
            s.data_frames(client, IuType::send_rqst, 600, 0, 600, 256), s.respond(server, IuType::send_resp);
            for (const std::uint32_t at : {0U, 512U, 1024U})
                s.data_frames(client, IuType::write_rqst, 1500, at, std::min(at + 512U, 1500U), 256);
            s.respond(server, IuType::write_resp);
            s.request(client, IuType::read_rqst, 700);
            s.read_data(server, 700, 0, 400, false), s.read_data(server, 700, 400, 700, true);
            s.end();
        }));
}

void add_message_scenarios(Rows& rows) {
    rows.push_back(fcvi_scenario(
        "crossing_streams", FcviScene(),
        "A Read of the client and a Write of the server, of the same MSG_ID, at the same time", "5.2.5 (figure 7)",
        "connected, closed: client rdma read 600; server rdma write 400", {}, [](FcviScene& s) {
            s.begin();
            s.request(client, IuType::read_rqst, 600);
            s.read_data(server, 600, 0, 300, false);
            s.data(server, IuType::write_rqst, 400, 0, 200, false);
            s.read_data(server, 600, 300, 600, true);
            s.data(server, IuType::write_rqst, 400, 200, 400, true);
            s.respond(client, IuType::write_resp);
            s.end();
        }));
    rows.push_back(fcvi_scenario(
        "preference", FcviScene(iso, reliable_delivery),
        "The client asks for the Preference Function and sets PREF in all frames of its Messages; the server does not",
        "5.8.2, 7.3", "connected, closed: client send 100; client rdma write 400; server send 100", {},
        [](FcviScene& s) {
            const Change preferred = [](FcviSpec& spec) { spec.preference = true; };
            s.login();
            s.rqst(client, [](FcviSpec& spec) { spec.payload[318 - 2] = 0x80; });
            s.resp1(), s.finish_setup();
            s.send_message(client, 100, preferred);
            s.data_frames(client, IuType::write_rqst, 400, 0, 400, 200, preferred);
            s.send_message(server, 100);
            s.end();
        }));
    rows.push_back(fcvi_scenario(
        "exchange_reused", FcviScene(), "One Exchange ID serves three Messages, one after another", "5.4",
        "connected, closed: client send 50; client send 60; client send 70", {}, [](FcviScene& s) {
            const Change same = [](FcviSpec& spec) { spec.ox_id = 0x1234; };
            s.begin();
            for (const std::uint32_t octets : {50U, 60U, 70U})
                s.request(client, IuType::send_rqst, octets, same), s.respond(server, IuType::send_resp, same);
            s.end();
        }));
    rows.push_back(fcvi_scenario(
        "streaming", FcviScene(),
        "Four Messages are open at once, as FCVI_PIPELINE_DEPTH 3 allows; they are answered in order", "E, 7.3",
        "connected, closed: client send 100; client send 101; client send 102; client send 103", {}, [](FcviScene& s) {
            s.begin();
            for (const std::uint32_t octets : {100U, 101U, 102U, 103U}) s.request(client, IuType::send_rqst, octets);
            for (std::uint32_t id = 1; id <= 4; ++id) s.respond_to(id, server, IuType::send_resp);
            s.end();
        }));
    rows.push_back(fcvi_scenario(
        "streaming_fails", FcviScene(),
        "Of three streamed Sends the second meets no Descriptor: it and the third fail, and the connection ends", "E",
        "connected, closed: client send 100; client send 100 failed; client send 100 failed", {}, [](FcviScene& s) {
            const Change failed = [](FcviSpec& spec) {
                auto& head = spec.head<fcvi::MessageResponseHead>();
                head.resp_err = head.desc_err = true;
            };
            s.begin();
            for (int i = 0; i < 3; ++i) s.request(client, IuType::send_rqst, 100);
            s.respond_to(1, server, IuType::send_resp);
            s.respond_to(2, server, IuType::send_resp, failed), s.respond_to(3, server, IuType::send_resp, failed);
            s.disconnect_rqst(client, after_error(0x42));
            s.disconnect_resp(server, completing(1, 0)), s.disconnect_rqst(server, completing(1, 0));
            s.disconnect_resp(client, after_error(0));
        }));
    const Change protected_memory = [](FcviSpec& spec) {
        auto& head = spec.head<fcvi::MessageResponseHead>();
        head.resp_err = head.prot_err = true;
    };
    rows.push_back(fcvi_scenario(
        "write_protection_error", FcviScene(),
        "A Write meets memory that it may not write; its response says so, and the server's Disconnect, too",
        "6.5, 5.9.7.3.2", "connected, closed: client rdma write 400 failed", {}, [=](FcviScene& s) {
            s.begin();
            s.request(client, IuType::write_rqst, 400), s.respond(server, IuType::write_resp, protected_memory);
            s.disconnect_rqst(server, after_error(0x43)), s.disconnect_resp(client, after_error(0));
            s.disconnect_rqst(client, after_error(0x41)), s.disconnect_resp(server, after_error(0));
        }));
    rows.push_back(fcvi_scenario(
        "read_protection_error", FcviScene(iso, reliable_delivery),
        "A Read meets memory that it may not read: its response has no data", "6.7, 5.9.7.3.2",
        "connected, closed: client rdma read 0 failed", {}, [=](FcviScene& s) {
            s.begin();
            s.request(client, IuType::read_rqst, 400);
            s.read_data(server, 400, 0, 0, true, protected_memory);
            s.disconnect_rqst(server, after_error(0x47)), s.disconnect_resp(client, after_error(0));
            s.disconnect_rqst(client, after_error(0)), s.disconnect_resp(server, after_error(0));
        }));
    for (const fcvi::Version version : {rev_1_0, iso})
        rows.push_back(fcvi_scenario(
            "midway" + suffix(version), FcviScene(version),
            "The capture begins after the setup: a Write, a Read and a Send tell version and handles", "B.2; 5.9",
            "connected: client rdma write 400; client rdma read 300; server send 200", {}, [](FcviScene& s) {
                s.skip_message(client, 7), s.skip_message(server, 4);
                s.write_message(client, 400), s.read_message(client, 300), s.send_message(server, 200);
            }));
}

// ---- errors in Messages (annex B.3) ----------------------------------------------------------------

constexpr std::uint32_t tiny = 4;  ///< octets of payload in each frame: the figures have many frames

/// Frames [begin, end) of a Message of so many frames.
void some_frames(
    FcviScene& s, std::uint32_t frames, std::uint32_t begin, std::uint32_t end,
    const Change& change = FcviDialogue::unchanged) {
    for (std::uint32_t i = begin; i < end; ++i)
        s.data(
            client, IuType::send_rqst, frames * tiny, i * tiny, (i + 1) * tiny, i + 1 == frames, [&](FcviSpec& spec) {
                spec.first_sequence = true;
                spec.end_sequence = i + 1 == frames;
                spec.seq_cnt = static_cast<std::uint16_t>(i);
                spec.seq_id = 0;
                change(spec);
            });
}

const Change lost = [](FcviSpec& spec) { spec.lost = true; };

/// Figure B.1: Message 5 up to SEQ_CNT 26, then SEQ_CNT 192 of Message 9. What is between is lost, or comes late.
void mrcv_above_mexp(FcviScene& s, bool late) {
    s.begin();
    for (int i = 1; i <= 4; ++i) s.send_message(client, tiny);
    some_frames(s, 40, 0, 27);
    s.skip_message(client, 4);
    some_frames(s, 194, 192, 194, [&](FcviSpec& spec) { spec.begins_exchange = !late && spec.seq_cnt == 192; });
    if (!late) return;
    const auto message = [&](std::uint32_t id) { s.set_msg_id(client, id); };
    message(5), some_frames(s, 40, 27, 40);
    for (std::uint32_t id = 6; id <= 8; ++id) {
        message(id - 1);
        s.send_message(client, tiny);
    }
    message(8);
    some_frames(s, 194, 0, 192);
}

/// Figure B.2: Message 5 up to SEQ_CNT 26, then SEQ_CNT 192 of the same Message.
void mrcv_is_mexp(FcviScene& s, bool late) {
    s.begin();
    for (int i = 1; i <= 4; ++i) s.send_message(client, tiny);
    some_frames(s, 194, 0, 27);
    some_frames(s, 194, 192, 194);
    if (late) some_frames(s, 194, 27, 192);
}

void add_lost_messages(Rows& rows) {
    constexpr const char* four = "client send 4; client send 4; client send 4; client send 4; ";
    const auto add = [&](const char* name, fcvi::Reliability level, const char* happens, const char* clause,
                         const std::string& result, FcviPlay play) {
        rows.push_back(fcvi_scenario(name, FcviScene(iso, level), happens, clause, result, {}, std::move(play)));
    };
    add("missing_messages_unreliable", unreliable_delivery,
        "The end of Message 5, Messages 6 to 8 and the beginning of 9 are lost; Message 10 arrives as if nothing were",
        "B.3.2.2 (figure B.1)",
        std::string("connected, closed: ") + four +
            "client send 108 incomplete; client send 8 incomplete; client send 4",
        [](FcviScene& s) {
            mrcv_above_mexp(s, false);
            s.send_message(client, tiny);
            s.end();
        });
    add("missing_messages_reliable", reliable_delivery,
        "The same on Reliable Delivery: the server's endpoint goes to Error, and disconnects for a Transport Error",
        "B.3.2.3 (figure B.1)",
        std::string("connected, closed: ") + four + "client send 108 incomplete; client send 8 incomplete",
        [](FcviScene& s) {
            mrcv_above_mexp(s, false);
            s.disconnect_rqst(server, after_error(0x40)), s.disconnect_resp(client, after_error(0));
            s.disconnect_rqst(client, after_error(0)), s.disconnect_resp(server, after_error(0));
        });
    add("messages_out_of_order", reliable_delivery,
        "The same frames are not lost but late: the fabric keeps no order, and all arrive within R_A_TOV",
        "B.3.2.4 (figure B.1)",
        std::string("connected, closed: ") + four +
            "client send 160; client send 776; client send 4; client send 4; client send 4",
        [](FcviScene& s) {
            mrcv_above_mexp(s, true);
            s.end();
        });
    add("missing_frames_unreliable", unreliable_delivery,
        "SEQ_CNT 27 to 191 of Message 5 are lost; Message 6 is received", "B.3.3.2 (figure B.2)",
        std::string("connected, closed: ") + four + "client send 116 incomplete; client send 4", [](FcviScene& s) {
            mrcv_is_mexp(s, false);
            s.send_message(client, tiny);
            s.end();
        });
    add("frames_out_of_order", reliable_delivery, "SEQ_CNT 27 to 191 of Message 5 come late", "B.3.3.3 (figure B.2)",
        std::string("connected, closed: ") + four + "client send 776", [](FcviScene& s) {
            mrcv_is_mexp(s, true);
            s.end();
        });
    rows.push_back(fcvi_scenario(
        "response_times_out", FcviScene(),
        "The Response to a Send does not come; after R_A_TOV its Exchange is aborted, and the client disconnects",
        "B.2.6.2 rule 9, 8.4.2 a)", "connected, closed: client send 100 aborted", {"FCVI-32"}, [](FcviScene& s) {
            s.begin();
            s.request(client, IuType::send_rqst, 100);
            s.give_up_message(client);
            s.disconnect_rqst(client, after_error(0x40)), s.disconnect_resp(server, after_error(0));
            s.disconnect_rqst(server, after_error(0)), s.disconnect_resp(client, after_error(0));
        }));
}

// ---- data frames that are not acknowledged in class 2 (annex B.2.6.1) ------------------------------

/// The second and last frame of a Send is answered otherwise than by ACK_1, and its Exchange is aborted.
void abort_for(FcviScene& s, const Change& answer, capture::Time wait = 0) {
    s.service_class = 2;
    s.begin();
    s.data(client, IuType::send_rqst, 600, 0, 300, false, [](FcviSpec& spec) { spec.end_sequence = false; });
    s.data(client, IuType::send_rqst, 600, 300, 600, true, [&](FcviSpec& spec) {
        spec.first_sequence = true;
        answer(spec);
    });
    s.now += wait;
    s.abts(client, client, s.message_ox_id(client)), s.ba_acc(server, client, s.message_ox_id(client));
}

/// The client's endpoint goes to Error.
void disconnect_in_error(FcviScene& s) {
    s.disconnect_rqst(client, after_error(0x40)), s.disconnect_resp(server, after_error(0));
    s.disconnect_rqst(server, after_error(0)), s.disconnect_resp(client, after_error(0));
}

Change answer_with(std::uint8_t r_ctl, std::uint32_t parameter) {
    return [=](FcviSpec& spec) {
        spec.link_control = r_ctl;
        spec.link_parameter = parameter;
    };
}

/// A fabric that keeps no order; the second of three frames is busied, and sent again.
void busy_out_of_order(FcviScene& s, const Change& busy) {
    const LoginChange no_order = [](fc::Login& login) {
        for (fc::ClassServiceParameters& parameters : login.classes) parameters.sequential_delivery = false;
    };
    for (const FcPort& port : {s.fabric.a, s.fabric.b}) fabric_login(s, s.fabric, port, {.accept = no_order});
    port_login(s, s.fabric.a, s.fabric.b);
    s.connect();
    s.service_class = 2;
    const auto frame = [&](std::uint16_t seq_cnt, const Change& answer) {
        const std::uint32_t begin = 200U * seq_cnt;
        s.data(client, IuType::send_rqst, 600, begin, begin + 200, seq_cnt == 2, [&](FcviSpec& spec) {
            spec.first_sequence = true;
            spec.end_sequence = seq_cnt == 2;
            spec.seq_cnt = seq_cnt;
            answer(spec);
        });
    };
    frame(0, FcviDialogue::unchanged), frame(1, busy), frame(1, FcviDialogue::unchanged);
    frame(2, FcviDialogue::unchanged);
    s.end();
}

void add_unacknowledged_frames(Rows& rows) {
    const Change busy = answer_with(fc::r_ctl_p_bsy, 0x0203'0000);  // Sequence active; resource busy
    const Change fabric_busy = answer_with(fc::r_ctl_f_bsy_data, 0);
    const Change rejected = answer_with(fc::r_ctl_p_rjt, 0x0212'0000);      // not retryable; protocol error
    const Change abort = [](FcviSpec& spec) { spec.abort_condition = 1; };  // Abort Sequence, Perform ABTS
    const Change no_ack = [](FcviSpec& spec) { spec.answered = false; };
    const auto goes_on = [&](const char* name, const char* happens, const char* clause, const Change& answer) {
        rows.push_back(fcvi_scenario(
            name, FcviScene(iso, unreliable_delivery), happens, clause,
            "connected, closed: client send 600 aborted; client send 100", {}, [=](FcviScene& s) {
                abort_for(s, answer);
                s.send_message(client, 100);
                s.end();
            }));
    };
    const auto breaks = [&](const char* name, const char* happens, const char* clause, const Change& answer,
                            capture::Time wait = 0) {
        rows.push_back(fcvi_scenario(
            name, FcviScene(iso, reliable_delivery), happens, clause, "connected, closed: client send 600 aborted", {},
            [=](FcviScene& s) {
                abort_for(s, answer, wait);
                disconnect_in_error(s);
            }));
    };
    goes_on(
        "frame_busy_in_class_2",
        "The second frame of a Send gets P_BSY instead of ACK_1: its Exchange is aborted, the next Message succeeds",
        "B.2.6.1 rule 8a", busy);
    breaks(
        "frame_busy_reliable",
        "The same with F_BSY on Reliable Delivery: the client's endpoint goes to Error, and disconnects",
        "B.2.6.1 rule 8a", fabric_busy);
    rows.push_back(fcvi_scenario(
        "frame_busy_out_of_order", FcviScene(iso, unreliable_delivery),
        "The fabric keeps no order: the frame that gets P_BSY is sent again", "B.2.6.1 rule 8b",
        "connected, closed: client send 600", {}, [=](FcviScene& s) { busy_out_of_order(s, busy); }));
    goes_on(
        "frame_rejected_in_class_2",
        "The second frame of a Send gets P_RJT instead of ACK_1: its Exchange is aborted, the next Message succeeds",
        "B.2.6.1 rule 8c", rejected);
    breaks(
        "frame_rejected_reliable",
        "The same on Reliable Delivery: the client's endpoint goes to Error, and disconnects", "B.2.6.1 rule 8c",
        rejected);
    goes_on(
        "ack_asks_for_abort",
        "The ACK_1 of a Send's second frame asks for an abort: its Exchange is aborted, the next Message succeeds",
        "B.2.6.1 rule 8d", abort);
    breaks(
        "ack_times_out",
        "No ACK_1 comes within E_D_TOV on Reliable Delivery: the Exchange is aborted, and the client disconnects",
        "B.2.6.1 rule 8e", no_ack, e_d_tov);
}

}  // namespace

const std::vector<FcScenario>& fcvi_scenarios() {
    static const Rows rows = [] {
        Rows made;
        for (const fcvi::Version version : {rev_1_0, iso}) add_setups(made, version);
        add_iso_setups(made);
        add_concurrent_peers(made);
        add_lost_setup_ius(made);
        add_disconnects(made);
        for (const fcvi::Version version : {rev_1_0, iso}) add_levels(made, version);
        add_message_scenarios(made);
        add_lost_messages(made);
        add_unacknowledged_frames(made);
        return made;
    }();
    return rows;
}

}  // namespace fabricscope::traffic
