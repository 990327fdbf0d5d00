// SPDX-License-Identifier: GPL-2.0-or-later
// Start and end of frame, in the forms that captures hold them: the ordered set's 4 octets (K28.5 as
// BCh; LINKTYPE_FC_2_WITH_FRAME_DELIMS), the octet of FC frame encapsulation (RFC 3643; FCoE, FCIP),
// and the 4-bit code of Cisco's MDS header.
#pragma once

#include <cstdint>
#include <optional>

namespace fabricscope::fc {

enum class Sof : std::uint8_t { none, f, c1, i1, n1, i2, n2, i3, n3, c4, i4, n4 };
enum class Eof : std::uint8_t { none, n, t, a, ni, dt, dti, rt, rti };

/// "SOFi3", "EOFt"; "none"
const char* name_of(Sof sof);
const char* name_of(Eof eof);

/// Class of service 1 to 4; 0 for SOFf, whose class F is the switches' own, and for none.
int class_of(Sof sof);
/// Whether the first frame of a Sequence begins so. SOFf does not tell.
bool initiates(Sof sof);
/// Whether the last frame of a Sequence ends so.
bool terminates(Eof eof);
/// EOFni, EOFdti, EOFrti and EOFa: somebody on the way found the frame invalid, or cut it off.
bool is_invalid(Eof eof);

// Each way back gives nothing for a value that stands for no delimiter.
std::optional<Sof> sof_of_ordered_set(std::uint32_t word);
std::optional<Eof> eof_of_ordered_set(std::uint32_t word);
std::optional<Sof> sof_of_code(std::uint8_t code);
std::optional<Eof> eof_of_code(std::uint8_t code);
std::optional<Sof> sof_of_mds(std::uint8_t code);
std::optional<Eof> eof_of_mds(std::uint8_t code);

// 0 where the form has no code (class 1 has none in RFC 3643).
std::uint32_t ordered_set_of(Sof sof);
/// The one that is sent when the running disparity is negative, or positive.
std::uint32_t ordered_set_of(Eof eof, bool positive = false);
std::uint8_t code_of(Sof sof);
std::uint8_t code_of(Eof eof);
std::uint8_t mds_of(Sof sof);
std::uint8_t mds_of(Eof eof);

}  // namespace fabricscope::fc
