// SPDX-License-Identifier: GPL-2.0-or-later
// FC-AE-RDMA as ISO/IEC TR 14165-314 describes it; clauses are its own.
#include <algorithm>
#include <cctype>

#include "tests/traffic/fc_ae_rdma_scene.h"

namespace fabricscope::traffic {
namespace {

using fc_ae_rdma::StatusCode;
using Rows = std::vector<FcScenario>;
using Change = FcAeRdmaDialogue::Change;

/// Sets FCP_RESID, and the bit that gives it a meaning.
Change leaving(std::uint8_t bit, std::uint8_t octets) {
    return [=](FcAeRdmaSpec& s) { s.payload[10] = bit, s.payload[15] = octets; };
}
constexpr std::uint8_t resid_under = 0x08, resid_over = 0x04;

/// The last data of a write (T6), although they are fewer than FCP_DL says.
const Change ending = [](FcAeRdmaSpec& s) { s.header.f_ctl.sequence_initiative = s.from_initiator; };

void add_messages(Rows& rows) {
    rows.push_back(fc_ae_rdma_scenario(
        "login_read_write",
        "Fabric, port and process login; then a write to Logical Unit 3, and a read of a part of it",
        "4.2.4.2 to 4.2.4.7, table 2", "write 400; read 150", {}, [](FcAeRdmaScene& s) {
            s.login();
            s.write(400);
            s.base_address += 50;
            s.read(150);
        }));
    rows.push_back(fc_ae_rdma_scenario(
        "several_frames", "A read and a write of one Sequence (I3, T6) of four frames each", "4.2.4.6",
        "read 1000; write 1000", {}, [](FcAeRdmaScene& s) {
            s.login();
            for (const bool read : {true, false}) s.command(read, 1000), s.data_frames(1000, 256), s.response();
        }));
    rows.push_back(fc_ae_rdma_scenario(
        "several_sequences", "A read and a write (T7, T7, T6) of three Sequences each", "4.2.4.6",
        "read 1200; write 1200", {}, [](FcAeRdmaScene& s) {
            s.login();
            for (const bool read : {true, false}) {
                s.command(read, 1200);
                for (int i = 0; i < 3; ++i) s.data_frames(400, 256);
                s.response();
            }
        }));
    rows.push_back(fc_ae_rdma_scenario(
        "without_data", "A read and a write whose FCP_DL is 0 have no FCP_DATA", "4.2.4.4.5", "read 0; write 0", {},
        [](FcAeRdmaScene& s) {
            s.login();
            for (const bool read : {true, false}) s.command(read, 0), s.response();
        }));
    rows.push_back(fc_ae_rdma_scenario(
        "logical_units",
        "Writes to the memory regions of Logical Units 0, 3 and 255, with Target notification and without",
        "4.2.2, 4.2.3 (figure 1)", "write 100; write 100; write 100", {}, [](FcAeRdmaScene& s) {
            s.login();
            s.lun = 0, s.write(100);
            s.lun = 3, s.notify = false, s.write(100);
            s.lun = 255, s.notify = true, s.write(100);
        }));
    rows.push_back(fc_ae_rdma_scenario(
        "class_2", "In class 2 each frame has its ACK_1; write data have the Target's RX_ID, or 0000h",
        "4.2.4.6, table 2", "read 300; write 300; write 300", {}, [](FcAeRdmaScene& s) {
            s.login();
            s.service_class = 2;
            s.command(true, 300), s.data_frames(300, 256), s.response();
            s.command(false, 300), s.data_frames(300, 256), s.response();
            s.command(false, 300);
            s.data(300, [&](FcAeRdmaSpec& spec) { spec.header.rx_id = static_cast<std::uint16_t>(s.ox_id | 0x8000); });
            s.response();
        }));
    rows.push_back(fc_ae_rdma_scenario(
        "several_exchanges", "Two reads and a write at once, their frames mixed", "3.1.4",
        "read 400; read 300; write 200", {}, [](FcAeRdmaScene& s) {
            FcAeRdmaScene one, two, three;
            two.ox_id = 0x200, three.ox_id = 0x300;
            one.command(true, 400), one.data(200), one.data(200), one.response();
            two.command(true, 300), two.data(100), two.data(200), two.response();
            three.command(false, 200), three.data(100), three.data(100), three.response();
            s.login();
            for (std::size_t i = 0; i < 4; ++i)
                for (const FcAeRdmaScene* scene : {&one, &two, &three}) s.emit(scene->frames[i].frame);
        }));
    rows.push_back(fc_ae_rdma_scenario(
        "beside_plain_fcp", "Between the same ports as an FC-AE-RDMA read another Exchange is FCP's, before it",
        "4.2.3", "read 100", {}, [](FcAeRdmaScene& s) {
            s.login();
            s.plain_command();
            s.ox_id += 5;
            s.read(100);
        }));
    rows.push_back(fc_ae_rdma_scenario(
        "missing_frame", "The capture misses the second of four frames of a read", "4.2.4.6", "read 744 of 1000", {},
        [](FcAeRdmaScene& s) {
            s.login();
            s.command(true, 1000);
            s.data_frame(256, false);
            s.data_frame(256, false, [](FcAeRdmaSpec& spec) { spec.lost = true; });
            s.data_frame(256, false), s.data_frame(232, true);
            s.response();
        }));
}

void add_answers(Rows& rows) {
    for (const auto& [code, words] : fc_ae_rdma::status_names) {
        if (code == 0) continue;
        std::string name = std::string("status_") + words;
        std::ranges::transform(name, name.begin(), [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 ? static_cast<char>(std::tolower(c)) : '_';
        });
        const bool of_a_write = code == static_cast<std::uint8_t>(StatusCode::write_protect_error);
        rows.push_back(fc_ae_rdma_scenario(
            name,
            of_a_write
                ? std::string("A write is answered with ") + words + "; its data have been sent, and are discarded"
                : std::string("A read is answered with ") + words + ", and moves nothing",
            "4.2.4.7, table 2", std::string(of_a_write ? "write 200, " : "read 0 of 200, ") + words, {},
            [=, status = static_cast<StatusCode>(code)](FcAeRdmaScene& s) {
                s.login();
                s.command(!of_a_write, 200);
                if (of_a_write) s.data(200);  // nobody asks for them (4.2.4.5)
                s.response(status);
            }));
    }
    rows.push_back(fc_ae_rdma_scenario(
        "residual_under", "FCP_RESID tells that a read and a write moved 40 octets less than FCP_DL", "4.2.4.7",
        "read 60 of 100; write 60 of 100", {}, [](FcAeRdmaScene& s) {
            s.login();
            for (const bool read : {true, false}) {
                s.command(read, 100), s.data(60, ending);
                s.response(StatusCode::good, leaving(resid_under, 40));
            }
        }));
    rows.push_back(fc_ae_rdma_scenario(
        "residual_over",
        "The Target had 20 octets more to read than FCP_DL; then it gets 20 octets more than FCP_DL, and discards them",
        "4.2.4.4.5, 4.2.4.7", "read 100; write 120 of 100", {"AERDMA-14"}, [](FcAeRdmaScene& s) {
            s.login();
            s.command(true, 100), s.data(100), s.response(StatusCode::good, leaving(resid_over, 20));
            s.command(false, 100), s.data(120), s.response(StatusCode::good, leaving(resid_over, 20));
        }));
    rows.push_back(fc_ae_rdma_scenario(
        "process_login_refused", "A PRLI that allows data overlay gets LS_RJT; nothing follows", "4.2.4.3", "", {},
        [](FcAeRdmaScene& s) {
            fabric_login(s, s.fabric, s.fabric.a), fabric_login(s, s.fabric, s.fabric.b);
            port_login(s, s.fabric.a, s.fabric.b);
            ask(s, s.fabric.a, s.fabric.b, fc::type_els, prli_payload(fc::type_fcp, fc_ae_rdma_prli | 0x40),
                ls_rjt_payload(0x03, 0x2C));
        }));
}

void add_annex_a(Rows& rows) {
    rows.push_back(fc_ae_rdma_scenario(
        "annex_a_kept", "Logins and messages keep to the example profile for avionics networks", "A.2",
        "write 400; read 400", {}, [](FcAeRdmaScene& s) {
            s.login_as_annex_a();
            s.write(400), s.read(400);
        }));
    rows.back().options = annex_a_option;
    rows.push_back(fc_ae_rdma_scenario(
        "annex_a_broken",
        "The fabric has the timeouts of other networks, the ports say E_D_TOV 2 s, and data come 5 ms after the "
        "command",
        "A.2.1, A.2.4.2, table A.1", "read 400", {"AERDMA-24", "AERDMA-25", "AERDMA-36", "AERDMA-36", "AERDMA-49"},
        [](FcAeRdmaScene& s) {
            const LoginChange usual = [](fc::Login& login) {
                std::visit(
                    [](auto& common) {
                        if constexpr (requires { common.e_d_tov; }) common.e_d_tov = 2000;
                        if constexpr (requires { common.r_a_tov; }) common.r_a_tov = 10'000;
                        if constexpr (requires { common.short_r_t_tov; }) common.short_r_t_tov = false;
                    },
                    login.common);
            };
            s.fabric_changes.accept = s.port_changes.request = s.port_changes.accept = usual;
            s.login_as_annex_a();
            s.command(true, 400);
            s.now += 5 * capture::millisecond;
            s.data(400), s.response();
        }));
    rows.back().options = annex_a_option;
}

}  // namespace

LoginChanges as_annex_a(const LoginChanges& changes) {
    const auto change = [](const LoginChange& last) {
        return [last](fc::Login& login) {
            std::visit(
                [](auto& common) {
                    if constexpr (requires { common.e_d_tov; }) common.e_d_tov = 10;
                    if constexpr (requires { common.r_a_tov; }) common.r_a_tov = 20;
                    if constexpr (requires { common.short_r_t_tov; }) common.short_r_t_tov = true;
                },
                login.common);
            fc::ClassServiceParameters& class_2 = login.classes[1];
            class_2.ack_0_initiator = class_2.ack_0_recipient = true;
            class_2.end_to_end_credit = 2;
            last(login);
        };
    };
    return {.request = change(changes.request), .accept = change(changes.accept)};
}

const std::vector<FcScenario>& fc_ae_rdma_scenarios() {
    static const Rows rows = [] {
        Rows made;
        add_messages(made);
        add_answers(made);
        add_annex_a(made);
        return made;
    }();
    return rows;
}

}  // namespace fabricscope::traffic
