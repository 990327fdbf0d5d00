// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "protocols/fc/els.h"
#include "protocols/net/headers.h"
#include "tests/traffic/sequence_numbers.h"

namespace fabricscope::traffic {
namespace {

using Words = std::vector<std::string>;

[[noreturn]] void fail(std::string_view problem, std::string_view what) {
    throw EditError(fmt::format("{}: {}", problem, what));
}

capture::Packet decoded(const Recording& recording, std::size_t index) {
    return capture::decode(frame_at(recording, index));
}

// ---- words ---------------------------------------------------------------------------------------

Words words_of(std::string_view line) {
    std::istringstream in{std::string(line)};
    Words words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

const std::string& word_at(const Words& words, std::size_t index) {
    if (index >= words.size()) fail("something is missing behind", words.back());
    return words[index];
}

/// A number with a sign or without, decimal or with 0x.
std::int64_t number_of(std::string_view text) {
    std::string_view digits = text;
    const bool negative = digits.starts_with('-');
    if (negative || digits.starts_with('+')) digits.remove_prefix(1);
    const bool hex = digits.starts_with("0x");
    if (hex) digits.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    if (error != std::errc{} || end != digits.data() + digits.size()) fail("not a number", text);
    return static_cast<std::int64_t>(negative ? 0 - value : value);
}

Octets octets_of_hex(std::string_view hex) {
    Octets octets;
    if (hex.size() % 2 != 0) fail("half an octet", hex);
    for (std::size_t i = 0; i < hex.size(); i += 2)
        octets.push_back(static_cast<std::uint8_t>(number_of("0x" + std::string(hex.substr(i, 2)))));
    return octets;
}

capture::Time time_of(std::string_view text) {
    static constexpr std::array<std::pair<std::string_view, capture::Time>, 4> units{
        {{"ns", 1}, {"us", capture::microsecond}, {"ms", capture::millisecond}, {"s", capture::second}}};
    for (const auto& [unit, factor] : units)
        if (text.ends_with(unit)) return number_of(text.substr(0, text.size() - unit.size())) * factor;
    fail("not a time", text);
}

// ---- which frames --------------------------------------------------------------------------------

/// Those of scenarios, whose clients have up to eight devices, and of the samples of Fibre Channel.
bool is_client(const Recording& recording, std::size_t index) {
    const capture::Packet packet = decoded(recording, index);
    if (packet.fc)
        return packet.source == capture::Address::of_port_id(0x01'0100) ||
               packet.source == capture::Address::of_port_id(0x01'0203);
    constexpr std::uint8_t first = 10, devices = 8;
    net::Ethernet ethernet{};
    const bool cut = static_cast<bool>(layout::parse_into(ethernet, recording.frames[index].octets));
    return !cut && static_cast<std::uint8_t>(ethernet.source.octets[5] - first) < devices;
}

struct Selection {
    std::string name;
    std::string field, value;    ///< that it has, if there is one to have
    std::optional<bool> client;  ///< which side sends it
    std::string which = "1";
};

Selection parsed(std::string_view text) {
    Selection selection;
    for (const std::string_view side : {"client:", "server:"})
        if (text.starts_with(side)) {
            selection.client = side == "client:";
            text.remove_prefix(side.size());
        }
    if (const std::size_t slash = text.rfind('/'); slash != std::string_view::npos) {
        selection.which = text.substr(slash + 1);
        text = text.substr(0, slash);
    }
    if (const std::size_t bracket = text.find('['); bracket != std::string::npos && text.ends_with(']')) {
        const std::string_view condition = text.substr(bracket + 1, text.size() - bracket - 2);
        const std::size_t equals = condition.find('=');
        if (equals == std::string::npos) fail("no FIELD=VALUE", condition);
        selection.field = condition.substr(0, equals), selection.value = condition.substr(equals + 1);
        text = text.substr(0, bracket);
    }
    selection.name = text;
    std::ranges::replace(selection.name, '_', ' ');
    return selection;
}

bool has_value(const Recording& recording, std::size_t index, const Selection& selection) {
    Octets octets = recording.frames[index].octets;
    const auto fields = fields_of({octets, frame_at(recording, index).link});
    const replay::FieldAt* field = find_field(fields, selection.field);
    return field != nullptr && replay::number_of(replay::value_of(octets, *field)) ==
                                   static_cast<std::uint64_t>(number_of(selection.value));
}

bool is_meant(const Recording& recording, std::size_t index, const Selection& selection) {
    std::string name = message_name_of(recording.frames[index].octets, frame_at(recording, index).link);
    std::ranges::replace(name, '_', ' ');
    if (name != selection.name) return false;
    if (selection.client && is_client(recording, index) != *selection.client) return false;
    return selection.field.empty() || has_value(recording, index, selection);
}

// ---- fields --------------------------------------------------------------------------------------

/// The command of the ELS request that frame `index` answers.
std::uint8_t request_of(const Recording& recording, std::size_t index) {
    const capture::Packet reply = decoded(recording, index);
    if (!reply.fc || reply.fc->frame.header.type != fc::type_els || !reply.fc->frame.header.f_ctl.exchange_responder)
        return 0;
    for (std::size_t i = index; i-- > 0;) {
        const capture::Packet request = decoded(recording, i);
        if (!request.fc || request.fc->frame.payload.empty()) continue;
        const fc::FrameHeader& header = request.fc->frame.header;
        if (header.type == fc::type_els && !header.f_ctl.exchange_responder &&
            header.ox_id == reply.fc->frame.header.ox_id && header.d_id == reply.fc->frame.header.s_id)
            return request.fc->frame.payload[0];
    }
    return 0;
}

replay::FieldAt field_at(const FrameToEdit& frame, std::string_view name) {
    const auto fields = fields_of(frame);
    const replay::FieldAt* field = find_field(fields, name);
    if (field == nullptr) fail("the frame has no field", name);
    return *field;
}

replay::Value value_in(Recording& recording, const FrameToEdit& frame, std::string_view name, std::string_view text) {
    if (text.starts_with("x:")) return octets_of_hex(text.substr(2));
    if (text.starts_with('@')) {
        const FrameToEdit other = frame_to_edit(recording, select(recording, text.substr(1)).front());
        return replay::value_of(other.octets, field_at(other, name));
    }
    const std::int64_t number = number_of(text);
    if (!text.starts_with('+') && !text.starts_with('-')) return value_of_number(number);
    const auto now = replay::number_of(replay::value_of(frame.octets, field_at(frame, name)));
    return value_of_number(static_cast<std::int64_t>(now) + number);
}

// ---- what happens to them ------------------------------------------------------------------------

using Frames = std::vector<RecordedFrame>;

Frames::iterator place(Frames& frames, std::size_t index) {
    return frames.begin() + static_cast<std::ptrdiff_t>(index);
}

void set_fields(Recording& recording, std::size_t index, const Words& words) {
    word_at(words, 2);
    for (std::size_t i = 2; i < words.size(); ++i) {
        const std::size_t equals = words[i].find('=');
        if (equals == std::string::npos) fail("no FIELD=VALUE", words[i]);
        const std::string name = words[i].substr(0, equals);
        const FrameToEdit frame = frame_to_edit(recording, index);
        set_field(frame, name, value_in(recording, frame, name, words[i].substr(equals + 1)));
    }
}

void alter_octets(const FrameToEdit& frame, const Words& words) {
    const auto at = static_cast<std::ptrdiff_t>(number_of(word_at(words, 2)));
    if (words[1] == "erase") return replace(frame, at, static_cast<std::size_t>(number_of(word_at(words, 3))), {});
    const Octets octets = octets_of_hex(word_at(words, 3));
    replace(frame, at, words[1] == "octets" ? octets.size() : 0, octets);
}

/// Where words[2] and words[3] say: before or behind a frame.
std::size_t target_of(const Recording& recording, const Words& words) {
    const bool after = word_at(words, 2) == "after";
    if (!after && words[2] != "before") fail("before or after?", words[2]);
    return select(recording, word_at(words, 3)).front() + (after ? 1 : 0);
}

/// A copy comes at the time of the frame that it is put before or behind.
void copy(Recording& recording, std::size_t index, const Words& words) {
    const std::size_t to = words.size() > 2 ? target_of(recording, words) : index + 1;
    RecordedFrame frame = recording.frames[index];
    if (words.size() > 2) frame.time = recording.frames[words[2] == "after" ? to - 1 : to].time;
    recording.frames.insert(place(recording.frames, to), std::move(frame));
}

void move(Recording& recording, std::size_t index, const Words& words) {
    const bool from_behind = index >= target_of(recording, words);
    copy(recording, index, words);
    recording.frames.erase(place(recording.frames, index + (from_behind ? 1 : 0)));
}

Numbered sent_at(const Recording& recording, std::size_t index) {
    Numbered frame = numbered(recording, index);
    if (frame.size == 0 || !frame.is_request()) fail("a frame that is not numbered", fmt::format("#{}", index + 1));
    return frame;
}

void unsend(Recording& recording, std::size_t index) {
    const Numbered frame = sent_at(recording, index);
    recording.frames.erase(place(recording.frames, index));
    renumber(recording, index, frame, frame.number, -static_cast<std::int32_t>(frame.size));
}

void send(Recording& recording, std::size_t index, const Words& words) {
    const std::size_t to = target_of(recording, words);
    const Numbered frame = next_at(recording, to, sent_at(recording, index));
    renumber(recording, to, frame, frame.number, static_cast<std::int32_t>(frame.size));
    copy(recording, index, words);
    set_number(recording, to, frame.number_field(), frame.number);
    if (frame.reply) set_number(recording, to, frame.reply_field(), *frame.reply);
}

/// What changes a frame's length; in a TCP stream what follows moves on.
void resize(Recording& recording, std::size_t index, const Words& words) {
    const Numbered before = numbered(recording, index);
    const FrameToEdit frame = frame_to_edit(recording, index);
    if (words[1] == "size") resize_payload(frame, static_cast<std::size_t>(number_of(word_at(words, 2))));
    else alter_octets(frame, words);
    if (before.transport != capture::Transport::tcp) return;
    const auto by = static_cast<std::int32_t>(numbered(recording, index).size - before.size);
    renumber(recording, index + 1, before, before.number + (before.size != 0 ? 1 : 0), by);
}

/// Behind both MAC addresses (IEEE 802.1Q).
void tag(RecordedFrame& frame, std::uint16_t vlan) {
    constexpr std::size_t offset = 12;
    if (frame.octets.size() < offset) fail("no Ethernet frame", "vlan");
    const std::array<std::uint8_t, 4> tag{
        0x81, 0x00, static_cast<std::uint8_t>(vlan >> 8), static_cast<std::uint8_t>(vlan & 0xFF)};
    frame.octets.insert(frame.octets.begin() + offset, tag.begin(), tag.end());
}

void apply(Recording& recording, std::size_t index, const Words& words) {
    const std::string& verb = words[1];
    Frames& frames = recording.frames;
    if (verb == "set") set_fields(recording, index, words);
    else if (verb == "octets" || verb == "insert" || verb == "erase" || verb == "size") resize(recording, index, words);
    else if (verb == "vlan") tag(frames[index], static_cast<std::uint16_t>(number_of(word_at(words, 2))));
    else if (verb == "drop") frames.erase(place(frames, index));
    else if (verb == "unsend") unsend(recording, index);
    else if (verb == "send") send(recording, index, words);
    else if (verb == "copy") copy(recording, index, words);
    else if (verb == "move") move(recording, index, words);
    else if (verb == "delay")
        std::for_each(place(frames, index), frames.end(), [by = time_of(word_at(words, 2))](RecordedFrame& frame) {
            frame.time += by;
        });
    else if (verb == "begin") frames.erase(frames.begin(), place(frames, index));
    else if (verb == "end") frames.erase(place(frames, index + 1), frames.end());
    else fail("nothing that can happen to a frame", verb);
}

}  // namespace

std::vector<std::size_t> select(const Recording& recording, std::string_view which) {
    if (which.starts_with('#')) {
        if (which == "#last" && !recording.frames.empty()) return {recording.frames.size() - 1};
        const auto number = static_cast<std::size_t>(number_of(which.substr(1)));
        if (number == 0 || number > recording.frames.size()) fail("no such frame", which);
        return {number - 1};
    }
    Selection selection = parsed(which);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < recording.frames.size(); ++i)
        if (is_meant(recording, i, selection)) found.push_back(i);
    if (found.empty()) fail("no such frame", which);
    if (selection.which == "all") return found;
    if (selection.which == "last") return {found.back()};
    const bool and_on = selection.which.ends_with("..");
    if (and_on) selection.which.resize(selection.which.size() - 2);
    const auto count = static_cast<std::size_t>(number_of(selection.which));
    if (count == 0 || count > found.size()) fail("not so many frames", which);
    const auto first = found.begin() + static_cast<std::ptrdiff_t>(count) - 1;
    return {first, and_on ? found.end() : first + 1};
}

FrameToEdit frame_to_edit(Recording& recording, std::size_t index) {
    const std::uint8_t request = request_of(recording, index);
    return {recording.frames[index].octets, frame_at(recording, index).link, request};
}

void set_field(const FrameToEdit& frame, std::string_view field, const replay::Value& value) {
    replay::set_value(frame.octets, field_at(frame, field), value);
    repair_checksums(frame);
}

replay::Value value_of_number(std::int64_t number) {
    replay::Value value;
    for (int shift = 56; shift >= 0; shift -= 8)
        value.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(number) >> shift));
    return value;
}

void edit(Recording& recording, std::string_view line) {
    const Words words = words_of(line);
    if (words.empty()) return;
    word_at(words, 1);
    const std::vector<std::size_t> indices = select(recording, words[0]);
    // From the end on: what is dropped or copied does not move those that are still to be altered.
    std::for_each(indices.rbegin(), indices.rend(), [&](std::size_t index) { apply(recording, index, words); });
}

}  // namespace fabricscope::traffic
