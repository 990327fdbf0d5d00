// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/rdma_cm/message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace fabricscope::rdma_cm {
namespace {

using Octets = std::vector<std::uint8_t>;

/// A MAD of the class with its octets from 24 on counted up, so that each field has another value.
Octets counted(ib::CmAttribute attribute) {
    Octets octets(ib::mad_size);
    octets[0] = 1, octets[1] = ib::cm_class, octets[2] = 2, octets[3] = 3;
    octets[17] = static_cast<std::uint8_t>(attribute);
    std::iota(octets.begin() + 24, octets.end(), std::uint8_t{0});  // octet 24 + n is n
    return octets;
}

template <class Body> Body parsed(const Octets& octets) {
    const Message m = parse(octets);
    EXPECT_FALSE(m.error) << to_string(m.error);
    EXPECT_EQ(build(m), octets);
    return std::get<Body>(m.body);
}

TEST(RdmaIpCm, EveryMessageBuildsBackAndKeepsItsPrivateData) {
    // Octets of private data (IBA 12.6, 12.8, 12.11), the addresses of REQ and SIDR_REQ included.
    const std::pair<ib::CmAttribute, std::size_t> sizes[] = {
        {ib::CmAttribute::req, 92},   {ib::CmAttribute::mra, 222},      {ib::CmAttribute::rej, 148},
        {ib::CmAttribute::rep, 196},  {ib::CmAttribute::rtu, 224},      {ib::CmAttribute::dreq, 220},
        {ib::CmAttribute::drep, 224}, {ib::CmAttribute::sidr_req, 216}, {ib::CmAttribute::sidr_rep, 136},
        {ib::CmAttribute::lap, 168},  {ib::CmAttribute::apr, 148},      {ib::CmAttribute::class_port_info, 160}};
    for (const auto& [attribute, size] : sizes) {
        const Octets octets = counted(attribute);
        const Message m = parse(octets);
        EXPECT_FALSE(m.error) << to_string(m.error);
        EXPECT_EQ(m.private_data.size(), size) << layout::name_of(ib::cm_attribute_names, m.mad.attribute_id);
        EXPECT_EQ(build(m), octets);
    }
}

TEST(RdmaIpCm, CutAnywhereItKeepsWhatIsThere) {
    for (const auto& [attribute, name] : ib::cm_attribute_names) {
        const Octets octets = counted(static_cast<ib::CmAttribute>(attribute));
        for (std::size_t length = 0; length < octets.size(); ++length) {
            const Message m = parse(ByteView(octets).first(length));
            EXPECT_EQ(m.error.fault, layout::Fault::truncated) << name << " " << length;
            EXPECT_LE(m.error.offset, length);
        }
    }
}

TEST(RdmaIpCm, Req) {
    const Req req = parsed<Req>(counted(ib::CmAttribute::req));
    EXPECT_EQ(req.body.local_comm_id, 0x00010203U);
    EXPECT_EQ(req.body.service_id, 0x08090A0B0C0D0E0FU);
    EXPECT_EQ(req.body.local_ca_guid, 0x1011121314151617U);
    EXPECT_EQ(req.body.local_q_key, 0x1C1D1E1FU);
    EXPECT_EQ(req.body.local_qpn, 0x202122U);
    EXPECT_EQ(req.body.responder_resources, 0x23);
    EXPECT_EQ(req.body.local_eecn, 0x242526U);
    EXPECT_EQ(req.body.initiator_depth, 0x27);
    EXPECT_EQ(req.body.remote_eecn, 0x28292AU);
    EXPECT_EQ(req.body.remote_response_timeout, 0x2B >> 3);
    EXPECT_EQ(req.body.transport_service, (0x2B >> 1) & 3);
    EXPECT_TRUE(req.body.end_to_end_flow_control);
    EXPECT_EQ(req.body.starting_psn, 0x2C2D2EU);
    EXPECT_EQ(req.body.local_response_timeout, 0x2F >> 3);
    EXPECT_EQ(req.body.retry_count, 7);
    EXPECT_EQ(req.body.p_key, 0x3031);
    EXPECT_EQ(req.body.path_mtu, 3);
    EXPECT_FALSE(req.body.rdc_exists);
    EXPECT_EQ(req.body.rnr_retry_count, 2);
    EXPECT_EQ(req.body.max_cm_retries, 3);
    EXPECT_FALSE(req.body.srq);
    EXPECT_EQ(req.body.extended_transport, 3);
    EXPECT_EQ(req.primary.local_lid, 0x3435);
    EXPECT_EQ(req.primary.remote_lid, 0x3637);
    EXPECT_EQ(req.primary.local_gid.octets[0], 0x38);
    EXPECT_EQ(req.primary.remote_gid.octets[15], 0x57);
    EXPECT_EQ(req.primary.flow_label, 0x58595U);
    EXPECT_EQ(req.primary.packet_rate, 0x5B & 0x3F);
    EXPECT_EQ(req.primary.traffic_class, 0x5C);
    EXPECT_EQ(req.primary.hop_limit, 0x5D);
    EXPECT_EQ(req.primary.service_level, 5);
    EXPECT_TRUE(req.primary.subnet_local);
    EXPECT_EQ(req.primary.local_ack_timeout, 0x5F >> 3);
    EXPECT_EQ(req.alternate.local_lid, 0x6061);
    EXPECT_EQ(req.alternate.local_ack_timeout, 0x8B >> 3);
    EXPECT_FALSE(req.ip) << "no socket's service id";
}

TEST(RdmaIpCm, Rep) {
    const auto rep = parsed<ib::CmRep>(counted(ib::CmAttribute::rep));
    EXPECT_EQ(rep.remote_comm_id, 0x04050607U);
    EXPECT_EQ(rep.local_q_key, 0x08090A0BU);
    EXPECT_EQ(rep.local_qpn, 0x0C0D0EU);
    EXPECT_EQ(rep.local_eecn, 0x101112U);
    EXPECT_EQ(rep.starting_psn, 0x141516U);
    EXPECT_EQ(rep.responder_resources, 0x18);
    EXPECT_EQ(rep.initiator_depth, 0x19);
    EXPECT_EQ(rep.target_ack_delay, 0x1A >> 3);
    EXPECT_EQ(rep.failover_accepted, 1);
    EXPECT_FALSE(rep.end_to_end_flow_control);
    EXPECT_EQ(rep.rnr_retry_count, 0);
    EXPECT_TRUE(rep.srq);
    EXPECT_EQ(rep.local_ca_guid, 0x1C1D1E1F20212223U);
}

TEST(RdmaIpCm, MraAndDreqAndLap) {
    Octets octets = counted(ib::CmAttribute::mra);
    octets[24 + 8] = 0x80;
    const auto mra = parsed<ib::CmMra>(octets);
    EXPECT_STREQ(layout::name_of(ib::mra_message_names, mra.message), "LAP");
    EXPECT_EQ(mra.service_timeout, 0x09 >> 3);
    EXPECT_EQ(parsed<ib::CmDreq>(counted(ib::CmAttribute::dreq)).remote_qpn, 0x08090AU);
    const auto lap = parsed<ib::CmLap>(counted(ib::CmAttribute::lap));
    EXPECT_EQ(lap.remote_qpn, 0x0C0D0EU);
    EXPECT_EQ(lap.remote_response_timeout, 0x0F >> 3);
    EXPECT_EQ(lap.local_lid, 0x1415);
    EXPECT_EQ(lap.remote_gid.octets[15], 0x37);
    EXPECT_EQ(lap.flow_label, 0x38393U);
    EXPECT_EQ(lap.traffic_class, 0x3B);
    EXPECT_EQ(lap.hop_limit, 0x3C);
    EXPECT_EQ(lap.packet_rate, 0x3D);
    EXPECT_EQ(lap.service_level, 3);
    EXPECT_TRUE(lap.subnet_local);
    EXPECT_EQ(lap.local_ack_timeout, 0x3F >> 3);
}

TEST(RdmaIpCm, AprAndSidr) {
    const Apr apr = parsed<Apr>(counted(ib::CmAttribute::apr));
    EXPECT_EQ(apr.body.information_length, 8);
    EXPECT_STREQ(layout::name_of(ib::apr_status_names, apr.body.status), "flow label rejected");
    EXPECT_EQ(apr.additional.size(), ib::ari_size);
    const SidrReq request = parsed<SidrReq>(counted(ib::CmAttribute::sidr_req));
    EXPECT_EQ(request.body.request_id, 0x00010203U);
    EXPECT_EQ(request.body.p_key, 0x0405);
    EXPECT_EQ(request.body.service_id, 0x08090A0B0C0D0E0FU);
    const Octets octets = counted(ib::CmAttribute::sidr_rep);
    const SidrRep reply = parsed<SidrRep>(octets);
    EXPECT_STREQ(layout::name_of(ib::sidr_status_names, reply.body.status), "redirected");
    EXPECT_EQ(reply.body.information_length, 5);
    EXPECT_EQ(reply.body.qpn, 0x08090AU);
    EXPECT_EQ(reply.body.service_id, 0x0C0D0E0F10111213U);
    EXPECT_EQ(reply.body.q_key, 0x14151617U);
    EXPECT_EQ(reply.additional[0], 0x18);
}

TEST(RdmaIpCm, ServiceIdsOfTheAnnexsExamples) {
    // A11.5: NFSv4 over SCTP, iSER over TCP.
    EXPECT_EQ(socket_service(0x0000000001840801).protocol, 132);
    EXPECT_EQ(socket_service(0x0000000001840801).port, 2049);
    EXPECT_TRUE(is_socket_service(0x0000000001060CBC));
    EXPECT_EQ(socket_service(0x0000000001060CBC).port, 3260);
    EXPECT_FALSE(is_socket_service(0x1000000001060CBC));
    EXPECT_FALSE(is_socket_service(0x0000000002060CBC));
    EXPECT_FALSE(is_socket_service(0x0000000000021234));
    EXPECT_TRUE(has_ip_header(0x0000000000021234)) << "librdmacm's IPoIB port space";
}

/// The addresses stand at the beginning of the private data (table 1).
void set_service(Octets& octets, std::size_t at, std::uint64_t id) {
    for (int i = 0; i < 8; ++i) octets[at + 7 - static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(id >> (8 * i));
}

TEST(RdmaIpCm, Ipv4Addresses) {
    Octets octets = counted(ib::CmAttribute::req);
    set_service(octets, 24 + 8, 0x0000000001060CBC);
    octets[24 + 140] = 0x02, octets[24 + 141] = 0x43;
    const Req req = parsed<Req>(octets);
    ASSERT_TRUE(req.ip);
    EXPECT_EQ(req.ip->versions.major_version, 0);
    EXPECT_EQ(req.ip->versions.minor_version, 2);
    EXPECT_EQ(req.ip->versions.ip_version, 4);
    EXPECT_EQ(req.ip->versions.reserved, 3);
    EXPECT_EQ(req.ip->versions.source_port, 0x8E8F);
    const auto& addresses = std::get<struct Ipv4Addresses>(req.ip->addresses);
    EXPECT_EQ(to_string(addresses.source), "156.157.158.159");
    EXPECT_EQ(to_string(addresses.destination), "172.173.174.175");
    EXPECT_EQ(parse(octets).private_data.size(), 56U);
}

TEST(RdmaIpCm, OfARequestThatWasCutBeforeThemNoAddressesAreRead) {
    Octets octets = counted(ib::CmAttribute::req);
    set_service(octets, 24 + 8, 0x0000000001060CBC);
    constexpr std::size_t paths = 24 + 52, addresses = 24 + 140;
    for (const std::size_t length : {paths, paths + 10, addresses - 1})
        EXPECT_FALSE(std::get<Req>(parse(ByteView(octets).first(length)).body).ip) << length;
}

TEST(RdmaIpCm, Ipv6Addresses) {
    Octets octets = counted(ib::CmAttribute::sidr_req);
    set_service(octets, 24 + 8, 0x0000000001110CBC);
    octets[24 + 16] = 0, octets[24 + 17] = 0x60;
    const SidrReq request = parsed<SidrReq>(octets);
    ASSERT_TRUE(request.ip);
    const auto& addresses = std::get<struct Ipv6Addresses>(request.ip->addresses);
    EXPECT_EQ(addresses.source.octets[0], 0x14);
    EXPECT_EQ(addresses.destination.octets[15], 0x33);
    EXPECT_EQ(parse(octets).private_data.size(), 180U);
}

/// A11.4.1, A11.4.3: another major version may have another format; IP versions but 4 and 6 are reserved.
TEST(RdmaIpCm, NoAddressesOfAnUnknownFormat) {
    Octets octets = counted(ib::CmAttribute::req);
    set_service(octets, 24 + 8, 0x0000000001060CBC);
    for (const std::uint8_t versions : {std::uint8_t{0x00}, std::uint8_t{0x50}, std::uint8_t{0xF0}}) {
        octets[24 + 140] = 0, octets[24 + 141] = versions;
        EXPECT_TRUE(std::holds_alternative<std::monostate>(parsed<Req>(octets).ip->addresses)) << int{versions};
    }
    octets[24 + 140] = 0x10, octets[24 + 141] = 0x40;
    EXPECT_TRUE(std::holds_alternative<std::monostate>(parsed<Req>(octets).ip->addresses));
    EXPECT_EQ(parse(octets).private_data.size(), 88U);
}

TEST(RdmaIpCm, ServiceIdsThatAreKnown) {
    EXPECT_STREQ(ulp_of(0x0000000001060CBC), "iSER");
    EXPECT_STREQ(ulp_of(0x0000000001061144), "NVMe-oF");
    EXPECT_STREQ(ulp_of(0x0000000001064E51), "NFS/RDMA");
    EXPECT_STREQ(ulp_of(0x0000000001840801), "NFS/RDMA") << "the annex' example";
    EXPECT_EQ(ulp_of(0x0000000001110CBC), nullptr) << "another protocol";
    EXPECT_STREQ(ulp_of(0x0000000000010050), "SDP") << "port 80";
}

TEST(RdmaIpCm, ReasonsAndTheirInformation) {
    Octets octets = counted(ib::CmAttribute::rej);
    octets[24 + 8] = 0, octets[24 + 9] = 8 << 1;
    octets[24 + 10] = 0, octets[24 + 11] = 28;
    octets[24 + 12] = 0, octets[24 + 13] = 3, octets[24 + 14] = 1;
    const Rej rej = parsed<Rej>(octets);
    EXPECT_STREQ(layout::name_of(ib::rej_message_names, rej.body.message), "REQ");
    EXPECT_EQ(rej.body.ari_length, 8);
    ASSERT_TRUE(rej.information);
    EXPECT_STREQ(layout::name_of(reject_layer_names, rej.information->layer), "RDMA IP CM service");
    EXPECT_STREQ(layout::name_of(reject_code_names, rej.information->code), "IP version");
    EXPECT_EQ(rej.information->suggested_length, 1);
    EXPECT_EQ(rej.additional.size(), ib::ari_size - 4);

    octets[24 + 12] = 1;  // table 3: the layer says what follows
    EXPECT_FALSE(parsed<Rej>(octets).information) << "the ULP's own";
    EXPECT_EQ(parsed<Rej>(octets).layer->layer, 1);
    EXPECT_EQ(parsed<Rej>(octets).additional.size(), ib::ari_size - 1);
    octets[24 + 12] = 0;
    EXPECT_FALSE(std::get<Rej>(parse(octets, false).body).information) << "of a service outside the range";
    octets[24 + 8] = 0x40;
    EXPECT_FALSE(parsed<Rej>(octets).information) << "the client's";
    octets[24 + 8] = 0;

    octets[24 + 11] = 8;
    EXPECT_FALSE(parsed<Rej>(octets).information) << "another reason's information is not the service's";
    octets[24 + 11] = 28, octets[24 + 9] = 0;
    EXPECT_FALSE(parsed<Rej>(octets).information) << "there is none";
}

TEST(RdmaIpCm, OtherClassesAndAttributesAreLeftAlone) {
    Octets octets = counted(ib::CmAttribute::req);
    octets[17] = 0x7F;
    EXPECT_TRUE(std::holds_alternative<Unknown>(parse(octets).body));
    EXPECT_EQ(build(parse(octets)), octets);
    EXPECT_TRUE(is_cm(octets, octets.size()));
    EXPECT_FALSE(is_cm(octets, 255));
    octets[1] = 3;  // SubnAdm
    EXPECT_FALSE(is_cm(octets, octets.size()));
    EXPECT_TRUE(std::holds_alternative<Unknown>(parse(octets).body));
}

}  // namespace
}  // namespace fabricscope::rdma_cm
