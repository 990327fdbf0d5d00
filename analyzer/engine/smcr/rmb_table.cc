// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/rmb_table.h"

#include <limits>

namespace fabricscope::engine::smcr {

namespace {

std::uint32_t index_of(const Rtoken& rtoken) { return static_cast<std::uint32_t>(rtoken.link); }

}  // namespace

std::optional<std::size_t> RmbTable::announce(Side owner, const Rtoken& rtoken, std::uint64_t frame) {
    auto& rmbs = group_.rmbs;
    if (const auto* known = history_.rtokens[owner].find(index_of(rtoken), rtoken.rkey);
        known != nullptr && known->address == rtoken.address && !rmbs[known->rmb].deleted())
        return known->rmb;
    if (budget_.rmbs == 0 || rmbs.size() >= budget_.rmbs_per_group) {
        ++budget_.dropped;
        return std::nullopt;
    }
    --budget_.rmbs;
    rmbs.push_back({.owner = owner, .element_size = {}, .rtokens = {}, .first_frame = frame});
    add(rmbs.size() - 1, rtoken);
    return rmbs.size() - 1;
}

void RmbTable::add(std::size_t rmb, const Rtoken& rtoken) {
    Rmb& entry = group_.rmbs[rmb];
    RtokenTable& known = history_.rtokens[entry.owner];
    if (known.find(index_of(rtoken), rtoken.rkey) == nullptr) {
        if (budget_.rtokens == 0) {
            ++budget_.dropped;
            return;
        }
        --budget_.rtokens;
    }
    std::erase_if(entry.rtokens, [&](const Rtoken& other) { return other.link == rtoken.link; });
    entry.rtokens.push_back(rtoken);
    known.set(index_of(rtoken), rtoken.rkey, {rmb, rtoken.address});
}

void RmbTable::add_by_reference(Side owner, std::uint32_t carrier, std::uint32_t link, const wire::RkeyPair& pair) {
    if (const auto* known = history_.rtokens[owner].find(carrier, pair.reference_rkey))
        add(known->rmb, {link, pair.rkey, pair.address});
}

void RmbTable::remove(Side owner, std::uint32_t link, std::uint32_t rkey, std::uint64_t frame) {
    const auto* known = history_.rtokens[owner].find(link, rkey);
    if (known != nullptr && !group_.rmbs[known->rmb].deleted()) group_.rmbs[known->rmb].deleted_frame = frame;
}

RmbTable::Target RmbTable::target_of(Side owner, std::uint32_t link, std::uint32_t rkey, std::uint64_t address) const {
    const auto* known = history_.rtokens[owner].find(link, rkey);
    if (known == nullptr) return {};
    if (address < known->address) return {Target::Place::below_rmb};
    const Rmb& rmb = group_.rmbs[known->rmb];
    const std::uint64_t in_rmb = address - known->address;
    const bool in_first = !rmb.element_size || in_rmb < *rmb.element_size;
    const std::uint64_t index = in_first ? 0 : in_rmb / *rmb.element_size;
    Target target{Target::Place::in_rmb, in_first ? in_rmb : in_rmb % *rmb.element_size};
    target.connection = history_.element_owners.of(known->rmb, 1 + index);
    if (rmb.deleted()) target.deleted = known->rmb;
    return target;
}

std::optional<RmbElement> RmbTable::element_at(Side owner, const Rtoken& place, std::uint64_t frame) {
    const Target target = target_of(owner, index_of(place), place.rkey, place.address);
    if (target.place != Target::Place::in_rmb ||
        (target.deleted && group_.rmbs[*target.deleted].deleted_frame <= frame)) {
        const auto rmb = announce(owner, place, frame);
        return rmb ? std::optional(RmbElement{*rmb, 1}) : std::nullopt;
    }
    if (target.offset != 0 || target.connection != 0) return std::nullopt;
    const auto* known = history_.rtokens[owner].find(index_of(place), place.rkey);
    const std::uint64_t in_rmb = place.address - known->address;
    const std::uint64_t index = 1 + (in_rmb == 0 ? 0 : in_rmb / *group_.rmbs[known->rmb].element_size);
    if (index > std::numeric_limits<std::uint8_t>::max()) return std::nullopt;
    return RmbElement{known->rmb, static_cast<std::uint8_t>(index)};
}

std::optional<Rtoken> RmbTable::place_of(const RmbElement& element, std::uint32_t link) const {
    const Rmb& rmb = group_.rmbs[element.rmb];
    const auto rtoken = std::ranges::find(rmb.rtokens, link, &Rtoken::link);
    if (rtoken == rmb.rtokens.end() || element.index == 0 || (element.index != 1 && !rmb.element_size))
        return std::nullopt;
    Rtoken place = *rtoken;
    if (element.index != 1) place.address += (element.index - 1U) * *rmb.element_size;
    return place;
}

std::uint32_t RmbTable::assign(const RmbElement& element, std::uint32_t connection) {
    const std::uint32_t before = history_.element_owners.of(element.rmb, element.index);
    history_.element_owners.set(element.rmb, element.index, connection);
    return before;
}

void RmbTable::replace(std::uint32_t connection, std::uint32_t by, Side receiver) {
    tokens_[receiver].for_each_value([&](std::uint32_t& id) {
        if (id == connection) id = by;
    });
    history_.element_owners.replace(connection, by);
}

}  // namespace fabricscope::engine::smcr
