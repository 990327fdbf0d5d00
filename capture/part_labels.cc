// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/part_labels.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <utility>

#include "capture/pcapng.h"
#include "capture/utf8.h"

namespace fabricscope::capture {
namespace {

constexpr std::string_view before_frame = ", frame ", before_all = " (", behind_all = " of all)";

/// The number that `text` begins with, which is taken off.
std::optional<std::uint64_t> take_number(std::string_view& text) {
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    return number;
}

class LabelledSource final : public Source {
public:
    LabelledSource(std::unique_ptr<Source> source, std::string path, PartLabels labels)
        : source_(std::move(source)), path_(std::move(path)), labels_(std::move(labels)) {}

    bool next(Frame& frame) override {
        if (error_ || !source_->next(frame)) return false;
        const std::optional<PartLabel> label = labels_.next();
        if (!label) {
            error_ = Error{
                .file = path_,
                .frame = frame.number,
                .offset = {},
                .message = "no comment says where the frame comes from"};
            return false;
        }
        frame.number = label->number;
        frame.origin = label->origin;
        return true;
    }

    std::vector<Error> errors() const override {
        std::vector<Error> errors = source_->errors();
        if (error_) errors.push_back(*error_);
        return errors;
    }
    std::uint32_t interface_count() const override { return source_->interface_count(); }

private:
    std::unique_ptr<Source> source_;
    std::string path_;
    PartLabels labels_;
    std::optional<Error> error_;
};

}  // namespace

std::string label_text(const PartLabel& label, const std::vector<std::string>& captures) {
    std::string text = utf8_of(captures.at(label.origin.source));
    text.append(before_frame).append(std::to_string(label.origin.number));
    if (captures.size() > 1) text.append(before_all).append(std::to_string(label.number)).append(behind_all);
    return text;
}

std::optional<PartLabel> label_of(std::string_view comment, const std::vector<std::string>& captures) {
    const std::size_t place = comment.rfind(before_frame);
    if (place == std::string_view::npos) return std::nullopt;
    const auto capture = std::ranges::find(captures, comment.substr(0, place));
    comment.remove_prefix(place + before_frame.size());
    const auto in_capture = take_number(comment);
    if (capture == captures.end() || !in_capture) return std::nullopt;
    const Origin origin{static_cast<std::uint32_t>(capture - captures.begin()), *in_capture};
    if (captures.size() == 1) return comment.empty() ? std::optional(PartLabel{*in_capture, origin}) : std::nullopt;
    if (!comment.starts_with(before_all)) return std::nullopt;
    comment.remove_prefix(before_all.size());
    const auto number = take_number(comment);
    if (!number || comment != behind_all) return std::nullopt;
    return PartLabel{*number, origin};
}

/// The blocks that hold frames, in the byte order of this host, in which parts are written.
class PartLabels::Blocks {
public:
    explicit Blocks(const std::string& path) : file_(path, std::ios::binary) {}

    /// What stands between the block's length and its end; empty behind the last one.
    std::string_view next() {
        for (std::uint32_t head[2]; read(head, sizeof head);) {
            if (head[1] < pcapng::smallest_block || head[1] > largest) return {};
            if (head[0] != pcapng::enhanced_packet) {
                file_.seekg(head[1] - sizeof head, std::ios::cur);
                continue;
            }
            body_.resize(head[1] - sizeof head);
            if (!read(body_.data(), body_.size())) return {};
            return std::string_view(body_).substr(0, body_.size() - sizeof head[1]);
        }
        return {};
    }

private:
    static constexpr std::uint32_t largest = std::uint32_t{1} << 30;

    bool read(void* to, std::size_t octets) {
        file_.read(static_cast<char*>(to), static_cast<std::streamsize>(octets));
        return !file_.fail();
    }

    std::ifstream file_;
    std::string body_;
};

PartLabels::PartLabels(const std::string& path, std::vector<std::string> captures)
    : blocks_(std::make_unique<Blocks>(path)), captures_(std::move(captures)) {}
PartLabels::PartLabels(PartLabels&&) noexcept = default;
PartLabels::~PartLabels() = default;

/// The last of its comments that is a label: partition writes it behind those that were there.
std::optional<PartLabel> PartLabels::next() {
    constexpr std::size_t captured_at = 12, octets_at = 20;
    const std::string_view block = blocks_->next();
    if (block.size() < octets_at) return std::nullopt;
    std::uint32_t captured = 0;
    std::memcpy(&captured, block.data() + captured_at, sizeof captured);
    std::optional<PartLabel> label;
    pcapng::for_each_option(
        block.substr(std::min<std::uint64_t>(octets_at + (captured + std::uint64_t{3}) / 4 * 4, block.size())),
        [](std::uint16_t number) { return number; },
        [&](std::uint16_t code, std::string_view value) {
            if (code != pcapng::option::comment) return;
            if (const auto found = label_of(value, captures_)) label = found;
        });
    return label;
}

std::unique_ptr<Source> with_original_numbers(
    std::unique_ptr<Source> source, const std::string& path, PartLabels labels) {
    return std::make_unique<LabelledSource>(std::move(source), path, std::move(labels));
}

}  // namespace fabricscope::capture
