// SPDX-License-Identifier: GPL-2.0-or-later
// A session of two N_Ports as it was captured, with all that is needed to play either side of it.
#pragma once

#include "capture/frame.h"
#include "replay/engine/fc/information_unit.h"

namespace fabricscope::replay::fibre_channel {

enum class Kind : std::uint8_t {
    fcvi,        ///< a connection
    fc_ae_rdma,  ///< a message, which is an Exchange
    pair,        ///< all of FC-VI and FC-AE-RDMA between two N_Ports, with their logins
};

/// An Exchange. Each side numbers its own as it begins them: "Exchange 2 of the client".
struct RecordedExchange {
    std::string name;
    Side originator{};
    std::uint8_t type = 0;
    int service_class = 3;
    IuContext context;
};

/// How a message was cut into Sequences.
struct Piece {
    fc::FrameHeader first, last;
    std::size_t octets = 0;  ///< payload
};
struct Cut {
    std::size_t exchange = 0;
    std::vector<Piece> pieces;  ///< one, but of data
};

struct Recording {
    Kind kind{};
    Conversation conversation;
    std::vector<Cut> cuts;  ///< of the conversation's messages
    std::vector<RecordedExchange> exchanges;
    PerSide<std::uint32_t> ports;  ///< N_Port_IDs
    PerSide<Mac> addresses;        ///< FCoE: source of the side's frames on the captured link
    capture::LinkType link = capture::LinkType::fc2_with_delimiters;
    std::size_t data_field_size = 0;  ///< octets of the longest one that was seen, Device_Header included

    const RecordedExchange& exchange_of(std::size_t message) const { return exchanges[cuts[message].exchange]; }
    /// The messages of each Exchange, in order.
    std::vector<std::vector<std::size_t>> messages_by_exchange() const {
        std::vector<std::vector<std::size_t>> messages(exchanges.size());
        for (std::size_t i = 0; i < cuts.size(); ++i) messages[cuts[i].exchange].push_back(i);
        return messages;
    }
};

std::string exchange_name(std::size_t number, Side originator);

}  // namespace fabricscope::replay::fibre_channel
