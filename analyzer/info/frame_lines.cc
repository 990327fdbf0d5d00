// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/info/frame_lines.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/engine/rdma_cm/tracker.h"
#include "analyzer/info/fc_ae_rdma.h"
#include "analyzer/info/fcvi.h"
#include "analyzer/info/rdma.h"
#include "analyzer/info/rdma_cm.h"
#include "analyzer/info/smcr.h"

namespace fabricscope::info {
namespace {

/// What several protocols say of one frame: that of the one that lies highest counts.
enum class Rank : std::uint8_t { transport, message, session };

/// Lines of frames that the engine is dealing with.
class Drafts {
public:
    explicit Drafts(FrameLines::Tell tell) : tell_(std::move(tell)) {}

    void write(std::uint64_t frame, Rank rank, const char* mark, const Line& line) {
        Draft* draft = find(frame);
        if (draft == nullptr) draft = &drafts_.emplace_back(Draft{frame, rank, {}});
        if (rank < draft->rank) return;
        draft->rank = rank;
        draft->text = marked(0, mark, line).view();
    }
    /// The frame carries one more of the same.
    void add(std::uint64_t frame, Rank rank, const char* mark, const char* separator, const Line& line) {
        Draft* draft = find(frame);
        if (draft == nullptr || draft->rank != rank) return write(frame, rank, mark, line);
        draft->text += separator;
        draft->text += line.view();
    }
    const std::string* text(std::uint64_t frame) {
        const Draft* draft = find(frame);
        return draft != nullptr ? &draft->text : nullptr;
    }
    void tell() {
        for (const Draft& draft : drafts_) tell_(draft.frame, draft.text);
        drafts_.clear();
    }

private:
    struct Draft {
        std::uint64_t frame;
        Rank rank;
        std::string text;
    };
    Draft* find(std::uint64_t frame) {
        const auto place = std::ranges::find(drafts_, frame, &Draft::frame);
        return place != drafts_.end() ? &*place : nullptr;
    }

    FrameLines::Tell tell_;
    std::vector<Draft> drafts_;
};

// ---- SMC-R -------------------------------------------------------------------------------------------

class SmcrLines final : public engine::smcr::Observer {
public:
    SmcrLines(Drafts& drafts, const FrameLines::TellCopy& tell_copy) : drafts_(drafts), tell_copy_(tell_copy) {}

    void on_facts(const engine::smcr::FrameFacts& facts) override;
    void on_clc(const engine::smcr::ClcSeen& seen) override;
    /// Each protocol is told of the copies of all.
    void on_copy(std::uint64_t frame, std::uint64_t original) override { tell_copy_(frame, original); }

private:
    using What = engine::smcr::FrameFacts::What;
    static const char* mark_of(const engine::smcr::FrameFacts& facts) {
        return mark_of_retransmission(facts.retransmission);
    }
    void write(const engine::smcr::FrameFacts& facts, const Line& line) {
        drafts_.write(facts.frame, Rank::session, mark_of(facts), line);
    }

    Drafts& drafts_;
    const FrameLines::TellCopy& tell_copy_;
};

void SmcrLines::on_facts(const engine::smcr::FrameFacts& facts) {
    namespace wire = fabricscope::smcr;
    switch (facts.what) {
        case What::llc:
            return write(facts, smcr::summary_of(wire::parse_llc(facts.message, facts.message_length), facts));
        case What::cdc: {
            wire::Cdc cdc;
            layout::parse_into(cdc, facts.message);
            return write(facts, smcr::summary_of(cdc, facts));
        }
        case What::write: return write(facts, smcr::summary_of_write(facts));
        case What::other:
            if (facts.packet != nullptr && !facts.packet->ib.payload.empty())
                write(facts, smcr::summary_of_part(facts));
            return;
        case What::tcp:
            if (facts.clc_pending != 0)
                drafts_.add(
                    facts.frame, Rank::session, mark_of(facts), ", ",
                    Line("[") << smcr::summary_of_clc_part(facts.clc_pending).view() << "]");
            return;
    }
}

void SmcrLines::on_clc(const engine::smcr::ClcSeen& seen) {
    drafts_.add(seen.frame, Rank::session, nullptr, ", ", smcr::summary_of(fabricscope::smcr::parse_clc(seen.octets)));
}

// ---- RDMA --------------------------------------------------------------------------------------------

class RdmaLines final : public engine::rdma::Observer {
public:
    explicit RdmaLines(Drafts& drafts) : drafts_(drafts) {}

    void on_packet(const engine::rdma::FrameFacts& facts, const capture::Packet& packet) override {
        drafts_.write(facts.frame, Rank::transport, rdma::mark_of(facts), rdma::summary_of(packet, facts));
    }

private:
    Drafts& drafts_;
};

class RdmaCmLines final : public engine::rdma_cm::Observer {
public:
    RdmaCmLines(Drafts& drafts, const engine::Engine& engine) : drafts_(drafts), engine_(engine) {}

    void on_packet(const engine::rdma_cm::FrameFacts& facts, const capture::Packet& packet) override {
        if (facts.message) write(facts, packet);
    }
    /// The engine says nothing of messages that belong to no connection.
    void on_other(const capture::Packet& packet) {
        if (engine::rdma_cm::claims_message(packet)) write({.frame = packet.number}, packet);
    }

private:
    void write(const engine::rdma_cm::FrameFacts& facts, const capture::Packet& packet) {
        const auto& connections = engine_.rdma_cm().connections;
        const bool is_known = facts.connection != 0 && facts.connection <= connections.size();
        const engine::rdma_cm::Connection* of = is_known ? &connections[facts.connection - 1] : nullptr;
        engine::PerSide<std::string> sockets;
        const bool has_sockets = of != nullptr && of->client && of->server;
        if (has_sockets) sockets = {{to_string(*of->client), to_string(*of->server)}};
        const ByteView octets = packet.ib.payload;
        const auto message = fabricscope::rdma_cm::parse(octets, of == nullptr || has_ip_header(*of));
        drafts_.write(
            facts.frame, Rank::message, mark_of_retransmission(facts.retransmission),
            rdma_cm::summary_of(
                {message, octets.size(), of, has_sockets ? sockets[facts.from].c_str() : nullptr,
                 has_sockets ? sockets[other(facts.from)].c_str() : nullptr}));
    }

    Drafts& drafts_;
    const engine::Engine& engine_;
};

// ---- Fibre Channel -----------------------------------------------------------------------------------

using FcFacts = engine::fibre_channel::FrameFacts;

constexpr const char* between_frames = " | ";  // FCIP may have several in one packet

class FcviLines final : public engine::fcvi::Observer {
public:
    FcviLines(Drafts& drafts, const engine::Engine& engine) : drafts_(drafts), engine_(engine) {}

    void on_facts(const engine::fcvi::FrameFacts& facts) override { facts_ = facts; }
    void on_data(const engine::fcvi::DataPiece& piece) override { offset_ = piece.offset; }

    static bool is_fcvi(const fc::FrameHeader& header) {
        return header.type == fabricscope::fcvi::fc_type && header.is_data();
    }
    void on_frame(const FcFacts& fc) {
        if (is_fcvi(fc.packet.fc->frame.header)) write(fc);
        facts_.reset();
        offset_ = 0;
    }

private:
    void write(const FcFacts& fc);

    Drafts& drafts_;
    const engine::Engine& engine_;
    std::optional<engine::fcvi::FrameFacts> facts_;  ///< of the frame that is being worked on
    std::uint64_t offset_ = 0;                       ///< of its data
};

/// What a setup says of the endpoints, if this frame has it whole or completes it.
std::optional<fabricscope::fcvi::ConnectPayload> connect_payload_of(
    const FcFacts& fc, const fabricscope::fcvi::DeviceHeader& header) {
    namespace wire = fabricscope::fcvi;
    const wire::IuInfo* const iu = header.iu();
    if (iu == nullptr || iu->payload != wire::Content::connect_info) return std::nullopt;
    const auto& data = fc.sequence.data;
    if (fc.sequence.completes && fc.sequence.sequence->frames > 1 && !data.empty())
        return wire::parse_connect(data, data.size(), header.version);
    const fc::Frame& frame = fc.packet.fc->frame;
    if (!frame.header.f_ctl.end_sequence || frame.header.seq_cnt != 0) return std::nullopt;
    return wire::parse_connect(frame.payload, frame.payload_length, header.version);
}

void FcviLines::write(const FcFacts& fc) {
    namespace wire = fabricscope::fcvi;
    const fc::Frame& frame = fc.packet.fc->frame;
    const auto& model = engine_.fcvi();
    const std::uint32_t connection = facts_ ? facts_->connection : 0;
    const std::uint64_t message = facts_ ? facts_->message : 0;
    const wire::DeviceHeader header = wire::parse_device_header(
        frame.device_header(), frame.header.df_ctl.device_header_octets(),
        facts_ ? facts_->version : wire::Version::rev_1_0);
    const auto payload = connect_payload_of(fc, header);
    const bool is_repeated = facts_ && facts_->repeated;
    const auto of_message = message != 0 ? std::optional(model.messages[message - 1]) : std::nullopt;
    const fcvi::IuView view{
        .readable = facts_.has_value(),
        .repeated = is_repeated,
        .offset = offset_,
        .frame = frame,
        .header = header,
        .payload = payload ? &*payload : nullptr,
        .connection = connection != 0 ? &model.connections[connection - 1] : nullptr,
        .message = of_message ? &*of_message : nullptr};
    drafts_.add(fc.packet.number, Rank::session, mark_of_repeated(is_repeated), between_frames, fcvi::summary_of(view));
}

class FcAeRdmaLines final : public engine::fc_ae_rdma::Observer {
public:
    FcAeRdmaLines(Drafts& drafts, const engine::Engine& engine) : drafts_(drafts), engine_(engine) {}

    void on_facts(const engine::fc_ae_rdma::FrameFacts& facts) override { facts_ = facts; }
    void on_frame(const FcFacts& fc) {
        if (!facts_) return;
        const auto message = engine_.fc_ae_rdma().messages[facts_->message - 1];
        drafts_.add(
            fc.packet.number, Rank::session, mark_of_repeated(facts_->repeated), between_frames,
            fc_ae_rdma::summary_of(fc.packet.fc->frame, message, facts_->repeated));
        facts_.reset();
    }

private:
    Drafts& drafts_;
    const engine::Engine& engine_;
    std::optional<engine::fc_ae_rdma::FrameFacts> facts_;  ///< of the frame that is being worked on
};

class FcLines final : public engine::fibre_channel::Observer {
public:
    FcLines(FcviLines& fcvi, FcAeRdmaLines& fc_ae_rdma) : fcvi_(fcvi), fc_ae_rdma_(fc_ae_rdma) {}

    /// Only what a setup says is used as a whole.
    bool wants_data(const capture::Packet& packet) override {
        const fc::FrameHeader& header = packet.fc->frame.header;
        const fc::Category category = fc::category_of(header.r_ctl);
        return FcviLines::is_fcvi(header) &&
               (category == fc::Category::unsolicited_control || category == fc::Category::solicited_control);
    }
    void on_frame(const FcFacts& facts) override {
        fcvi_.on_frame(facts);
        fc_ae_rdma_.on_frame(facts);
    }

private:
    FcviLines& fcvi_;
    FcAeRdmaLines& fc_ae_rdma_;
};

}  // namespace

class FrameLines::Listeners {
public:
    Listeners(const engine::Engine& engine, Tell tell, TellCopy tell_copy)
        : tell_copy_(std::move(tell_copy)),
          drafts_(std::move(tell)),
          smcr_(drafts_, tell_copy_),
          rdma_(drafts_),
          rdma_cm_(drafts_, engine),
          fcvi_(drafts_, engine),
          fc_ae_rdma_(drafts_, engine),
          fc_(fcvi_, fc_ae_rdma_) {
        observers_.smcr = &smcr_;
        observers_.rdma = &rdma_;
        observers_.rdma_cm = &rdma_cm_;
        observers_.fc = &fc_;
        observers_.fcvi = &fcvi_;
        observers_.fc_ae_rdma = &fc_ae_rdma_;
    }

    const engine::Observers& observers() const { return observers_; }
    void on_packet(const capture::Packet& packet) {
        if (drafts_.text(packet.number) == nullptr) rdma_cm_.on_other(packet);
        drafts_.tell();
    }

private:
    TellCopy tell_copy_;
    Drafts drafts_;
    SmcrLines smcr_;
    RdmaLines rdma_;
    RdmaCmLines rdma_cm_;
    FcviLines fcvi_;
    FcAeRdmaLines fc_ae_rdma_;
    FcLines fc_;
    engine::Observers observers_;
};

FrameLines::FrameLines(const engine::Engine& read_before, Tell tell, TellCopy tell_copy)
    : listeners_(std::make_unique<Listeners>(read_before, std::move(tell), std::move(tell_copy))) {}

FrameLines::~FrameLines() = default;

const engine::Observers& FrameLines::observers() const { return listeners_->observers(); }

void FrameLines::on_packet(const capture::Packet& packet) { listeners_->on_packet(packet); }

std::string copy_of(std::uint64_t original, std::string_view line) {
    // What is a mark of the original is none of the copy.
    if (line.starts_with('['))
        if (const std::size_t end = line.find("] "); end != std::string_view::npos) line.remove_prefix(end + 2);
    return fmt::format("[Copy of frame {}] {}", original, line);
}

}  // namespace fabricscope::info
