// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine said about each frame of the capture, kept for whenever Wireshark shows the frame.
//
// Wireshark dissects a frame again and again, in any order. So nothing is ever looked up in the
// engine's present state; what is shown of a frame is what was said when the engine came past it.
// But for whose it is, which of a connection seen midway the engine may learn later: see known_now().
#pragma once

#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "plugins/shell/frame_notes.h"
#include "plugins/shell/session.h"
#include "plugins/smcr/fact_store.h"

namespace fabricscope::plugin::smcr {

using engine::smcr::ClcSeen;

class Record final : public engine::smcr::Observer {
public:
    /// `seen.octets` is empty: they are in `octets`.
    struct Clc {
        ClcSeen seen;
        std::vector<std::uint8_t> octets;
    };

    /// The capture's next packet, which the engine gets now; it lives as long as the engine works on it.
    void on_packet(const capture::Packet& packet) { packet_ = &packet; }

    /// The two parties of a connection as far as they are known: empty texts and no addresses for one that
    /// was captured midway.
    struct Parties {
        engine::smcr::PerSide<std::string> text;  ///< "192.0.2.10:38234"
        engine::smcr::PerSide<engine::smcr::SocketAddress> address;
    };
    const Parties& parties(std::uint32_t connection) const;
    /// The same for the link group, by its first connection.
    const Parties& parties_of_group(std::uint32_t link_group) const;
    /// "smcr-1" and "lg-1": they live as long as the record, so that nothing is formatted for each frame.
    const char* connection_name(std::uint32_t id) const { return numbered(connection_names_, "smcr-", id); }
    const char* link_group_name(std::uint32_t id) const { return numbered(link_group_names_, "lg-", id); }
    /// Of those seen so far, by number.
    std::uint64_t last_frame(std::uint32_t connection) const;

    /// False: the frame has nothing to do with SMC. A copy has its original's facts.
    bool find_facts(std::uint64_t frame, FrameFacts& facts) const;
    /// With what the engine has learned since the frame of whose it is. Not for columns, which are the same in each
    /// pass.
    static FrameFacts known_now(FrameFacts facts);
    /// Links between WRITEs and CDC messages.
    const FactStore& facts() const { return facts_; }
    std::span<const Clc> clc(std::uint64_t frame) const { return list(clc_, frame); }
    /// An LLC or CDC message that ends in this frame and began in earlier ones; otherwise empty.
    ByteView long_message(std::uint64_t frame) const { return list(long_messages_, frame); }
    /// The frame that completes the CLC message of which this one holds a part; 0 = not known (yet).
    std::uint64_t completion(std::uint64_t frame) const;
    const FrameNotes& notes() const { return notes_; }

private:
    void on_facts(const FrameFacts& facts) override;
    void on_clc(const ClcSeen& seen) override;
    void on_response(std::uint64_t request, std::uint64_t response, capture::Time elapsed) override;
    void on_finding(const engine::Finding& finding) override { notes_.note_finding(finding); }
    void on_copy(std::uint64_t frame, std::uint64_t original) override { note_copy(frame, original); }

    template <class T>
    static std::span<const T> list(const std::unordered_map<std::uint64_t, std::vector<T>>& map, std::uint64_t frame) {
        const auto found = map.find(frame);
        return found != map.end() ? std::span<const T>(found->second) : std::span<const T>();
    }
    static const char* numbered(std::deque<std::string>& names, const char* prefix, std::uint32_t id);

    const capture::Packet* packet_ = nullptr;  ///< while the engine works on it
    FactStore facts_;
    FrameNotes notes_;
    std::unordered_map<std::uint64_t, std::vector<Clc>> clc_;
    std::unordered_map<std::uint64_t, std::vector<std::uint8_t>> long_messages_;
    mutable std::vector<Parties> parties_;  ///< by connection id - 1, made when first asked for
    mutable std::deque<std::string> connection_names_, link_group_names_;  ///< by id - 1
    std::vector<std::uint32_t> last_frames_;                               ///< by connection id - 1
    std::unordered_map<std::uint64_t, std::uint64_t> completions_;
    /// Frames with parts of a CLC message that is not complete, by connection and side.
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> incomplete_;
};

}  // namespace fabricscope::plugin::smcr
