// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/wiretap_link_type.h"

namespace fabricscope::capture {
namespace {

// Record types of ERF, which wiretap keeps to its own source file (Endace ERF types 2, 11, 16, 20, 21).
enum ErfType : std::uint8_t { eth = 2, color_eth = 11, dsm_color_eth = 16, color_hash_eth = 20, infiniband = 21 };
constexpr std::uint8_t erf_type_mask = 0x7F;  // the top bit says that extension headers follow

LinkType link_type_of_erf(const erf_phdr& header) {
    switch (header.type & erf_type_mask) {
        case ErfType::eth:
        case ErfType::color_eth:
        case ErfType::dsm_color_eth:
        case ErfType::color_hash_eth: return LinkType::ethernet;
        case ErfType::infiniband: return LinkType::infiniband;
        default: return LinkType::unknown;
    }
}

}  // namespace

LinkType link_type_of(const wtap_packet_header& header) {
    switch (header.pkt_encap) {
        case WTAP_ENCAP_ETHERNET: return LinkType::ethernet;
        case WTAP_ENCAP_SLL: return LinkType::linux_cooked_v1;
        case WTAP_ENCAP_SLL2: return LinkType::linux_cooked_v2;
        case WTAP_ENCAP_RAW_IP:
        case WTAP_ENCAP_RAW_IP4:
        case WTAP_ENCAP_RAW_IP6: return LinkType::raw_ip;
        case WTAP_ENCAP_INFINIBAND: return LinkType::infiniband;
        case WTAP_ENCAP_FIBRE_CHANNEL_FC2: return LinkType::fc2;
        case WTAP_ENCAP_FIBRE_CHANNEL_FC2_WITH_FRAME_DELIMS: return LinkType::fc2_with_delimiters;
        case WTAP_ENCAP_ERF: return link_type_of_erf(header.pseudo_header.erf.phdr);
        default: return LinkType::unknown;
    }
}

int encapsulation_of(LinkType link) {
    switch (link) {
        case LinkType::ethernet: return WTAP_ENCAP_ETHERNET;
        case LinkType::linux_cooked_v1: return WTAP_ENCAP_SLL;
        case LinkType::linux_cooked_v2: return WTAP_ENCAP_SLL2;
        case LinkType::raw_ip: return WTAP_ENCAP_RAW_IP;
        case LinkType::infiniband: return WTAP_ENCAP_INFINIBAND;
        case LinkType::fc2: return WTAP_ENCAP_FIBRE_CHANNEL_FC2;
        case LinkType::fc2_with_delimiters: return WTAP_ENCAP_FIBRE_CHANNEL_FC2_WITH_FRAME_DELIMS;
        case LinkType::unknown: break;
    }
    return WTAP_ENCAP_UNKNOWN;
}

}  // namespace fabricscope::capture
