// SPDX-License-Identifier: GPL-2.0-or-later
// A protocol's plugin: a description of what it adds to Wireshark, and what it does with the frames of a capture.
// Registration is the same for all of them.
#pragma once

#include <span>

#include "plugins/shell/fields.h"
#include "plugins/shell/follow.h"
#include "plugins/shell/menu.h"
#include "plugins/shell/response_times.h"
#include "plugins/shell/session.h"

namespace fabricscope::plugin {

struct Description {
    /// Its name in columns, menus and windows, its filter name (of the protocol, its fields and its tap), its fields.
    const engine::Protocol& protocol;
    const char* title;  ///< "Virtual Interface on Fibre Channel"

    std::span<const ExpertKind> experts = {};  ///< besides those that every protocol has
    std::span<int* const> subtrees = {};       ///< besides the message's own
    void (*register_preferences)(module_t* module) = nullptr;

    std::span<const FrameFilter> frame_filters;
    std::span<const MenuFilter> menu_filters;
    /// The protocol's own document, as the last entry of its menu; url nullptr: none.
    struct {
        const char* label = nullptr;
        const char* url = nullptr;
    } document = {};

    std::span<const ResponseTimeTable> response_times;
    tap_packet_cb response_time_packet;
    stat_tree_init_cb make_counts;
    stat_tree_packet_cb count_packet;
    const char* flows;  ///< in the list of flow graphs: "FC-VI Flows"
    tap_packet_cb flow_packet;
    const Follower* follower = nullptr;
    tap_packet_cb export_packet = nullptr;
    export_object_gui_reset_cb forget_exports = nullptr;
};

/// There is one for each protocol, as long as the process lives.
class Plugin {
public:
    /// `fields` are those that the plugin shows frames with.
    Plugin(const Description& description, Fields& fields) : description_(description), fields_(fields) {}
    Plugin(const Plugin&) = delete;
    Plugin& operator=(const Plugin&) = delete;
    virtual ~Plugin() = default;

    /// Once, before anything else.
    void register_protocol();
    /// Once, when all dissectors have been registered.
    virtual void install() {}

    const Description& description() const { return description_; }
    int protocol() const { return fields_.protocol; }
    /// By the user, among Wireshark's protocols.
    bool is_enabled() const { return proto_is_protocol_enabled(find_protocol_by_id(fields_.protocol)) != 0; }

    // The course of a capture. What concerns frames is called for enabled protocols only, with frames that may hold
    // something of the protocol.

    virtual bool is_concerned_by([[maybe_unused]] capture::Transport transport) const { return true; }

    virtual void begin([[maybe_unused]] bool enabled) {}
    /// What the engine is to follow, and who listens to it.
    virtual void follow(engine::Options& options, engine::Observers& observers) = 0;
    virtual void end() = 0;
    /// The capture's next frame, which the engine gets now.
    virtual void on_packet(const Visit&) {}
    /// Whether the engine has said anything of a frame that it has seen, so that the frame's tree shows it.
    virtual bool knows(std::uint64_t frame) const = 0;
    /// Wireshark is about to dissect a frame that the engine has seen.
    virtual void before(const Visit&) {}
    /// It has done so; this may leave by longjmp.
    virtual void after(const Visit&) = 0;

private:
    void register_windows();

    const Description& description_;
    Fields& fields_;
};

}  // namespace fabricscope::plugin
