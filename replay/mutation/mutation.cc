// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/mutation/mutation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace fabricscope::replay {

namespace {

constexpr std::string_view length_name = "length";
constexpr std::size_t most_growth = 64;

std::uint64_t largest_of(const layout::FieldInfo& info) {
    const std::size_t bits = info.mask != 0 ? static_cast<std::size_t>(std::popcount(info.mask)) : 8U * info.width;
    return bits >= 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
}

/// Where implementations go wrong: at the ends, beside what is right, in one bit, anywhere.
std::uint64_t other_number(std::uint64_t number, std::uint64_t largest, stack::Random& random) {
    switch (random.below(6)) {
        case 0: return 0;
        case 1: return largest;
        case 2: return (number + 1) & largest;
        case 3: return (number - 1) & largest;
        case 4:
            return (number ^ std::uint64_t{1} << random.below(static_cast<std::uint64_t>(std::bit_width(largest)))) &
                   largest;
        default: return random.next() & largest;
    }
}

Assignment other_field(const Message& message, stack::Random& random) {
    const std::vector<NamedField> fields = named(fields_of(message, message.octets));
    if (!fields.empty()) {
        const auto& [name, field] = fields[random.below(fields.size())];
        if (is_number(field)) {
            const std::uint64_t number = number_of(value_of(message.octets, field));
            return {name, fmt::format("0x{:x}", other_number(number, largest_of(*field.info), random))};
        }
    }
    const std::size_t place = random.below(message.octets.size());
    const auto octet = static_cast<std::uint8_t>(random.bits(8));
    return {fmt::format("octets[{}]", place), text_of_octets(ByteView(&octet, 1))};
}

Assignment other_length(const Message& message, stack::Random& random) {
    return {std::string(length_name), fmt::format("{}", random.below(message.octets.size() + most_growth))};
}

void apply(Message& message, const Assignment& change) {
    if (change.name == length_name) {
        const std::optional<Value> length = value_from_text({.info = nullptr}, "zeros:" + change.text);
        if (!length) throw FieldError(fmt::format("length={} is not a number of octets", change.text));
        message.octets.resize(length->size());
        return;
    }
    const FieldsOf fields = [&](ByteView octets) { return fields_of(message, octets); };
    set(message.octets, fields, change);
}

}  // namespace

std::string text_of(const Mutation& mutation) {
    return fmt::format("{}:{}={}", mutation.frame, mutation.change.name, mutation.change.text);
}

std::optional<Mutation> mutation_from_text(std::string_view text) {
    Mutation mutation;
    const std::size_t colon = text.find(':'), sign = text.find('=');
    if (colon == std::string_view::npos || sign == std::string_view::npos || sign < colon) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + colon, mutation.frame);
    if (error != std::errc() || end != text.data() + colon) return std::nullopt;
    mutation.change = {std::string(text.substr(colon + 1, sign - colon - 1)), std::string(text.substr(sign + 1))};
    return mutation;
}

std::vector<Mutation> random_mutations(
    const Conversation& recorded, Side played, std::size_t count, stack::Random& random) {
    constexpr unsigned lengths_in = 8;  // one of so many changes is another length
    std::vector<const Message*> own;
    for (const Message& message : recorded.messages)
        if (message.from == played && !message.octets.empty()) own.push_back(&message);
    std::vector<Mutation> mutations;
    while (mutations.size() < count && !own.empty()) {
        const Message& message = *own[random.below(own.size())];
        const bool length = random.below(lengths_in) == 0;
        mutations.push_back({message.frame, length ? other_length(message, random) : other_field(message, random)});
    }
    // A message is cut to its length when its fields have been set.
    std::stable_partition(
        mutations.begin(), mutations.end(), [](const Mutation& one) { return one.change.name != length_name; });
    return mutations;
}

void apply(Conversation& recorded, Side played, const std::vector<Mutation>& mutations) {
    for (const Mutation& mutation : mutations) {
        const auto message = std::ranges::find_if(
            recorded.messages, [&](const Message& one) { return one.from == played && one.frame == mutation.frame; });
        if (message == recorded.messages.end())
            throw FieldError(fmt::format(
                "{}: the {} says nothing in frame {}", text_of(mutation), engine::name_of(played), mutation.frame));
        apply(*message, mutation.change);
    }
}

}  // namespace fabricscope::replay
