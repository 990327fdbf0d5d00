// SPDX-License-Identifier: GPL-2.0-or-later
// The player of SMC-R; make_player() in player.h makes one. player.cc has its course, player_tcp.cc the hosts and their
// TCP connections, player_control.cc CLC and LLC, player_data.cc what goes over the data path.
#pragma once

#include "protocols/builders/frame_builder.h"
#include "replay/engine/player.h"
#include "replay/engine/smcr/played_connection.h"

namespace fabricscope::replay::smcr {

class SmcrPlayer final : public Player {
public:
    using Phase = PlayedConnection::Phase;

    SmcrPlayer(const Recorded& recorded, Side played, const PlayOptions& options);
    std::vector<Mac> ports() const { return ports_; }

    // ---- Player ----
    void start(Time now) override;
    bool over() const override;
    std::string waiting_for() const override;
    std::vector<std::string> notes() const override { return notes_; }
    void leave(Time now) override;
    std::string refusal() const override;
    bool peer_leaves() const override { return peer_leaves_; }

    // ---- Endpoint ----
    void on_frame(Time now, std::size_t port, ByteView frame) override;
    void on_timer(Time now) override;
    Time wakeup() const override;
    void take_frames(std::vector<stack::OutgoingFrame>& frames) override;

private:
    /// Marks frames of TCP until they get their port's number; adapters number theirs as they are.
    static constexpr std::size_t tcp_port = 1'000;

    // ---- the course of things ----
    void work(Time now);
    std::uint64_t progress() const;
    bool step(Time now, PlayedConnection& connection);
    Time own_wakeup() const;
    Time patience_ends() const;
    void give_up(Time now);
    void note(std::string text);

    // ---- hosts and TCP ----
    void create_adapters();
    void move(IbAddress& address);
    void name_copy(std::uint32_t copy);
    void create(const RecordedConnection& recorded);
    Gid own_ip(const PlayedConnection& connection) const;
    void on_tcp(Time now, const capture::Packet& packet);
    PlayedConnection* connection_of(const capture::Packet& packet);
    stack::TcpConfig tcp_config(const PlayedConnection& connection, const capture::TcpSegment& request) const;
    void on_established(Time now, PlayedConnection& connection);
    void flush(PlayedConnection& connection);

    // ---- control messages ----
    bool play(Time now);
    bool can_send(std::size_t index);
    bool is_next(const PlayedConnection& connection) const;
    PlayedConnection& connection_in(const std::string& channel) const;
    void play(Time now, std::size_t index);
    void play_move(PlayedConnection& connection, const std::string& channel);
    Octets confirm_for_accept(const PlayedConnection& connection, Octets confirm) const;
    void on_clc(Time now, PlayedConnection& connection);
    void on_clc(Time now, PlayedConnection& connection, const wire::ClcMessage& message, bool own);
    void on_llc_of_peer(Time now, std::size_t link, const Octets& octets);
    void on_llc(Time now, std::size_t link, ByteView octets, bool own);
    void answer_unrecorded(Time now, std::size_t link, const std::string& what, const Octets& octets);

    // ---- data ----
    bool process_completions(Time now);
    void on_completion(Time now, std::size_t adapter, const stack::Completion& completion);
    void on_sent(std::size_t link, const stack::Completion& completion);
    bool is_lost_in_recording(std::size_t link);
    bool leave_lost_links(Time now);
    bool depart(Time now);
    bool host_is_gone() const { return departed_ && !recorded_.departure->resets_tcp; }
    bool reset_what_is_left(Time now);
    void on_cdc(Time now, const Octets& octets);
    bool may_end(const PlayedConnection& connection) const;
    bool may_have_data(const PlayedConnection& connection) const;
    void become_active(PlayedConnection& connection);
    void run_application(Time now, PlayedConnection& connection);
    bool note_milestones(Time now, PlayedConnection& connection);

    const Recorded& recorded_;
    Side played_;
    PlayOptions options_;
    Script script_;
    stack::smcr::Profile profile_;
    std::vector<stack::OutgoingFrame> frames_;
    PlayedLinks links_;
    std::vector<Mac> ports_;
    std::vector<std::size_t> adapter_port_;
    std::vector<std::unique_ptr<PlayedConnection>> connections_;
    std::map<std::uint16_t, PlayedConnection*> by_port_;
    builders::FrameBuilder builder_;
    std::uint16_t identification_ = 0;
    std::vector<std::string> notes_;
    bool started_ = false, given_up_ = false;
    bool departed_ = false;  ///< as the recorded side did: its devices are gone
    bool over_ = false, peer_leaves_ = false;
    Time now_ = 0;
    Time planned_ = stack::never;  ///< when the script goes on
    Time moved_ = 0;               ///< when something happened last
    std::uint64_t progress_ = 0, played_messages_ = 0;
};

}  // namespace fabricscope::replay::smcr
