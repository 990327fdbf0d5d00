// SPDX-License-Identifier: GPL-2.0-or-later
// Octets as edits of a capture that is known to be good: fields by their layouts, what is missing, comes twice, too
// late or is cut. Lengths and checksums are right again afterwards, so that what is wrong gets past them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/packet.h"
#include "tests/fuzz/script.h"
#include "tests/traffic/edit.h"

namespace fabricscope::fuzz {

/// The beginnings of the small ones of the samples: many short captures find more in the same time.
inline std::vector<traffic::Recording> short_samples() {
    constexpr std::uintmax_t largest_file = 40'000;
    constexpr std::size_t most_frames = 200;
    std::vector<std::filesystem::path> paths;
    for (const char* folder : {"real", "synth", "fcvi", "fc_ae_rdma"})
        for (const auto& entry :
             std::filesystem::directory_iterator(std::filesystem::path(FABRICSCOPE_ALL_SAMPLES) / folder))
            if (entry.path().extension().string().starts_with(".pcap") && entry.file_size() <= largest_file)
                paths.push_back(entry.path());
    std::ranges::sort(paths);
    std::vector<traffic::Recording> recordings;
    for (const std::filesystem::path& path : paths) {
        traffic::Recording& recording = recordings.emplace_back(traffic::read(path));
        if (recording.frames.size() > most_frames) recording.frames.resize(most_frames);
    }
    return recordings;
}

class Editor {
public:
    Editor(traffic::Recording recording, Script& script) : recording_(std::move(recording)), script_(script) {}

    traffic::Recording edited() {
        constexpr std::size_t most = 48;
        for (std::size_t edits = 0; edits < most && script_.more() && !recording_.frames.empty(); ++edits) edit();
        return std::move(recording_);
    }

private:
    std::size_t place() { return (std::size_t{script_.octet()} << 8 | script_.octet()) % recording_.frames.size(); }
    auto at(std::size_t index) { return recording_.frames.begin() + static_cast<std::ptrdiff_t>(index); }

    void edit() {
        const std::size_t index = place();
        switch (script_.below(12)) {
            case 0: recording_.frames.erase(at(index)); return;
            case 1: recording_.frames.insert(at(place()), synth::RecordedFrame(recording_.frames[index])); return;
            case 2: return move(index, place());
            case 3: return delay(index);
            case 4: return cut(recording_.frames[index].octets);
            case 5: return resize(index);
            case 6: return copy_field(index, place());
            default: return change_field(index);
        }
    }

    void move(std::size_t from, std::size_t to) {
        synth::RecordedFrame frame = std::move(recording_.frames[from]);
        recording_.frames.erase(at(from));
        recording_.frames.insert(at(std::min(to, recording_.frames.size())), std::move(frame));
    }

    void delay(std::size_t index) {
        const capture::Time by = (script_.number() & 0xFFFF) *
                                 (script_.flag() ? capture::second : capture::millisecond);
        for (; index < recording_.frames.size(); ++index) recording_.frames[index].time += by;
    }

    void cut(traffic::Octets& octets) { octets.resize(std::min<std::size_t>(octets.size(), script_.octet())); }

    bool is_whole(std::size_t index) const {
        return capture::decode(traffic::frame_at(recording_, index)).state == capture::DecodeState::ok;
    }

    void resize(std::size_t index) {
        if (!is_whole(index)) return;
        const traffic::FrameToEdit frame = traffic::frame_to_edit(recording_, index);
        const traffic::Payload payload = traffic::payload_of(frame);
        if (payload.begin + payload.size + payload.padding > frame.octets.size()) return;  // it says that it has more
        traffic::resize_payload(frame, script_.number() % 2048);
    }

    /// One of those whose places are certain. What is below has targets of its own.
    std::optional<replay::FieldAt> some_field(std::size_t index) {
        if (!is_whole(index)) return std::nullopt;
        auto fields = traffic::fields_of(traffic::frame_to_edit(recording_, index));
        std::erase_if(fields, [](const replay::FieldAt& field) {
            const std::string_view name = field.filter();
            return field.info == nullptr || name.starts_with("eth.") || name.starts_with("ip");
        });
        if (fields.empty()) return std::nullopt;
        return fields[script_.octet() % fields.size()];
    }

    void set_field(std::size_t index, const replay::FieldAt& field, const replay::Value& value) {
        const traffic::FrameToEdit frame = traffic::frame_to_edit(recording_, index);
        if (field.offset + field.width > frame.octets.size()) return;
        replay::set_value(frame.octets, field, value);
        if (is_whole(index)) traffic::repair_checksums(frame);
    }

    /// Numbers around which something changes, or any.
    std::uint64_t number_near(std::uint64_t number) {
        switch (script_.below(6)) {
            case 0: return 0;
            case 1: return ~std::uint64_t{0};
            case 2: return number + 1;
            case 3: return number - 1;
            case 4: return number ^ std::uint64_t{1} << script_.below(64);
            default: return script_.number();
        }
    }

    void change_field(std::size_t index) {
        const auto field = some_field(index);
        if (!field) return;
        const std::uint64_t before = replay::number_of(replay::value_of(recording_.frames[index].octets, *field));
        set_field(index, *field, traffic::value_of_number(static_cast<std::int64_t>(number_near(before))));
    }

    /// What another frame says in the field of that name.
    void copy_field(std::size_t index, std::size_t from) {
        const auto field = some_field(index);
        if (!field || !is_whole(from)) return;
        const traffic::FrameToEdit source = traffic::frame_to_edit(recording_, from);
        const auto fields = traffic::fields_of(source);
        const replay::FieldAt* same = traffic::find_field(fields, field->filter());
        if (same != nullptr) set_field(index, *field, replay::value_of(source.octets, *same));
    }

    traffic::Recording recording_;
    Script& script_;
};

/// One of the samples, edited as the octets say.
inline traffic::Recording edited_sample(const std::vector<traffic::Recording>& samples, ByteView octets) {
    constexpr std::size_t longest_script = 1024;
    Script script(octets.first(std::min(octets.size(), longest_script)));
    const std::size_t which = std::size_t{script.octet()} << 8 | script.octet();
    return Editor(samples[which % samples.size()], script).edited();
}

}  // namespace fabricscope::fuzz
