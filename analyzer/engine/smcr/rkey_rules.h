// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of CONFIRM RKEY and DELETE RKEY: when an RMB may be used, and when no longer
// (RFC 7609, 3.5.5.2, A.3.5 to A.3.7).
#pragma once

#include <bitset>
#include <unordered_map>

#include "analyzer/engine/smcr/arrival.h"
#include "analyzer/engine/smcr/per_id.h"
#include "analyzer/engine/smcr/verdicts.h"

namespace fabricscope::engine::smcr {

/// ACCEPT or CONFIRM of a subsequent contact.
struct ContactSeen {
    std::uint32_t connection;
    std::uint32_t group;
    std::uint32_t link;
    Side side;
    std::uint32_t rkey;
    FrameStamp step;
};

class RkeyRules {
public:
    RkeyRules(const Model& model, Verdicts& verdicts) : model_(model), verdicts_(verdicts) {}

    void on_llc(const Arrival& a, const wire::LlcMessage& message);
    void on_reply(const Arrival& a, const wire::LlcMessage& message, const OpenRequest& request);
    void on_contact(const ContactSeen& contact, GroupHistory& history);
    void on_write_to_deleted(const Arrival& a, std::size_t rmb);
    void finish();

private:
    using LinkNumbers = std::bitset<256>;
    /// A CONFIRM RKEY whose continuations are awaited.
    struct Announcement {
        FrameStamp step;
        LinkNumbers covered;
        unsigned left = 0;
        std::uint64_t wrong = 0;  ///< frame of the request that lists wrong links; 0: none
        bool may_end = false;     ///< by one reading of the standard
        std::uint32_t link = 0, rkey = 0;
        FrameStamp used;  ///< by a connection, although something is left
        std::uint32_t connection = 0;
    };
    /// A link that a CONFIRM RKEY left out: an error only if its sender did not hold it for dead.
    struct Omission {
        std::uint32_t link;
        Side from;
        FrameStamp step;
    };
    /// A CONFIRM RKEY that a connection did not wait for, or that was refused.
    struct Unagreed {
        Side from;
        std::uint32_t link;
        std::uint32_t rkey;
        bool refused;
        FrameStamp used;  ///< open: by a connection
        std::uint32_t connection;
    };
    /// When the user of an RMB agreed to its deletion.
    struct Deletion {
        PerSide<std::uint32_t> gaps;
        std::uint32_t link;
        Side user;
        FrameStamp reply;
    };
    struct Group {
        PerSide<Announcement> announcement;
        std::vector<Omission> omissions;
        std::vector<Unagreed> unagreed;
        std::unordered_map<std::size_t, Deletion> deletions;  ///< by RMB
        std::optional<std::uint32_t> interface;               ///< that showed the latest LLC message
    };

    void on_confirm(const Arrival& a, const wire::ConfirmRkeyMessage& message);
    void judge_incomplete(const Announcement& announcement);
    void judge_early_use(const Arrival& a, const Announcement& announcement);
    void on_continuation(const Arrival& a, const wire::ConfirmRkeyContinuationMessage& message);
    const char* cover(
        const Arrival& a, LinkNumbers& covered, const layout::List<wire::LinkRtoken>& slots, std::size_t used) const;
    void judge_coverage(const Arrival& a);
    void judge_omissions(const Arrival& a);
    void broken_list(const Arrival& a, const char* wrong);
    void judge_echo(const Arrival& a, const OpenRequest& request);
    void note_agreement(const Arrival& a, const wire::LlcMessage& reply, const OpenRequest& request);
    void on_delete(const Arrival& a, const wire::DeleteRkeyMessage& message, std::uint8_t version);
    void judge_unused(const Arrival& a, const wire::DeleteRkeyMessage& message);
    void judge_delete_reply(const Arrival& a, const wire::DeleteRkeyMessage& reply, std::uint8_t version);
    bool judge_repeated_keys(const Arrival& a, std::uint8_t version, const OpenRequest& request);
    void judge_known_keys(const Arrival& a, const OpenRequest& request);
    void note_deletion(const Arrival& a, const OpenRequest& request);
    void broken(RuleRef::OfMessages name, const Arrival& a, std::string text);

    const LinkGroup& group(const Arrival& a) const { return model_.link_groups[a.group - 1]; }

    const Model& model_;
    Verdicts& verdicts_;
    PerId<Group> of_;
};

}  // namespace fabricscope::engine::smcr
