// SPDX-License-Identifier: GPL-2.0-or-later
// One line about an IU's frame, for Wireshark's Info column, the head of its tree, and the viewer.
#pragma once

#include "analyzer/engine/fcvi/model.h"
#include "analyzer/info/line.h"
#include "protocols/fc/frame.h"
#include "protocols/fcvi/connect.h"
#include "protocols/fcvi/device_header.h"

namespace fabricscope::info::fcvi {

namespace wire = fabricscope::fcvi;
using engine::fcvi::Connection;
using engine::fcvi::Message;

/// What a line about a frame is made of.
struct IuView {
    bool readable;         ///< its Device_Header is there
    bool repeated;         ///< seen before
    std::uint64_t offset;  ///< of its data in the Message
    const fc::Frame& frame;
    const wire::DeviceHeader& header;
    const wire::ConnectPayload* payload;  ///< of a connect IU that is seen whole in this frame
    const Connection* connection;         ///< nullptr if it belongs to none that is known
    const Message* message;               ///< nullptr if it is not a Message's
};

/// "WRITE_RQST fcvi-1 #2, bytes 0-2047 of 8192 to 0x7f0000001000, handle 0x9"
/// "CONNECT_RESP1 fcvi-1 rejects: No Discriminator Match (0x01)"
Line summary_of(const IuView& view);

/// "SEND_RQST"
Line name_of_iu(const wire::DeviceHeader& header);

/// "by the server: No Discriminator Match (0x01)"; empty if nobody said no.
Line rejection_of(const Connection& connection);

/// How many bytes the Message has: as it says, or as many as were seen.
std::uint64_t length_of(const Message& message);

}  // namespace fabricscope::info::fcvi
