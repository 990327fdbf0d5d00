// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/jobs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <system_error>
#include <utility>

#include "capture/file_descriptor.h"
#include "program/interrupt.h"
#include "program/output.h"
#include "program/status.h"

namespace fabricscope::cli {
namespace {

/// An unnamed file, which two processes share.
class Scratch {
public:
    Scratch() {
        std::string name = std::filesystem::temp_directory_path() / "fabricscope-XXXXXX";
        file_ = capture::FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
        if (!file_.is_open()) throw std::system_error(errno, std::generic_category(), "a temporary file");
        ::unlink(name.c_str());
    }

    const capture::FileDescriptor& file() const { return file_; }

private:
    capture::FileDescriptor file_;
};

/// In memory: a full disk must not take the complaint about itself.
capture::FileDescriptor scratch_for_complaints() {
    capture::FileDescriptor file(::memfd_create("fabricscope-complaints", MFD_CLOEXEC));
    if (!file.is_open()) throw std::system_error(errno, std::generic_category(), "memory for messages");
    return file;
}

std::string path_of(const capture::FileDescriptor& file) { return fmt::format("/proc/self/fd/{}", file.get()); }

struct Job {
    std::size_t index;
    Scratch out;
    capture::FileDescriptor complaints = scratch_for_complaints();
    ::pid_t process = -1;
    std::optional<int> status;  ///< of waitpid(), once it has ended

    explicit Job(std::size_t number) : index(number) {}
};

[[noreturn]] void run_child(const Work& work, const Job& job) {
    int status = wrong_usage;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would take what it writes
    ::dup2(job.complaints.get(), STDERR_FILENO);
    try {
        std::ofstream out(path_of(job.out.file()), std::ios::binary);
        status = work.run(job.index, out);
        if (const std::string reason = why_not_written(out); !reason.empty()) {
            status = refuse("cannot write a temporary file: " + reason);
            out.close();  // which may write some more
            if (::ftruncate(job.out.file().get(), 0) != 0) complain("the report is cut short");
        }
    } catch (const std::bad_alloc&) {
        refuse("out of memory");
    } catch (const std::exception& error) {
        refuse(error.what());
    }
    ::_exit(status);
}

void start(const Work& work, Job& job) {
    std::cout.flush();  // or the child would write it once more, before its first complaint
    job.process = ::fork();
    if (job.process < 0) throw std::system_error(errno, std::generic_category(), "a further process");
    if (job.process == 0) run_child(work, job);
}

std::size_t running(const std::deque<Job>& jobs) {
    return static_cast<std::size_t>(std::ranges::count_if(jobs, [](const Job& job) { return !job.status; }));
}

void await_one(std::deque<Job>& jobs) {
    int status = 0;
    const ::pid_t ended = ::waitpid(-1, &status, 0);  // or a signal ends the wait
    const auto job = std::ranges::find(jobs, ended, &Job::process);
    if (job != jobs.end()) job->status = status;
}

/// Ctrl-C reaches all processes of a terminal, kill(1) only this one.
void hand_on_signal(const std::deque<Job>& jobs) {
    for (const Job& job : jobs)
        if (!job.status) ::kill(job.process, SIGTERM);
}

/// The status that it asks for.
int hand_on(const Work& work, const Job& job) {
    std::ifstream complaints(path_of(job.complaints), std::ios::binary);
    std::ifstream written(path_of(job.out.file()), std::ios::binary);
    if (complaints.peek() != std::ifstream::traits_type::eof()) std::cerr << complaints.rdbuf() << std::flush;
    if (WIFSIGNALED(*job.status)) {
        complain(
            fmt::format("the process for file {} was ended: {}", job.index + 1, ::strsignal(WTERMSIG(*job.status))));
        return not_read;
    }
    if (written.peek() != std::ifstream::traits_type::eof()) work.take(job.index, written);
    return WEXITSTATUS(*job.status);
}

}  // namespace

std::size_t processors() { return g_get_num_processors(); }

int run_jobs(const Work& work, std::size_t jobs) {
    std::deque<Job> begun;  // in order; those at the front are handed on when they have ended
    int status = done;
    std::size_t next = 0;
    for (bool told = false;;) {
        while (next < work.count && !interrupted() && running(begun) < jobs) start(work, begun.emplace_back(next++));
        if (begun.empty()) break;
        await_one(begun);
        if (interrupted() && !std::exchange(told, true)) hand_on_signal(begun);
        while (!begun.empty() && begun.front().status) {
            status = std::max(status, hand_on(work, begun.front()));
            begun.pop_front();
        }
    }
    if (next == work.count) return status;
    complain(fmt::format("interrupted: {} of {} files have not been read", work.count - next, work.count));
    return not_read;
}

}  // namespace fabricscope::cli
