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
    add(rows, "AERDMA-07", "the first frame of data has Relative Offset 50", "read 100", [](FcAeRdmaScene& s) {
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
        add(rows, std::string("AERDMA-16_accept_") + bit.name, "the same in its accept", "read 100",
            [bit](FcAeRdmaScene& s) {
                s.login(fc_ae_rdma_prli, bit.parameters);
                s.read(100);
            });
    }
    add(rows, "AERDMA-17", "a read after a PRLI that was rejected", "read 100", [](FcAeRdmaScene& s) {
        fabric_login(s, s.fabric, s.fabric.a), fabric_login(s, s.fabric, s.fabric.b);
        port_login(s, s.fabric.a, s.fabric.b);
        ask(s, s.fabric.a, s.fabric.b, fc::type_els, prli_payload(fc::type_fcp, fc_ae_rdma_prli),
            ls_rjt_payload(0x03, 0x2C));
        s.read(100);
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
        return made;
    }();
    return rows;
}

}  // namespace fabricscope::traffic
