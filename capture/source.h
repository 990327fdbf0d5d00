// SPDX-License-Identifier: GPL-2.0-or-later
// Where frames come from: capture files of every kind that libpcap or Wireshark can read, several of
// them merged into one timeline, and standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/frame.h"

namespace fabricscope::capture {

/// Why reading stopped before the end of a capture.
struct Error {
    std::string file;
    std::uint64_t frame = 0;              ///< the frame that could not be read, in that file; 0 = the file itself
    std::optional<std::uint64_t> offset;  ///< octets into the file where reading stopped, where known
    std::string message;                  ///< what was expected and found
};

/// "a.pcap: frame 18, offset 1234: ..."
std::string to_string(const Error& error);

/// Frames that were read together, and their octets.
struct Batch {
    static constexpr std::size_t most_frames = 1024;
    static constexpr std::size_t most_octets = 64 * 1024;  ///< several batches stay in a processor's cache

    std::vector<Frame> frames;  ///< `data` points into `octets`
    std::vector<std::uint8_t> octets;
};

/// A stream of frames. Not thread-safe.
class Source {
public:
    Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    virtual ~Source() = default;

    /// Delivers the next frame; `frame.data` is valid until the following call. False at the end, and
    /// at an error, after all that could be read has been delivered.
    virtual bool next(Frame& frame) = 0;

    /// Delivers the next frames, as many as a batch takes; they live as long as the batch is left alone. Returns
    /// false when next() would, after the last ones have been delivered.
    virtual bool next_batch(Batch& batch);

    /// What went wrong so far: nothing, or one entry for each file that could not be read to its end.
    virtual std::vector<Error> errors() const = 0;

    /// Interfaces known by now. Those described before a file's first packet are known from the start;
    /// one that a pcapng file introduces later is not, and with the same link type it counts as the first.
    virtual std::uint32_t interface_count() const = 0;
};

struct OpenResult {
    std::unique_ptr<Source> source;  ///< null when the file could not be opened
    Error error;                     ///< why

    explicit operator bool() const { return source != nullptr; }
};

/// Opens a capture file; "-" is standard input, which may be a pipe. libpcap reads pcap files and
/// pcapng files of one interface; wiretap the rest: compressed files, several interfaces (libpcap
/// forgets which one a frame came from), other link types and other formats.
OpenResult open(const std::string& path);

/// One timeline out of several: always the earliest frame at hand, each capture in its own order
/// (a frame that is out of order in its capture stays behind its predecessor). Frames are renumbered
/// from 1 and interfaces from 0, as Wireshark's mergecap does. One source is returned as it is.
std::unique_ptr<Source> merge(std::vector<std::unique_ptr<Source>> sources);

struct ReorderLimits {
    Time window = 2 * second;
    std::size_t frames = 65'536;
    std::size_t octets = std::size_t{64} << 20;
};

/// Frames in order of time. A capture from several interfaces is written in the order in which their
/// buffers were emptied, and may step back by hundreds of milliseconds. Frames are held back until
/// one that is younger by the window has been seen, or a limit is reached; equal times keep their
/// order, numbers stay as they were. A single frame far in the future comes last. A source with one interface is
/// returned as it is: such a capture is in order already, or its clock was set back, which sorting would hide.
std::unique_ptr<Source> in_time_order(std::unique_ptr<Source> source, ReorderLimits limits = {});

/// The same sources once more, from their beginning; nothing if that cannot be.
using Reopen = std::function<std::vector<std::unique_ptr<Source>>()>;
/// Of regular files.
Reopen reopening(std::vector<std::string> files);

/// merge() and in_time_order(). Where the frames of a source's interfaces lie further apart than the window, as when
/// one capture was appended to another (`mergecap -a`), each interface is read by itself, provided that it is in order
/// by itself and that there are 64 at most. To find that out, sources of several interfaces are read once more before;
/// without `reopen` (a pipe) they are not. A source of one interface is put in order, too, if its first frames step
/// back in time again and again: it holds those of several, as a file in pcap format does that was made from them.
std::unique_ptr<Source> timeline(
    std::vector<std::unique_ptr<Source>> sources, const Reopen& reopen, ReorderLimits limits = {});

}  // namespace fabricscope::capture
