// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/fc/vi/types.h"

#include <array>

namespace fabricscope::stack::vi {

const char* name_of(Return value) {
    constexpr std::array names{
        "VIP_SUCCESS",
        "VIP_NOT_DONE",
        "VIP_INVALID_PARAMETER",
        "VIP_ERROR_RESOURCE",
        "VIP_TIMEOUT",
        "VIP_REJECT",
        "VIP_INVALID_RELIABILITY_LEVEL",
        "VIP_INVALID_MTU",
        "VIP_INVALID_QOS",
        "VIP_INVALID_PTAG",
        "VIP_INVALID_RDMAREAD",
        "VIP_DESCRIPTOR_ERROR",
        "VIP_INVALID_STATE",
        "VIP_ERROR_NAMESERVICE",
        "VIP_NO_MATCH",
        "VIP_NOT_REACHABLE"};
    return names.at(static_cast<std::size_t>(value));
}

const char* name_of(State state) {
    constexpr std::array names{"Idle", "Connected", "Connect Pending", "Error"};
    return names.at(static_cast<std::size_t>(state));
}

const char* name_of(AsyncError error) {
    constexpr std::array names{"VIP_ERROR_POST_DESC",      "VIP_ERROR_CONN_LOST",   "VIP_ERROR_RECVQ_EMPTY",
                               "VIP_ERROR_VI_OVERRUN",     "VIP_ERROR_RDMAW_PROT",  "VIP_ERROR_RDMAW_DATA",
                               "VIP_ERROR_RDMAW_ABORT",    "VIP_ERROR_RDMAR_PROT",  "VIP_ERROR_COMP_PROT",
                               "VIP_ERROR_RDMA_TRANSPORT", "VIP_ERROR_CATASTROPHIC"};
    return names.at(static_cast<std::size_t>(error));
}

const char* name_of(Resource resource) {
    constexpr std::array names{"VIP_RESOURCE_NIC", "VIP_RESOURCE_VI", "VIP_RESOURCE_CQ", "VIP_RESOURCE_DESCRIPTOR"};
    return names.at(static_cast<std::size_t>(resource));
}

}  // namespace fabricscope::stack::vi
