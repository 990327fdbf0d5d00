// SPDX-License-Identifier: GPL-2.0-or-later
// For each rule of FC-VI a connection on which just it is broken.
#include "tests/traffic/fcvi_scene.h"

namespace fabricscope::traffic {
namespace {

using fcvi::IuType;
using Rows = std::vector<FcScenario>;
using Change = FcviDialogue::Change;

const FcviScene on_reception{}, on_delivery{iso, reliable_delivery}, on_unreliable{iso, unreliable_delivery};
const FcviScene draft{rev_1_0, unreliable_delivery};

constexpr const char* open = "connected";

class Table {
public:
    /// `name` is the rule, or RULE-variant.
    void add(
        const char* name, const FcviScene& scene, const char* happens, const char* result, FcviPlay play,
        std::vector<std::string> others = {}) {
        const std::string whole = name;
        // FCVI-NN or VI-RNN, and what follows
        const std::string rule = whole.substr(0, whole.find('_'));
        std::vector<std::string> findings{rule};
        findings.insert(findings.end(), others.begin(), others.end());
        rows.push_back(fcvi_scenario(whole, scene, happens, "", result, std::move(findings), std::move(play)));
    }
    Rows rows;
};

const Change retried = [](FcviSpec& s) { s.set_retry(); };
const Change failed = [](FcviSpec& s) {
    auto& head = s.head<fcvi::MessageResponseHead>();
    head.resp_err = head.desc_err = true;
};

Change saying(std::uint8_t reason) {
    return [reason](FcviSpec& s) { s.say(reason); };
}
/// An octet of the payload.
Change patched(std::size_t at, std::uint8_t octet) {
    return [=](FcviSpec& s) { s.payload[at] = octet; };
}

// ---- a single IU ---------------------------------------------------------------------------------

void add_iu_rules(Table& t) {
    t.add("FCVI-01", on_unreliable, "a Send has R_CTL 04h", "connected: client send 100", [](FcviScene& s) {
        s.begin();
        s.send_message(client, 100, [](FcviSpec& spec) { spec.r_ctl = 0x04; });
    });
    t.add("FCVI-01_rev10", draft, "a Send has R_CTL 04h", "connected: client send 100", [](FcviScene& s) {
        s.begin();
        s.send_message(client, 100, [](FcviSpec& spec) { spec.r_ctl = 0x04; });
    });
    t.add(
        "FCVI-02", on_unreliable, "a Send has a Device_Header of 16 octets", "connected: client send 100",
        [](FcviScene& s) {
            s.begin();
            s.send_message(client, 100, [](FcviSpec& spec) { spec.header.target = std::monostate{}; });
        });
    t.add("FCVI-03", on_reception, "a reserved octet of the Device_Header is set", open, [](FcviScene& s) {
        s.login();
        s.rqst(client, [](FcviSpec& spec) { spec.header.common().reserved = 1; });
        s.resp1(), s.finish_setup();
    });
    t.add(
        "FCVI-03_word_84", on_reception, "word 84 of the connect payload, which table 16 does not define, is set", open,
        [](FcviScene& s) { s.login(), s.rqst(client, patched(339, 1)), s.resp1(), s.finish_setup(); });
    t.add("FCVI-04", on_unreliable, "an IU has opcode 33h", open, [](FcviScene& s) {
        s.begin();
        s.send_message(client, 100, [](FcviSpec& spec) { spec.header.common().opcode = 0x33; });
    });
    t.add("FCVI-05", on_reception, "SEND_RESP has a payload", "connected: client send 100", [](FcviScene& s) {
        s.begin();
        s.request(client, IuType::send_rqst, 100);
        s.respond(server, IuType::send_resp, [](FcviSpec& spec) { spec.payload.resize(4); });
    });
    t.add(
        "FCVI-05_connect_info", on_reception, "CONN_INFO is set, but the payload has no Connect Info", open,
        [](FcviScene& s) {
            s.login();
            s.rqst(client, [](FcviSpec& spec) { spec.head<fcvi::ConnectRequestHead>().conn_info = true; });
            s.resp1(), s.finish_setup();
        });
    t.add("FCVI-06", on_unreliable, "a Send goes to handle FFFFFFFFh", open, [](FcviScene& s) {
        s.begin();
        s.send_message(client, 100, [](FcviSpec& spec) { spec.header.common().handle = fcvi::unassigned_handle; });
    });
    t.add(
        "FCVI-07", on_reception, "CONNECT_RESP2 goes to a handle that the server has not announced", open,
        [](FcviScene& s) {
            s.login();
            s.rqst(), s.resp1();
            s.resp2(client, [](FcviSpec& spec) { spec.header.common().handle = 0x99; });
            s.resp3();
        });
    t.add(
        "FCVI-07_refused", on_reception, "CONNECT_RESP2 leaves the handle out that a refusing CONNECT_RESP1 has",
        "rejected (Connect Reject)", [](FcviScene& s) {
            s.login();
            s.rqst(), s.resp1(server, saying(0x04)), s.finish_refused();
        });
    t.add(
        "FCVI-07_response", on_reception, "SEND_RESP goes to another handle", "connected: client send 100",
        [](FcviScene& s) {
            s.begin();
            s.request(client, IuType::send_rqst, 100);
            s.respond(server, IuType::send_resp, [](FcviSpec& spec) { spec.header.common().handle = 0x99; });
        });
    t.add(
        "FCVI-08", on_unreliable, "RMT_VA changes within an IU", "connected: client rdma write 200", [](FcviScene& s) {
            s.begin();
            s.data_frames(client, IuType::write_rqst, 200, 0, 200, 100, [](FcviSpec& spec) {
                if (spec.offset != 0U) ++spec.target().rmt_va;
            });
        });
    t.add(
        "FCVI-18", on_unreliable, "a Send without Immediate Data has a parameter", "connected: client send 100",
        [](FcviScene& s) {
            s.begin();
            s.send_message(client, 100, [](FcviSpec& spec) { spec.header.parameter = fcvi::Parameter{7}; });
        });
    t.add(
        "FCVI-18_read", on_reception, "a Read has Immediate Data", "connected: client rdma read 100", [](FcviScene& s) {
            s.begin();
            s.read_message(client, 100, [](FcviSpec& spec) { spec.set_immediate_data(7); });
        });
    t.add(
        "FCVI-19", on_unreliable,
        "a Send that nobody answers passes Sequence Initiative instead of ending its Exchange",
        "connected: client send 100 open", [](FcviScene& s) {
            s.begin();
            s.send_message(client, 100, [](FcviSpec& spec) {
                spec.initiative = true;
                spec.last_sequence = false;
            });
        });
    t.add("FCVI-19_setup", on_reception, "CONNECT_RESP3 does not end the Exchange", open, [](FcviScene& s) {
        s.login();
        s.rqst(), s.resp1(), s.resp2();
        s.resp3(server, [](FcviSpec& spec) { spec.last_sequence = false; });
    });
    t.add("FCVI-24", on_reception, "the reason is a reserved one", "rejected (Reserved)", [](FcviScene& s) {
        s.login();
        s.rqst(), s.refuse(server, 0x30), s.finish_refused();
    });
    t.add(
        "FCVI-24_disconnect", on_reception, "a Disconnect has a reason of Connect Responses", "connected, half",
        [](FcviScene& s) {
            s.begin();
            s.disconnect_rqst(client, saying(0x04)), s.disconnect_resp(server);
        });
    t.add(
        "FCVI-35", on_reception, "a discriminator has 8 octets", open,
        [](FcviScene& s) {
            const auto shorter = [](std::size_t at) { return patched(at, 8); };
            s.login();
            s.rqst(client, shorter(12 + 3)), s.resp1(server, shorter(12 + 148 + 3)), s.finish_setup();
        },
        {"FCVI-35"});
    t.add("FCVI-35_rev10", draft, "a host address has 4 octets", open, [](FcviScene& s) {
        s.login();
        s.rqst(client, patched(8 + 1, 4)), s.resp1(), s.finish_setup();
    });
    t.add("VI-R11", on_reception, "the server says Connect Timeout", "rejected (Connect Timeout)", [](FcviScene& s) {
        s.login();
        s.rqst(), s.refuse(server, 0x02), s.finish_refused();
    });
    t.add(
        "VI-R37", on_reception, "RESP_ERR is set without a cause", "connected: client send 100 failed",
        [](FcviScene& s) {
            s.begin();
            s.request(client, IuType::send_rqst, 100);
            s.respond(server, IuType::send_resp, [](FcviSpec& spec) {
                spec.head<fcvi::MessageResponseHead>().resp_err = true;
            });
        });
    t.add(
        "VI-R37_protection", on_reception, "SEND_RESP tells an RDMA protection error",
        "connected: client send 100 failed", [](FcviScene& s) {
            s.begin();
            s.request(client, IuType::send_rqst, 100);
            s.respond(server, IuType::send_resp, [](FcviSpec& spec) {
                auto& head = spec.head<fcvi::MessageResponseHead>();
                head.resp_err = head.prot_err = true;
            });
        });
}

// ---- setups --------------------------------------------------------------------------------------

void add_setup_rules(Table& t) {
    t.add(
        "FCVI-20", on_unreliable, "the client sends a Message before its CONNECT_RESP2", "connected: client send 100",
        [](FcviScene& s) {
            s.login();
            s.rqst(), s.resp1();
            s.send_message(client);
            s.finish_setup();
        });
    t.add(
        "FCVI-20_server", on_unreliable, "the server sends a Message before its CONNECT_RESP3",
        "connected: server send 100", [](FcviScene& s) {
            s.login();
            s.rqst(), s.resp1(), s.resp2();
            s.send_message(server);
            s.resp3();
        });
    t.add("FCVI-21", on_reception, "CONNECT_RESP1 does not echo FCVI_CONNECTION_ID", open, [](FcviScene& s) {
        s.login();
        s.rqst();
        s.resp1(server, [](FcviSpec& spec) { ++spec.connection().connection_id; });
        s.finish_setup();
    });
    t.add(
        "FCVI-21_reused", on_reception, "a setup has the FCVI_CONNECTION_ID of another one that is under way",
        "unknown / unknown", [](FcviScene& s) {
            s.login();
            s.rqst();
            s.setup_number = 1;
            s.rqst(client, [](FcviSpec& spec) {
                --spec.connection().connection_id;
                spec.payload[11] = 0x77;  // another endpoint
            });
        });
    t.add("FCVI-22", on_reception, "a retried request is answered without RETRY", open, [](FcviScene& s) {
        s.login();
        s.rqst();
        s.setup_number = 1;
        s.rqst(client, retried), s.resp1(), s.finish_setup(client, retried);
    });
    t.add("FCVI-22_twice", on_reception, "a setup is retried twice", open, [](FcviScene& s) {
        s.login();
        s.rqst();
        for (const int number : {1, 2}) s.setup_number = number, s.rqst(client, retried);
        s.resp1(server, retried), s.finish_setup(client, retried);
    });
    t.add("FCVI-23", on_reception, "of two concurrent peers both accept", open, [](FcviScene& s) {
        s.peers = true;
        s.login();
        s.rqst(client), s.rqst(server);
        s.resp1(client), s.resp1(server);
        s.finish_setup(server);
    });
    t.add(
        "FCVI-23_early", on_reception, "the lower Port_Name does not wait for its own answer", open, [](FcviScene& s) {
            s.peers = true;
            s.login();
            s.rqst(client), s.rqst(server);
            s.refuse(server, 0x05), s.resp1(client);
            s.finish_setup(server);
        });
    t.add("FCVI-23_rev10", draft, "the lower host address accepts", open, [](FcviScene& s) {
        s.peers = true;
        s.login();
        s.rqst(client), s.rqst(server);
        s.resp1(client);
        s.finish_setup(server);
    });
    t.add("FCVI-26", on_reception, "FARP-REQ asks for a login, not for a reply", open, [](FcviScene& s) {
        fc::Farp farp;
        farp.command = fc::els_farp_request;
        farp.match = fc::farp_match_ip;
        farp.action = fc::farp_login;
        farp.requesting_port_id = FcviDialogue::port_id(client);
        farp.responding_ip = fc_ip(ip_of_b);
        s.login();
        s.farp(client, farp);
        s.connect();
    });
    t.add(
        "FCVI-27", on_reception, "the client asks a port whose login lacks continuously increasing Relative Offset",
        open, [](FcviScene& s) {
            s.fabric.b.increasing_relative_offset = false;
            s.begin();
        });
    t.add(
        "FCVI-27_accepted", on_reception, "the server accepts a port whose login lacks continuously increasing SEQ_CNT",
        open, [](FcviScene& s) {
            s.fabric.a.increasing_seq_cnt = false;
            s.begin();
        });
    t.add("FCVI-34", on_reception, "accepted with another FCVI_MAX_TRANS_SIZE", open, [](FcviScene& s) {
        s.login();
        s.rqst();
        s.max_trans_size = 1;
        s.resp1(), s.finish_setup();
    });
    t.add("FCVI-34_level", on_reception, "accepted with another Reliability Level", open, [](FcviScene& s) {
        s.login();
        s.rqst();
        s.level = unreliable_delivery;
        s.resp1(), s.finish_setup();
    });
    t.add("VI-R3", on_reception, "accepted with another FCVI_PIPELINE_DEPTH", open, [](FcviScene& s) {
        s.login();
        s.rqst();
        s.pipeline_depth = 9;
        s.resp1(), s.finish_setup();
    });
    t.add("VI-R4", on_reception, "the server answers for another host address", open, [](FcviScene& s) {
        s.login();
        s.rqst(), s.resp1(server, patched(12 + 19, 99)), s.finish_setup();
    });
    t.add(
        "VI-R9", on_reception, "the client answers before it has CONNECT_RESP3 (and the server has sent too early)",
        "connected: server send 100",
        [](FcviScene& s) {
            s.login();
            s.rqst(), s.resp1(), s.resp2();
            s.send_message(server);
            s.resp3();
        },
        {"FCVI-20"});
    t.add(
        "VI-R10", on_unreliable, "a Message after a setup that was refused",
        "rejected (Connect Reject): client send 100", [](FcviScene& s) {
            s.login();
            s.rqst(), s.resp1(server, saying(0x04)), s.finish_setup();
            s.send_message(client);
        });
    t.add(
        "VI-R15", on_reception, "a retried request is answered otherwise than the first was",
        "rejected (Connect Reject)", [](FcviScene& s) {
            s.login();
            s.rqst(), s.resp1();
            s.setup_number = 1;
            s.rqst(client, retried);
            s.resp1(server, [](FcviSpec& spec) { retried(spec), spec.say(0x04), spec.payload[20] ^= 1; });
        });
    t.add(
        "VI-R16", on_reception, "a handle that belongs to a connection is given to another one",
        "connected / connected", [](FcviScene& s) {
            s.begin();
            s.setup_number = 1;
            s.rqst();
            s.resp1(server, patched(11, 0x77));
            s.resp2(client, [](FcviSpec& spec) { spec.header.common().handle = 0x0B77; });
            s.resp3();
        });
    t.add(
        "VI-R24", on_reception, "an endpoint in Error asks for a connection before it has disconnected",
        "connected, half / unknown", [](FcviScene& s) {
            s.begin();
            s.disconnect(server);
            s.setup_number = 1;
            s.rqst();
        });
}

// ---- Messages ------------------------------------------------------------------------------------

void add_message_rules(Table& t) {
    t.add("FCVI-09", on_unreliable, "the first MSG_ID is 0", "connected: client send 100", [](FcviScene& s) {
        s.begin();
        s.send_message(client, 100, [](FcviSpec& spec) { spec.header.common().msg_id = 0; });
    });
    t.add(
        "FCVI-09_again", on_unreliable, "MSG_ID 1 is used twice", "connected: client send 100; client send 100",
        [](FcviScene& s) {
            s.begin();
            s.send_message(client);
            s.send_message(client, 100, [](FcviSpec& spec) { spec.header.common().msg_id = 1; });
        });
    t.add(
        "FCVI-09_rev10", draft, "MSG_ID of a Disconnect is not the one after the last Message's",
        "connected, half: client send 100", [](FcviScene& s) {
            const Change seven = [](FcviSpec& spec) { spec.header.common().msg_id = 7; };
            s.begin();
            s.send_message(client);
            s.disconnect_rqst(client, seven), s.disconnect_resp(server, seven);
        });
    t.add("FCVI-10", on_reception, "SEND_RESP has another MSG_ID", "connected: client send 100", [](FcviScene& s) {
        s.begin();
        s.request(client, IuType::send_rqst, 100);
        s.respond(server, IuType::send_resp, [](FcviSpec& spec) { ++spec.header.common().msg_id; });
    });
    const FcviPlay restart = [](FcviScene& s) {
        s.begin();
        s.data(client, IuType::write_rqst, 200, 0, 100, false);
        s.data(client, IuType::write_rqst, 200, 100, 200, true, [](FcviSpec& spec) { spec.seq_cnt = 0; });
    };
    t.add(
        "FCVI-11", on_unreliable, "SEQ_CNT begins again in the second Sequence", "connected: client rdma write 200",
        restart);
    t.add(
        "FCVI-11_rev10", draft, "SEQ_CNT begins again in the second Sequence", "connected: client rdma write 200",
        restart);
    t.add(
        "FCVI-12", on_unreliable, "the Relative Offset leaves 20 octets out", "connected: client rdma write 180",
        [](FcviScene& s) {
            s.begin();
            s.data(client, IuType::write_rqst, 200, 0, 100, false);
            s.data(client, IuType::write_rqst, 200, 120, 200, true);
        });
    t.add("FCVI-13", on_unreliable, "a Message has 90 octets of 100", "connected: client send 90", [](FcviScene& s) {
        s.begin();
        s.send_message(client, 100, [](FcviSpec& spec) { spec.payload.resize(90); });
    });
    t.add(
        "FCVI-14", on_unreliable, "RMT_VA_HANDLE changes within a Message", "connected: client rdma write 200",
        [](FcviScene& s) {
            s.begin();
            s.data(client, IuType::write_rqst, 200, 0, 100, false);
            s.data(
                client, IuType::write_rqst, 200, 100, 200, true, [](FcviSpec& spec) { ++spec.target().rmt_va_handle; });
        });
    t.add(
        "VI-R30", on_unreliable, "a Write goes beyond the end of the address space", "connected: client rdma write 100",
        [](FcviScene& s) {
            s.begin();
            s.data(client, IuType::write_rqst, 100, 0, 100, true, [](FcviSpec& spec) {
                spec.target().rmt_va = UINT64_MAX - 50;
            });
        });
    t.add(
        "FCVI-15", on_delivery, "a Send is answered on Reliable Delivery", "connected: client send 100",
        [](FcviScene& s) {
            s.begin();
            s.send_message(client);
            s.respond(server, IuType::send_resp);
        });
    t.add(
        "FCVI-16", on_unreliable, "a Read on Unreliable Delivery", "connected: client rdma read 100",
        [](FcviScene& s) { s.begin(), s.read_message(client); });
    t.add(
        "FCVI-17", on_unreliable, "a Write at an endpoint that has not enabled it", "connected: client rdma write 100",
        [](FcviScene& s) {
            s.rdma = false;
            s.begin();
            s.write_message(client);
        });
    t.add(
        "FCVI-28", on_unreliable, "PREF is set in the second Message, but not in the first",
        "connected: client send 100; client send 100", [](FcviScene& s) {
            s.begin();
            s.send_message(client);
            s.send_message(client, 100, [](FcviSpec& spec) { spec.preference = true; });
        });
    t.add("FCVI-28_setup", on_reception, "PREF is set in a setup", open, [](FcviScene& s) {
        s.login();
        s.rqst(client, [](FcviSpec& spec) { spec.preference = true; });
        s.resp1(), s.finish_setup();
    });
    t.add(
        "FCVI-29", on_reception, "three Messages are open, FCVI_PIPELINE_DEPTH is 1",
        "connected: client send 100; client send 100; client send 100", [](FcviScene& s) {
            s.pipeline_depth = 1;
            s.begin();
            for (int i = 0; i < 3; ++i) s.request(client, IuType::send_rqst, 100);
            for (std::uint32_t id = 1; id <= 3; ++id) s.respond_to(id, server, IuType::send_resp);
        });
    for (const FcviScene* scene : {&on_unreliable, &draft})
        t.add(
            scene == &draft ? "FCVI-30_rev10" : "FCVI-30", *scene, "a Message is larger than FCVI_MAX_TRANS_SIZE",
            "connected: client send 51", [](FcviScene& s) {
                s.max_trans_size = 50;
                s.begin();
                s.send_message(client, 51);
            });
    t.add(
        "FCVI-32", on_reception, "no SEND_RESP within R_A_TOV", "connected: client send 100 aborted", [](FcviScene& s) {
            s.begin();
            s.request(client, IuType::send_rqst, 100);
            s.give_up_message(client);
        });
    t.add(
        "FCVI-33", on_reception, "Message 3 is answered though Message 2 never came",
        "connected: client send 100; client send 100", [](FcviScene& s) {
            s.begin();
            s.send_message(client);
            s.skip_message(client);
            s.send_message(client);
        });
    t.add(
        "FCVI-36", on_unreliable, "two frames of an IU have the same SEQ_CNT", "connected: client rdma write 200",
        [](FcviScene& s) {
            s.begin();
            s.data_frames(client, IuType::write_rqst, 200, 0, 200, 100, [](FcviSpec& spec) { spec.seq_cnt = 0; });
        });
    t.add(
        "VI-R33", on_reception, "Message 2 is answered before Message 1", "connected: client send 100; client send 100",
        [](FcviScene& s) {
            s.begin();
            for (int i = 0; i < 2; ++i) s.request(client, IuType::send_rqst, 100);
            for (const std::uint32_t id : {2U, 1U}) s.respond_to(id, server, IuType::send_resp);
        });
    t.add(
        "VI-R34", on_reception, "a Send is answered before the Read that came before it",
        "connected: client rdma read 100; client send 100", [](FcviScene& s) {
            s.begin();
            s.request(client, IuType::read_rqst, 100);
            s.request(client, IuType::send_rqst, 100);
            s.respond(server, IuType::send_resp);
            s.respond_to(1, server, IuType::read_resp, [](FcviSpec& spec) {
                spec.target() = {0x0000'7F00'0000'1000, 0x77, 100};
                spec.payload = message_data(0, 100);
                spec.offset = 0;
            });
        });
    t.add(
        "VI-R35", on_reception, "Message 2 succeeds after Message 1 has failed",
        "connected: client send 100 failed; client send 100", [](FcviScene& s) {
            s.begin();
            for (int i = 0; i < 2; ++i) s.request(client, IuType::send_rqst, 100);
            s.respond_to(1, server, IuType::send_resp, failed), s.respond_to(2, server, IuType::send_resp);
        });
    t.add(
        "VI-R40", on_reception, "long after a Message has failed its sender begins another one",
        "connected: client send 100 failed; client send 100 failed", [](FcviScene& s) {
            s.begin();
            s.request(client, IuType::send_rqst, 100), s.respond(server, IuType::send_resp, failed);
            s.now += 2 * r_a_tov;
            s.request(client, IuType::send_rqst, 100), s.respond(server, IuType::send_resp, failed);
        });
}

// ---- the end -------------------------------------------------------------------------------------

void add_end_rules(Table& t) {
    t.add("FCVI-25", on_reception, "DISCONNECT_RESP does not echo VI_APP_DISCON", "connected, half", [](FcviScene& s) {
        s.begin();
        s.disconnect_rqst(client);
        s.disconnect_resp(server, [](FcviSpec& spec) { spec.head<fcvi::DisconnectHead>().vi_app_discon = false; });
    });
    t.add(
        "FCVI-25_id", on_reception, "DISCONNECT_RESP does not echo FCVI_CONNECTION_ID", "connected, half",
        [](FcviScene& s) {
            s.begin();
            s.disconnect_rqst(client);
            s.disconnect_resp(server, [](FcviSpec& spec) { spec.connection().connection_id = 5; });
        });
    t.add(
        "FCVI-31", on_unreliable, "who has answered a Disconnect sends a Message", "connected, half: server send 100",
        [](FcviScene& s) {
            s.begin();
            s.disconnect(client);
            s.send_message(server);
        });
    t.add("FCVI-31_logout", on_unreliable, "a Message after a LOGO", "connected: client send 100", [](FcviScene& s) {
        s.begin();
        port_logout(s, s.fabric.a, s.fabric.b);
        s.send_message(client);
    });
    t.add(
        "FCVI-31_fabric", on_unreliable, "a Message of a port that has logged into another Fabric since",
        "connected: client send 100", [](FcviScene& s) {
            const LoginChange other = [](fc::Login& login) { ++login.names.node_name; };
            s.begin();
            fabric_login(s, s.fabric, s.fabric.a, {.accept = other});
            s.send_message(client);
        });
    t.add(
        "FCVI-31_fan", on_unreliable, "FAN tells of another Fabric, and the port sends a Message",
        "connected: client send 100", [](FcviScene& s) {
            fc::Fan other;
            other.fabric_port_name = s.fabric.f_port.port_name;
            other.fabric_name = s.fabric.f_port.node_name + 1;
            s.begin();
            s.fan(client, other);
            s.send_message(client);
        });
    t.add(
        "VI-R19", on_reception, "a Disconnect of a connection has an FCVI_CONNECTION_ID", "connected, half",
        [](FcviScene& s) {
            const Change five = [](FcviSpec& spec) { spec.connection().connection_id = 5; };
            s.begin();
            s.disconnect_rqst(client, five), s.disconnect_resp(server, five);
        });
    t.add("VI-R20", on_reception, "a Disconnect that aborts a setup has a MSG_ID", "aborted", [](FcviScene& s) {
        const Change aborting = [&](FcviSpec& spec) {
            spec.head<fcvi::DisconnectHead>().conn_setup_abort = true;
            spec.connection().connection_id = s.setup_ox_id(client);
        };
        s.login();
        s.rqst();
        s.disconnect_rqst(client, [&](FcviSpec& spec) {
            aborting(spec), spec.say(0x49);
            spec.header.common().handle = fcvi::unassigned_handle;
            spec.header.common().msg_id = 4;
        });
        s.disconnect_resp(server, aborting);
    });
    t.add(
        "VI-R21", on_reception, "Connection Does Not Exist is told to the handle of a connection", "connected, half",
        [](FcviScene& s) {
            s.begin();
            s.disconnect_rqst(client), s.disconnect_resp(server, saying(0x4A));
        });
    t.add(
        "VI-R22", on_reception, "a Disconnect tells a MSG_ID that the peer has not used yet",
        "connected, half: server send 100", [](FcviScene& s) {
            s.begin();
            s.send_message(server);
            s.disconnect_rqst(client, [](FcviSpec& spec) { spec.header.common().msg_id = 2; });
            s.disconnect_resp(server);
        });
    t.add(
        "VI-R22_completed", on_reception, "a Disconnect tells fewer Messages than its sender has answered well",
        "connected, half: server send 100; server send 100; server send 100; client send 100", [](FcviScene& s) {
            s.begin();
            s.send_message(server), s.send_message(server), s.send_message(server), s.send_message(client);
            s.disconnect_rqst(client, [](FcviSpec& spec) { spec.header.common().msg_id = 2; });
            s.disconnect_resp(server);
        });
    t.add(
        "VI-R23", on_unreliable, "a Message after the same side's DISCONNECT_RQST", "connected, half: client send 100",
        [](FcviScene& s) {
            s.begin();
            s.disconnect_rqst(client);
            s.send_message(client);
            s.disconnect_resp(server);
        });
}

}  // namespace

const std::vector<FcScenario>& fcvi_violations() {
    static const Rows rows = [] {
        Table table;
        add_iu_rules(table);
        add_setup_rules(table);
        add_message_rules(table);
        add_end_rules(table);
        return std::move(table.rows);
    }();
    return rows;
}

}  // namespace fabricscope::traffic
