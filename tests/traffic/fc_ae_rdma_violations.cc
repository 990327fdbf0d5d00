// SPDX-License-Identifier: GPL-2.0-or-later
// For each rule of FC-AE-RDMA messages among which just it is broken.
#include "tests/traffic/fc_ae_rdma_scene.h"

namespace fabricscope::traffic {
namespace {

using fc_ae_rdma::StatusCode;
using Rows = std::vector<FcScenario>;

/// `name` is the rule, or RULE_variant.
void add(Rows& rows, const std::string& name, const char* happens, const char* result, FcAeRdmaPlay play) {
    rows.push_back(fc_ae_rdma_scenario(name, happens, "", result, {name.substr(0, name.find('_'))}, std::move(play)));
}

void add_command_rules(Rows& rows) {
    add(rows, "AERDMA-01", "an FCP_CMND has neither Code, between ports that use FC-AE-RDMA", "read 100",
        [](FcAeRdmaScene& s) { s.login(), s.read(100), s.plain_command(); });
    add(rows, "AERDMA-02", "FCP_LUN has a second level", "read 0", [](FcAeRdmaScene& s) {
        s.login();
        s.command(true, 0, [](FcAeRdmaSpec& spec) { spec.payload[2] = 1; }), s.response();
    });
    add(rows, "AERDMA-03", "neither READ DATA nor WRITE DATA is set", "write 0", [](FcAeRdmaScene& s) {
        s.login();
        s.command(true, 0, [](FcAeRdmaSpec& spec) { spec.payload[11] = 0x00; }), s.response();
    });
    add(rows, "AERDMA-03_both", "READ DATA and WRITE DATA are set", "read 0", [](FcAeRdmaScene& s) {
        s.login();
        s.command(true, 0, [](FcAeRdmaSpec& spec) { spec.payload[11] = 0x03; }), s.response();
    });
    add(rows, "AERDMA-04", "FCP_CMND asks for a Target Reset", "read 0", [](FcAeRdmaScene& s) {
        s.login();
        s.command(true, 0, [](FcAeRdmaSpec& spec) { spec.payload[10] = 0x20; }), s.response();
    });
    add(rows, "AERDMA-05", "the Target sends FCP_XFER_RDY", "write 100", [](FcAeRdmaScene& s) {
        s.login();
        s.command(false, 100), s.transfer_ready(), s.data(100), s.response();
    });
    add(rows, "AERDMA-06", "FCP_CMND says that it has a Relative Offset", "read 0", [](FcAeRdmaScene& s) {
        s.login();
        s.command(true, 0, [](FcAeRdmaSpec& spec) { spec.header.f_ctl.relative_offset_present = true; });
        s.response();
    });
}

void add_data_rules(Rows& rows) {
    add(rows, "AERDMA-07", "the first frame of data has Relative Offset 50", "read 100 of 150", [](FcAeRdmaScene& s) {
        s.login();
        s.command(true, 150), s.data(100, [](FcAeRdmaSpec& spec) { spec.header.parameter = 50; });
        s.response(StatusCode::good, [](FcAeRdmaSpec& spec) { spec.payload[10] = 0x08, spec.payload[15] = 50; });
    });
    add(rows, "AERDMA-08", "the second frame of data leaves 10 octets out", "read 90 of 100", [](FcAeRdmaScene& s) {
        s.login();
        s.command(true, 100), s.data(50);
        s.data(40, [](FcAeRdmaSpec& spec) { spec.header.parameter = 60; });
        s.response(StatusCode::good, [](FcAeRdmaSpec& spec) { spec.payload[10] = 0x08, spec.payload[15] = 10; });
    });
    add(rows, "AERDMA-09", "write data in class 3 have an RX_ID", "write 100", [](FcAeRdmaScene& s) {
        s.login();
        s.command(false, 100), s.data(100, [](FcAeRdmaSpec& spec) { spec.header.rx_id = 0x1234; }), s.response();
    });
    add(rows, "AERDMA-10", "60 of 100 octets are read, and FCP_RESID does not tell", "read 60 of 100",
        [](FcAeRdmaScene& s) { s.login(), s.command(true, 100), s.data(60), s.response(); });
    add(rows, "AERDMA-14", "data follow an error status", "write 100, BUSY", [](FcAeRdmaScene& s) {
        s.login();
        s.command(false, 100), s.response(StatusCode::busy), s.data(100);
    });
    add(rows, "AERDMA-14_beyond", "data lie beyond FCP_DL", "write 200 of 100", [](FcAeRdmaScene& s) {
        s.login();
        s.command(false, 100), s.data(200);
    });
    add(rows, "AERDMA-19", "a read passes the end of a region of 1100h octets", "read 256; read 257",
        [](FcAeRdmaScene& s) {
            s.login();
            s.lun = 9;
            s.read(0x100), s.read(0x101);
        });
    rows.back().options = "--region 04.05.06/9=4352";
    add(rows, "AERDMA-19_overrun", "a read succeeds beyond what the Target has called an overrun",
        "read 0 of 512, BUFFER OVERRUN; read 600", [](FcAeRdmaScene& s) {
            s.login();
            s.command(true, 512), s.response(StatusCode::buffer_overrun);
            s.read(600);
        });
    add(rows, "AERDMA-18", "the Initiator sends the data of a read", "read 100", [](FcAeRdmaScene& s) {
        s.login();
        s.command(true, 100), s.data(100, [](FcAeRdmaSpec& spec) { spec.from_initiator = true; }), s.response();
    });
}

void add_response_rules(Rows& rows) {
    const auto answered = [&](const char* name, const char* happens, const char* result, auto change) {
        add(rows, name, happens, result, [change](FcAeRdmaScene& s) {
            s.login();
            s.command(true, 0), s.response(StatusCode::good, change);
        });
    };
    answered("AERDMA-11", "FCP_RSP has 32 octets", "read 0", [](FcAeRdmaSpec& spec) { spec.payload.resize(32); });
    answered("AERDMA-12", "FCP_SNS_LEN is 8", "read 0", [](FcAeRdmaSpec& spec) { spec.payload[19] = 8; });
    answered("AERDMA-13", "the status code is CHECK CONDITION's", "read 0, 2", [](FcAeRdmaSpec& spec) {
        spec.payload[11] = 0x02;
    });
    answered("AERDMA-15", "FCP_RSP does not end the Exchange", "read 0", [](FcAeRdmaSpec& spec) {
        spec.header.f_ctl.last_sequence = false;
    });
    add(rows, "AERDMA-15_turn", "the Target answers a write whose last data have kept the Sequence Initiative",
        "write 100", [](FcAeRdmaScene& s) {
            s.login();
            s.command(false, 100);
            s.data(100, [](FcAeRdmaSpec& spec) { spec.header.f_ctl.sequence_initiative = false; });
            s.response();
        });
    add(rows, "AERDMA-15_command", "the Target answers a read whose FCP_CMND has kept the Sequence Initiative",
        "read 100", [](FcAeRdmaScene& s) {
            s.login();
            s.command(true, 100, [](FcAeRdmaSpec& spec) { spec.header.f_ctl.sequence_initiative = false; });
            s.data(100), s.response();
        });
    add(rows, "AERDMA-15_i3", "the data of a read pass the Sequence Initiative", "read 100", [](FcAeRdmaScene& s) {
        s.login();
        s.command(true, 100);
        s.data(100, [](FcAeRdmaSpec& spec) { spec.header.f_ctl.sequence_initiative = true; });
        s.response();
    });
    add(rows, "AERDMA-15_t7", "all data of a write pass the Sequence Initiative, not the last only", "write 100",
        [](FcAeRdmaScene& s) {
            s.login();
            s.command(false, 100);
            for (int i = 0; i < 2; ++i)
                s.data(50, [](FcAeRdmaSpec& spec) { spec.header.f_ctl.sequence_initiative = true; });
            s.response();
        });
    add(rows, "AERDMA-15_data", "FCP_DATA end the Exchange", "read 100", [](FcAeRdmaScene& s) {
        s.login();
        s.command(true, 100), s.data(100, [](FcAeRdmaSpec& spec) { spec.header.f_ctl.last_sequence = true; });
    });
}

void add_login_rules(Rows& rows) {
    struct Bit {
        const char* name;
        const char* happens;
        std::uint32_t parameters;
    };
    for (const Bit& bit :
         {Bit{"overlay", "PRLI allows data overlay", fc_ae_rdma_prli | 0x40},
          Bit{"initiator", "PRLI lacks the Initiator function", fc_ae_rdma_prli & ~0x20U},
          Bit{"target", "PRLI lacks the Target function", fc_ae_rdma_prli & ~0x10U},
          Bit{"command_data", "PRLI allows command and data mixed", fc_ae_rdma_prli | 0x08},
          Bit{"data_response", "PRLI allows data and response mixed", fc_ae_rdma_prli | 0x04},
          Bit{"read_xfer_rdy", "PRLI does not disable XFER_RDY of reads", fc_ae_rdma_prli & ~0x02U}}) {
        add(rows, std::string("AERDMA-16_") + bit.name, bit.happens, "read 100", [bit](FcAeRdmaScene& s) {
            s.login(bit.parameters);
            s.read(100);
        });
        add(rows, std::string("AERDMA-16_accept_") + bit.name,
            "the same in its accept, which is not answered with PRLO", "read 100", [bit](FcAeRdmaScene& s) {
                s.login(fc_ae_rdma_prli, bit.parameters);
                s.read(100);
            });
        rows.back().findings.emplace_back("AERDMA-17");
    }
    add(rows, "AERDMA-17", "a read after a PRLI that was rejected", "read 100", [](FcAeRdmaScene& s) {
        fabric_login(s, s.fabric, s.fabric.a), fabric_login(s, s.fabric, s.fabric.b);
        port_login(s, s.fabric.a, s.fabric.b);
        ask(s, s.fabric.a, s.fabric.b, fc::type_els, prli_payload(fc::type_fcp, fc_ae_rdma_prli),
            ls_rjt_payload(0x03, 0x2C));
        s.read(100);
    });
}

// ---- annex A ---------------------------------------------------------------------------------------

void add_to_profile(Rows& rows, const std::string& name, const char* happens, const char* result, FcAeRdmaPlay play) {
    add(rows, name, happens, result, std::move(play));
    rows.back().options = annex_a_option;
}

/// One login of a network says what it should not.
void add_login_line(
    Rows& rows, const char* name, const char* happens, LoginChange LoginChanges::*which,
    LoginChanges FcAeRdmaScene::*changes, LoginChange change) {
    add_to_profile(rows, name, happens, "read 100", [=, change = std::move(change)](FcAeRdmaScene& s) {
        (s.*changes).*which = change;
        s.login_as_annex_a();
        s.read(100);
    });
}

template <class Common> Common& common_of(fc::Login& login) { return std::get<Common>(login.common); }

void add_fabric_login_lines(Rows& rows) {
    const auto asks = [&](const char* name, const char* happens, LoginChange change) {
        add_login_line(rows, name, happens, &LoginChanges::request, &FcAeRdmaScene::fabric_changes, std::move(change));
    };
    const auto is_told = [&](const char* name, const char* happens, LoginChange change) {
        add_login_line(rows, name, happens, &LoginChanges::accept, &FcAeRdmaScene::fabric_changes, std::move(change));
    };
    using Request = fc::FabricServiceRequest;
    using Accept = fc::FabricServiceAccept;
    add_to_profile(rows, "AERDMA-20", "FLOGI comes from an address", "", [](FcAeRdmaScene& s) {
        const LoginChanges changes = as_annex_a();
        ask(s, s.fabric.a, s.fabric.f_port, fc::type_els, login_payload(s.fabric.a, fc::els_flogi, changes.request),
            flogi_accept_payload(s.fabric.f_port, 20, 10, changes.accept));
    });
    asks(
        "AERDMA-21", "FLOGI has BB_Credit 1", [](fc::Login& login) { common_of<Request>(login).credit.bb_credit = 1; });
    asks("AERDMA-22", "FLOGI has a Receive Data_Field size of 1,024", [](fc::Login& login) {
        common_of<Request>(login).sizes.receive_data_field_size = 1024;
    });
    asks("AERDMA-23", "FLOGI has 256 octets", [](fc::Login& login) {
        static constexpr std::array<std::uint8_t, 256 - fc::login_size> more{};
        common_of<Request>(login).payload_256 = true;
        login.extension = more;
    });
    is_told("AERDMA-24", "the fabric says R_A_TOV 10 s", [](fc::Login& login) {
        common_of<Accept>(login).r_a_tov = 10'000;
    });
    is_told("AERDMA-25", "the fabric says R_T_TOV 100 ms", [](fc::Login& login) {
        common_of<Accept>(login).short_r_t_tov = false;
    });
    asks("AERDMA-26", "FLOGI does not support Class 3", [](fc::Login& login) { login.classes[2] = {}; });
    asks("AERDMA-27", "FLOGI does not ask for Sequential Delivery", [](fc::Login& login) {
        login.classes[2].sequential_delivery = false;
    });
}

void add_port_login_lines(Rows& rows) {
    const auto asks = [&](const char* name, const char* happens, LoginChange change) {
        add_login_line(rows, name, happens, &LoginChanges::request, &FcAeRdmaScene::port_changes, std::move(change));
    };
    using Common = fc::PortServiceParameters;
    add_to_profile(rows, "AERDMA-30", "a read between ports without PLOGI", "read 100", [](FcAeRdmaScene& s) {
        fabric_login(s, s.fabric, s.fabric.a, as_annex_a());
        fabric_login(s, s.fabric, s.fabric.b, as_annex_a());
        s.read(100);
    });
    asks("AERDMA-31", "PLOGI has a Receive Data_Field size of 1,024", [](fc::Login& login) {
        common_of<Common>(login).sizes.receive_data_field_size = 1024;
    });
    asks("AERDMA-32", "PLOGI lacks Continuously Increasing Relative Offset", [](fc::Login& login) {
        common_of<Common>(login).continuously_increasing_relative_offset = false;
    });
    asks("AERDMA-33", "PLOGI lacks continuously increasing SEQ_CNT", [](fc::Login& login) {
        common_of<Common>(login).continuously_increasing_seq_cnt = false;
    });
    asks("AERDMA-34", "PLOGI has 256 octets", [](fc::Login& login) {
        static constexpr std::array<std::uint8_t, 256 - fc::login_size> more{};
        common_of<Common>(login).payload_256 = true;
        login.extension = more;
    });
    asks("AERDMA-35", "PLOGI allows 8 concurrent Sequences", [](fc::Login& login) {
        common_of<Common>(login).total_concurrent_sequences = 8;
    });
    asks("AERDMA-36", "PLOGI says E_D_TOV 2 s", [](fc::Login& login) { common_of<Common>(login).e_d_tov = 2000; });
    asks("AERDMA-37", "PLOGI does not support Class 3", [](fc::Login& login) { login.classes[2] = {}; });
    asks("AERDMA-38", "Class 3 has a Receive Data_Field size of 1,024", [](fc::Login& login) {
        login.classes[2].receive_data_field_size = 1024;
    });
    asks("AERDMA-39", "Initial Process_Associator is 01b", [](fc::Login& login) {
        login.classes[2].initial_process_associator = 1;
    });
    asks("AERDMA-40", "Class 3 has 8 concurrent Sequences", [](fc::Login& login) {
        login.classes[2].concurrent_sequences = 8;
    });
    asks("AERDMA-41", "no Sequence of an Exchange may be open", [](fc::Login& login) {
        login.classes[2].open_sequences_per_exchange = 0;
    });
    asks("AERDMA-42", "Class 2 has no ACK_0", [](fc::Login& login) { login.classes[1].ack_0_recipient = false; });
    asks("AERDMA-43", "Class 2 has an end-to-end credit of 1", [](fc::Login& login) {
        login.classes[1].end_to_end_credit = 1;
    });
}

/// A frame of an Exchange of its own, by the Initiator.
FcFrame single_frame(
    FcAeRdmaScene& s, std::uint32_t d_id, std::uint8_t r_ctl, std::uint8_t type, const Octets& payload) {
    fc::FrameHeader header;
    header.r_ctl = r_ctl;
    header.type = type;
    header.s_id = s.fabric.a.id;
    header.d_id = d_id;
    header.ox_id = s.fabric.a.next_x_id++;
    header.rx_id = fc::unassigned_x_id;
    header.f_ctl.first_sequence = header.f_ctl.end_sequence = true;
    return fc_frame(header, {}, payload);
}

void add_frame_lines(Rows& rows) {
    add_to_profile(rows, "AERDMA-28", "FCP_RSP is sent in Class 4", "read 100", [](FcAeRdmaScene& s) {
        s.login_as_annex_a();
        s.command(true, 100), s.data(100);
        s.response(StatusCode::good, [](FcAeRdmaSpec& spec) { spec.service_class = 4; });
    });
    add_to_profile(rows, "AERDMA-29", "the name server is asked in Class 2", "", [](FcAeRdmaScene& s) {
        const Octets query = gid_ipp_payload(fc_ip(ip_of_b));
        s.login_as_annex_a();
        s.emit(FcExchange(s.fabric.a, s.fabric.name_server, fc::type_ct, 2)
                   .send({.r_ctl = 0x02, .data = query, .passes_initiative = true}));
    });
    add_to_profile(rows, "AERDMA-44", "a PLOGI goes to FF.FF.FA, the management server", "", [](FcAeRdmaScene& s) {
        const Octets login = login_payload(s.fabric.a, fc::els_plogi, as_annex_a().request);
        s.login_as_annex_a();
        s.emit(single_frame(s, 0xFF'FFFA, fc::r_ctl_els_request, fc::type_els, Octets(login.size())));
    });
    add_to_profile(rows, "AERDMA-45", "a multicast of something that is no ELS", "", [](FcAeRdmaScene& s) {
        s.login_as_annex_a();
        s.emit(single_frame(s, 0xFF'FB01, 0x04, 0x05, Octets(16)));
    });
    add_to_profile(rows, "AERDMA-46", "a NOP", "", [](FcAeRdmaScene& s) {
        s.login_as_annex_a();
        s.emit(single_frame(s, s.fabric.b.id, fc::r_ctl_nop, fc::type_bls, {}));
    });
    add_to_profile(rows, "AERDMA-47", "CSR goes to an N_Port", "", [](FcAeRdmaScene& s) {
        s.login_as_annex_a();
        s.emit(single_frame(s, s.fabric.b.id, fc::r_ctl_els_request, fc::type_els, {fc::els_csr, 0, 0, 0, 0, 0, 0, 0}));
    });
    add_to_profile(
        rows, "AERDMA-48", "F_BSY says that a Class 1 connection is in the way", "read 0", [](FcAeRdmaScene& s) {
            s.login_as_annex_a();
            s.command(true, 0, [](FcAeRdmaSpec& spec) { spec.service_class = 2; });
            FcFrame busy = fc_link_control(s.frames[s.frames.size() - 2].frame, fc::r_ctl_f_bsy_data, 0);
            busy.octets[8] = 0x30;  // TYPE: the reason
            s.emit(busy);
        });
    add_to_profile(rows, "AERDMA-49", "FCP_RSP comes 3 ms after the data", "read 100", [](FcAeRdmaScene& s) {
        s.login_as_annex_a();
        s.command(true, 100), s.data(100);
        s.now += 3 * capture::millisecond;
        s.response();
    });
}

}  // namespace

const std::vector<FcScenario>& fc_ae_rdma_violations() {
    static const Rows rows = [] {
        Rows made;
        add_command_rules(made);
        add_data_rules(made);
        add_response_rules(made);
        add_login_rules(made);
        add_fabric_login_lines(made);
        add_port_login_lines(made);
        add_frame_lines(made);
        return made;
    }();
    return rows;
}

}  // namespace fabricscope::traffic
