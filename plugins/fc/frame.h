// SPDX-License-Identifier: GPL-2.0-or-later
// A Fibre Channel frame on its way through Wireshark's dissectors: where its octets are, and what Wireshark's own
// Fibre Channel dissector is kept from doing to it.
#pragma once

#include <array>

#include "plugins/shell/session.h"
#include "plugins/shell/wireshark_compat.h"
#include "protocols/fc/frame.h"

namespace fabricscope::plugin {

/// A frame and the octets that show it. Trivially destructible, as Wireshark's exceptions demand.
struct FcView {
    tvbuff_t* tvb = nullptr;  ///< holds the frame
    int offset = 0;           ///< of its first header in `tvb`
    ByteView octets;          ///< from the first header on, as captured
    fc::Frame frame;          ///< views point into `octets`

    int offset_of(ByteView part) const { return offset + static_cast<int>(part.data() - octets.data()); }
    int header_offset() const { return offset + static_cast<int>(frame.extended_headers.size()); }
    tvbuff_t* device_header() const;
    tvbuff_t* payload() const;
};

/// An N_Port_ID as Wireshark shows it.
class PortAddress {
public:
    explicit PortAddress(std::uint32_t port_id)
        : octets_{
              static_cast<std::uint8_t>(port_id >> 16), static_cast<std::uint8_t>(port_id >> 8),
              static_cast<std::uint8_t>(port_id)} {}
    /// Lives as long as the object.
    address get() const {
        address made;
        set_address(&made, AT_FC, static_cast<int>(octets_.size()), octets_.data());
        return made;
    }

private:
    std::array<std::uint8_t, 3> octets_;
};

/// A frame that the packet itself holds; its tvb is nullptr if there is none.
FcView view_in_packet(const Visit& visit);
/// A frame that was cut out of a TCP stream. The octets live as long as the capture.
FcView view_of_octets(const Visit& visit, ByteView octets);

/// Wireshark's Fibre Channel dissector puts Sequences together by a guess at how large frames are, Device_Headers and
/// all. While an object of this lives it does not. To be held around a call that may leave by longjmp: begin() and
/// end() instead of constructor and destructor.
class FcReassemblyPause {
public:
    void begin();
    void end();

private:
    bool active_ = false;
};

/// Hides what Wireshark showed as octets without a meaning, since a plugin shows what they mean.
void hide_data(proto_tree* tree);

}  // namespace fabricscope::plugin
