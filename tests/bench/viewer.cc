// SPDX-License-Identifier: GPL-2.0-or-later
// The viewer's speed: viewer_bench CAPTURE [OPERATIONS]. How long until a capture is in the window, beside `analyze` of
// the same capture; how long the window does not answer meanwhile; how long a picture of so many operations takes, and
// what each of them takes in memory.
#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QImage>
#include <QProcess>
#include <QTimer>
#include <algorithm>
#include <fstream>

#include "analyzer/viewer/main_window.h"
#include "analyzer/viewer/panes/track_view.h"

namespace {

using namespace fabricscope::viewer;

double processor_seconds(int who) {
    rusage usage{};
    ::getrusage(who, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Octets of this process in memory.
double resident() {
    std::ifstream file("/proc/self/statm");
    double all = 0, resident = 0;
    file >> all >> resident;
    return resident * 4096;
}

/// Seconds that this thread has computed: whatever else the machine does is left out.
double thread_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

/// How long this thread has computed at most before its event loop ran again.
class Heart {
public:
    Heart() {
        QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] {
            const double now = thread_seconds();
            longest_ = std::max(longest_, now - beat_);
            beat_ = now;
        });
        timer_.start(5);
    }
    double longest() const { return longest_; }

private:
    QTimer timer_;
    double beat_ = thread_seconds(), longest_ = 0;
};

void measure_loading(const QString& capture) {
    QElapsedTimer clock;
    clock.start();
    const double before_analyze = processor_seconds(RUSAGE_CHILDREN);
    QProcess analyze;
    analyze.setStandardOutputFile(QProcess::nullDevice());
    analyze.start(FABRICSCOPE_PROGRAM, {"analyze", "--", capture});
    analyze.waitForFinished(-1);
    const double analyze_wall = static_cast<double>(clock.restart()) / 1e3;
    const double analyze_cpu = processor_seconds(RUSAGE_CHILDREN) - before_analyze;

    const double before = processor_seconds(RUSAGE_SELF);
    MainWindow window;
    window.resize(1280, 800);
    window.QMainWindow::show();
    QEventLoop until_loaded;
    QObject::connect(&window.loader(), &Loader::loaded, &until_loaded, &QEventLoop::quit);
    const Heart heart;
    window.open({capture.toStdString()});
    until_loaded.exec();
    window.repaint();
    QCoreApplication::processEvents();
    const double wall = static_cast<double>(clock.elapsed()) / 1e3;
    const double cpu = processor_seconds(RUSAGE_SELF) - before;
    const Recording& recording = *window.recording();
    fmt::print(
        "{} frames, {} slices\n", recording.results ? recording.results->capture.frames : 0, recording.operations());
    fmt::print("  analyze: {:.2f} s, {:.2f} s of processor time\n", analyze_wall, analyze_cpu);
    fmt::print(
        "  viewer until the first picture of it: {:.2f} s, {:.2f} s of processor time; {:.2f} times analyze's (aim: at "
        "most 2)\n",
        wall, cpu, cpu / analyze_cpu);
    fmt::print("  longest time without an answer: {:.0f} ms (aim: at most 100)\n", heart.longest() * 1e3);
    fmt::print("  resident: {:.0f} MB\n", resident() / 1e6);
}

/// Connections that do something all the time, some of it twice at a time.
std::shared_ptr<const Recording> made(std::size_t operations) {
    constexpr std::size_t connections = 100, lanes = 2;
    const std::size_t each = operations / connections / lanes;
    auto recording = std::make_shared<Recording>();
    const std::uint32_t label = recording->overview.label("data");
    const std::size_t hosts = recording->overview.group(fabricscope::report::Node::none, "192.0.2.10 - 192.0.2.20");
    for (std::size_t i = 0; i < connections; ++i) {
        auto& node = recording->overview.add(hosts, fmt::format("smcr-{}", i + 1));
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            auto& slices = node.lanes.emplace_back(Lane{.name = lane == 0 ? "client → server" : "server → client"})
                               .slices;
            slices.reserve(each);
            for (std::size_t j = 0; j < each; ++j) {
                const auto begin = static_cast<Time>(j * 1000 + (i * 7 + j * 13) % 400);
                slices.push_back(
                    {.begin = begin,
                     .end = begin + 300 + static_cast<Time>((j * 31) % 900),
                     .frame = j + 1,
                     .octets = 1000,
                     .label = label,
                     .activity = j % 5000 == 0 ? Activity::trouble : Activity::operation});
            }
        }
    }
    recording->overview.sum_up();
    recording->tracks = tracks_of(recording->overview);
    return recording;
}

void measure_frames(std::size_t operations) {
    const double before = resident();
    const auto recording = made(operations);
    const double each = (resident() - before) / static_cast<double>(recording->operations());
    Navigator navigator;
    TrackView view(navigator);
    view.resize(1280, 800);
    QImage picture(view.size(), QImage::Format_ARGB32_Premultiplied);
    view.show(recording);
    const auto& nodes = recording->overview.nodes;
    const Stretch whole{*nodes[0].first, *nodes[0].last};
    navigator.reset(whole);
    std::vector<double> times;
    const auto paint = [&] {
        const double begin = thread_seconds();
        view.render(&picture);
        times.push_back(thread_seconds() - begin);
    };
    // In to a millionth and out again, with steps to the side at every depth.
    for (const double factor : {0.8, 1.25})
        for (int step = 0; step < 60; ++step) {
            navigator.zoom(factor, whole.begin + whole.length() / 3);
            paint();
            for (const double share : {0.1, 0.1, -0.1}) {
                navigator.pan(share);
                paint();
            }
        }
    std::ranges::sort(times);
    const auto milliseconds = [&](double share) {
        return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))] * 1e3;
    };
    fmt::print("{} operations, {} pictures of 1280 x 800\n", recording->operations(), times.size());
    fmt::print(
        "  a picture: {:.1f} ms at the median (aim: 16), {:.1f} ms at 99 % (aim: 33), longest {:.1f} ms\n",
        milliseconds(0.5), milliseconds(0.99), milliseconds(1));
    fmt::print("  an operation: {:.0f} bytes of memory (aim: at most 200)\n", each);
}

}  // namespace

int main(int argc, char** argv) {
    const QApplication application(argc, argv);
    if (argc < 2) {
        fmt::print(stderr, "usage: viewer_bench CAPTURE [OPERATIONS]\n");
        return 2;
    }
    measure_frames(argc > 2 ? std::stoul(argv[2]) : 10'000'000);
    measure_loading(QString::fromLocal8Bit(argv[1]));
}
