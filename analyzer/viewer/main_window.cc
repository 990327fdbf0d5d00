// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/main_window.h"

#include <fmt/format.h>

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QStatusBar>
#include <QToolBar>
#include <algorithm>
#include <utility>

#include "analyzer/report/units.h"
#include "analyzer/viewer/link/wireshark.h"
#include "analyzer/viewer/panes/compare_pane.h"
#include "analyzer/viewer/panes/fabric_pane.h"
#include "analyzer/viewer/panes/ladder_pane.h"
#include "analyzer/viewer/panes/latency_pane.h"
#include "analyzer/viewer/panes/list_panes.h"
#include "analyzer/viewer/panes/memory_pane.h"
#include "analyzer/viewer/panes/packet_pane.h"
#include "analyzer/viewer/panes/save.h"
#include "analyzer/viewer/panes/sequence_pane.h"
#include "analyzer/viewer/panes/theme.h"
#include "analyzer/viewer/panes/track_pane.h"

namespace fabricscope::viewer {
namespace {

const char* const shortcuts = R"(<table cellpadding="3">
<tr><td><b>W, S</b></td><td>closer, further away (around the time cursor)</td></tr>
<tr><td><b>A, D</b></td><td>earlier, later</td></tr>
<tr><td><b>0</b></td><td>the whole capture</td></tr>
<tr><td><b>F</b></td><td>the selected box</td></tr>
<tr><td><b>P</b>, or a click on the circle</td><td>pins the lane below the mouse to the top</td></tr>
<tr><td><b>[, ]</b></td><td>along an arrow, to what brought an operation on its way and what came of it</td></tr>
<tr><td><b>Wheel</b></td><td>closer, further away; over the names or with Shift: up and down</td></tr>
<tr><td><b>Drag</b></td><td>select a box and see its statistics</td></tr>
<tr><td><b>Right or Shift drag</b></td><td>move in time</td></tr>
<tr><td><b>Double click</b></td><td>an operation fills the picture; in Sequence: puts the time cursor there</td></tr>
<tr><td><b>Alt+Left, Alt+Right</b></td><td>back to the place before, and forward again</td></tr>
<tr><td><b>Esc</b></td><td>the place before</td></tr>
<tr><td><b>Ctrl+F</b></td><td>search the sessions</td></tr>
<tr><td><b>Ctrl+W</b></td><td>open the selection in Wireshark; Ctrl+Shift+C copies it as display filter</td></tr>
<tr><td><b>Ctrl+O</b></td><td>open captures</td></tr>
<tr><td><b>?</b></td><td>this sheet</td></tr>
</table>)";

QString names_of(const std::vector<std::string>& files) {
    QStringList names;
    for (const std::string& file : files) names << QFileInfo(text(file)).fileName();
    return names.join(", ");
}

constexpr int growth_interval = 1000;  // milliseconds

std::vector<FileState> states_of(const std::vector<std::string>& files) {
    std::vector<FileState> states;
    for (const std::string& file : files) {
        const QFileInfo info(text(file));
        if (info.exists()) states.push_back({info.size(), info.lastModified().toMSecsSinceEpoch()});
        else states.push_back({-1, 0});
    }
    return states;
}

}  // namespace

MainWindow::MainWindow() {
    setWindowTitle("fabricscope");
    resize(1280, 800);
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    add_panes();
    add_menus();
    add_status_bar();
    connect(&loader_, &Loader::progressed, this, [this](quint64 frames, int share) { show_progress(frames, share); });
    connect(&loader_, &Loader::loaded, this, [this](const std::shared_ptr<const Recording>& recording) {
        show(recording);
    });
    connect(&loader_beside_, &Loader::loaded, this, [this](const std::shared_ptr<const Recording>& recording) {
        tell(text(recording->complaint()));
        take_beside(recording);
    });
    connect(&navigator_, &Navigator::placed, this, [this] { describe_place(); });
    connect(&growth_timer_, &QTimer::timeout, this, [this] { look_for_growth(); });
    tell("Open a capture with Ctrl+O, or drop one here.");
    // Single letters are its keys; a filter box would take them.
    tracks_->view().setFocus();
}

QDockWidget* MainWindow::add_pane(const char* title, QWidget* pane, Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget(title);
    dock->setObjectName(QString("dock") + title);
    dock->setWidget(pane);
    addDockWidget(area, dock);
    return dock;
}

void MainWindow::add_panes() {
    verdict_ = new VerdictPane(navigator_);
    sessions_ = new SessionPane(navigator_);
    fabric_ = new FabricPane(navigator_);
    tracks_ = new TrackPane(navigator_);
    sequence_ = new SequencePane(navigator_, details_);
    ladder_ = new LadderPane(navigator_);
    latency_ = new LatencyPane(navigator_);
    memory_ = new MemoryPane(navigator_, details_);
    packets_ = new PacketPane(navigator_);
    compare_ = new ComparePane(navigator_);
    QDockWidget* const verdict = add_pane("Verdict", verdict_, Qt::LeftDockWidgetArea);
    QDockWidget* const sessions = add_pane("Sessions", sessions_, Qt::LeftDockWidgetArea);
    QDockWidget* const tracks = add_pane("Tracks", tracks_, Qt::RightDockWidgetArea);
    QDockWidget* const sequence = add_pane("Sequence", sequence_, Qt::RightDockWidgetArea);
    tabifyDockWidget(sequence, add_pane("Fabric", fabric_, Qt::RightDockWidgetArea));
    tabifyDockWidget(sequence, add_pane("Ladder", ladder_, Qt::RightDockWidgetArea));
    QDockWidget* const memory = add_pane("Memory", memory_, Qt::RightDockWidgetArea);
    tabifyDockWidget(sequence, memory);
    // Behind another tab they do not ask for what takes a second look at the captures.
    for (QDockWidget* dock : {sequence, memory})
        connect(
            dock, &QDockWidget::visibilityChanged, this,
            [this] {
                sequence_->follow_place();
                memory_->follow_place();
            },
            Qt::QueuedConnection);
    QDockWidget* const latency = add_pane("Latency", latency_, Qt::RightDockWidgetArea);
    tabifyDockWidget(sequence, latency);
    connect(
        latency, &QDockWidget::visibilityChanged, latency_, [this] { latency_->draw_if_seen(); }, Qt::QueuedConnection);
    QDockWidget* const packets = add_pane("Packets", packets_, Qt::RightDockWidgetArea);
    tabifyDockWidget(sequence, packets);
    tabifyDockWidget(sequence, add_pane("Compare", compare_, Qt::RightDockWidgetArea));
    // Behind another tab it has not yet the height that it scrolls by.
    connect(
        packets, &QDockWidget::visibilityChanged, packets_, [this] { packets_->follow_place(); }, Qt::QueuedConnection);
    sequence->raise();
    left_ = verdict;
    right_ = tracks;
    left_->installEventFilter(this);
    resizeDocks({verdict, tracks}, {460, 820}, Qt::Horizontal);
    resizeDocks({verdict, sessions}, {330, 400}, Qt::Vertical);
    resizeDocks({tracks, sequence}, {430, 300}, Qt::Vertical);
}

void MainWindow::add_menus() {
    QMenu* const file = menuBar()->addMenu("&File");
    file->addAction("&Open...", QKeySequence::Open, this, [this] { choose_files(); });
    file->addAction("Second capture &point...", this, [this] {
        open_beside(chosen_files("The same run, captured at another point"));
    });
    without_beside_ = file->addAction("&Without second capture point", this, [this] { take_beside(nullptr); });
    without_beside_->setObjectName("withoutBeside");
    without_beside_->setEnabled(false);
    follow_ = file->addAction("&Follow files that grow");
    follow_->setObjectName("follow");
    follow_->setCheckable(true);
    connect(follow_, &QAction::toggled, this, [this](bool on) {
        if (on) growth_timer_.start(growth_interval);
        else growth_timer_.stop();
    });
    // What was not said of a file that was being written is said now.
    connect(follow_, &QAction::triggered, this, [this](bool on) {
        if (!on && recording_ && recording_->reading.ended_early != 0) read_again();
    });
    stop_capture_ = file->addAction("S&top the capture", this, [this] { live_.stop(); });
    stop_capture_->setObjectName("stopCapture");
    stop_capture_->setVisible(false);
    add_save_menu(*file);
    file->addAction("&Quit", QKeySequence::Quit, this, [this] { close(); });
    QMenu* const go = menuBar()->addMenu("&Go");
    back_ = go->addAction("&Back", QKeySequence("Alt+Left"), this, [this] { navigator_.back(); });
    forward_ = go->addAction("&Forward", QKeySequence("Alt+Right"), this, [this] { navigator_.forward(); });
    auto* const escape = new QAction(this);
    escape->setShortcut(Qt::Key_Escape);
    connect(escape, &QAction::triggered, this, [this] { navigator_.back(); });
    addAction(escape);
    go->addAction("&Search the sessions", QKeySequence::Find, this, [this] {
        sessions_->findChild<QWidget*>("sessionSearch")->setFocus();
    });
    QMenu* const wireshark = menuBar()->addMenu("&Wireshark");
    wireshark->addAction("&Open in Wireshark", QKeySequence("Ctrl+W"), this, [this] { open_in_wireshark(); });
    wireshark->addAction("&Annotate and open...", this, [this] { annotate_and_open(); });
    wireshark->addAction("Copy as display &filter", QKeySequence("Ctrl+Shift+C"), this, [this] { copy_filter(); });
    wireshark->addAction("Copy as &command line", this, [this] { copy_command(); });
    QMenu* const view = createPopupMenu();
    view->setTitle("&Panes");
    menuBar()->addMenu(view);
    QMenu* const help = menuBar()->addMenu("&Help");
    help->addAction("&Keys", QKeySequence("?"), this, [this] { show_shortcuts(); });

    message_ = new QLabel;
    message_->setObjectName("message");
    message_->setWordWrap(true);
    message_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    message_->setMargin(6);
    message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* const banner = new QToolBar;
    banner->setObjectName("banner");
    banner->setMovable(false);
    banner->toggleViewAction()->setVisible(false);
    banner->addWidget(message_);
    addToolBar(Qt::TopToolBarArea, banner);
}

void MainWindow::add_save_menu(QMenu& file) {
    QMenu* const save = file.addMenu("&Save a pane");
    for (QDockWidget* dock : findChildren<QDockWidget*>())
        save->addAction(dock->windowTitle() + "...", this, [this, dock] { choose_name_for(*dock); });
}

/// The pane comes to the front, where it is laid out and drawn while the name is chosen.
void MainWindow::choose_name_for(QDockWidget& dock) {
    dock.show();
    dock.raise();
    QWidget& pane = *dock.widget();
    QFileDialog dialog(this, "Save a pane", {}, kinds_of_files(pane));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    const auto take_suffix = [&dialog](const QString& kind) {
        dialog.setDefaultSuffix(kind.section("*.", 1).chopped(1));
    };
    connect(&dialog, &QFileDialog::filterSelected, &dialog, take_suffix);
    take_suffix(dialog.selectedNameFilter());
    if (dialog.exec() == QDialog::Accepted) tell(save_pane(pane, dialog.selectedFiles().front()));
}

void MainWindow::add_status_bar() {
    place_ = new QLabel;
    place_->setObjectName("place");
    progress_ = new QProgressBar;
    progress_->setObjectName("progress");
    progress_->setMaximumWidth(200);
    cancel_ = new QPushButton("Cancel");
    cancel_->setObjectName("cancel");
    connect(cancel_, &QPushButton::clicked, &loader_, [this] { loader_.cancel(); });
    statusBar()->addWidget(place_, 1);
    statusBar()->addPermanentWidget(progress_);
    statusBar()->addPermanentWidget(cancel_);
    progress_->hide();
    cancel_->hide();
}

void MainWindow::open(const Request& request) {
    const std::vector<std::string>& files = request.files;
    if (files.empty()) return;
    const bool is_open = recording_ && recording_->files == files && !recording_->cancelled && !loader_.is_busy();
    if (is_open && states_of(files) == states_) {
        go_to(request);
        return;
    }
    request_ = request;
    has_grown_ = false;
    setWindowTitle(names_of(files) + " - fabricscope");
    tell("");
    start_reading();
}

void MainWindow::start_reading() {
    const std::vector<std::string>& files = request_.files;
    states_ = states_of(files);
    reading_time_.start();
    place_->setText("reading " + names_of(files));
    progress_->setRange(0, 0);
    progress_->show();
    cancel_->show();
    loader_.load(files, follow_->isChecked());
}

void MainWindow::read_again() {
    has_grown_ = true;
    start_reading();
}

/// Files are read anew, at the same place. What takes long to read is looked at less often.
void MainWindow::look_for_growth() {
    if (request_.files.empty() || loader_.is_busy()) return;
    const std::vector<FileState> states = states_of(request_.files);
    if (live_.is_running() && states.front().size <= 0) return;  // has not begun to write
    for (std::size_t i = 0; i < states.size(); ++i) {
        const QString file = text(request_.files[i]);
        if (states[i].size < 0) return stop_following(file + " is gone: this is what was read before.");
        if (states[i].size < states_[i].size)
            return stop_following(file + " became shorter: this is what was read before.");
    }
    if (states != states_) read_again();
}

void MainWindow::stop_following(const QString& why) {
    follow_->setChecked(false);
    tell((why.endsWith('.') ? why : why + ".") + " It is not followed any more.");
}

void MainWindow::capture(const std::vector<std::string>& interfaces, const QString& file) {
    live_.on_end = [this](const QString& complaint) { on_capture_end(complaint); };
    if (!live_.start(interfaces, file)) return tell("There is no room for a capture among the temporary files.");
    stop_capture_->setVisible(true);
    request_ = Request{{live_.file().toStdString()}, {}, {}};
    QStringList names;
    for (const std::string& interface : interfaces) names << text(interface);
    setWindowTitle("capturing on " + names.join(", ") + " - fabricscope");
    tell("Waiting for frames on " + names.join(", ") + ".");
    states_.assign(1, {});
    follow();
}

void MainWindow::on_capture_end(const QString& complaint) {
    stop_capture_->setVisible(false);
    if (!QFileInfo::exists(live_.file())) stop_following(complaint);
    else if (!complaint.isEmpty()) tell(complaint);
}

void MainWindow::go_to(const Request& request) {
    const Place place = recording_->place_of(request.session, request.frame);
    navigator_.go(place);
    if (place.time) navigator_.reveal(*place.time);
}

std::vector<std::string> MainWindow::chosen_files(const QString& title) {
    std::vector<std::string> files;
    for (const QString& file : QFileDialog::getOpenFileNames(
             this, title, {}, "Captures (*.pcap *.pcapng *.cap *.gz *.erf *.zst);;All files (*)"))
        files.push_back(file.toStdString());
    return files;
}

void MainWindow::choose_files() { open(chosen_files("Open captures")); }

void MainWindow::open_beside(std::vector<std::string> files) {
    if (!files.empty()) loader_beside_.load(std::move(files));
}

void MainWindow::take_beside(std::shared_ptr<const Recording> recording) {
    sequence_->show_beside(std::move(recording));
    without_beside_->setEnabled(sequence_->has_beside());
}

void MainWindow::show_progress(quint64 frames, int share) {
    progress_->setRange(0, share < 0 ? 0 : 100);
    progress_->setValue(share);
    place_->setText("reading: " + text(report::counted(frames, "frame")));
}

void MainWindow::show(std::shared_ptr<const Recording> recording) {
    progress_->hide();
    cancel_->hide();
    const std::shared_ptr<const Recording> before = std::exchange(recording_, std::move(recording));
    // A capture that has just begun has nothing in it yet.
    tell(live_.is_running() ? QString() : text(recording_->complaint()));
    const bool is_another = !before || before->files != recording_->files;
    if (is_another) take_beside(nullptr);
    Way way = navigator_.way();
    const bool shows_all = navigator_.stretch() == navigator_.whole();
    const Stretch stretch = navigator_.stretch();
    show_in_panes();
    if (has_grown_ && !is_another) {
        for (Place& place : way.places)
            if (place.node) place.node = recording_->node_of(before->overview.nodes[*place.node].name);
        navigator_.take(std::move(way));
        if (!shows_all) navigator_.show(stretch);
    } else if (request_.frame || !request_.session.empty()) {
        go_to(request_);
    }
    constexpr int share_of_reading = 4;
    growth_timer_.setInterval(std::max(
        growth_interval, static_cast<int>(std::min<qint64>(reading_time_.elapsed(), 60'000)) * share_of_reading));
}

void MainWindow::show_in_panes() {
    details_.show(recording_);
    navigator_.reset({recording_->start(), recording_->end()});
    verdict_->show(recording_);
    sessions_->show(recording_);
    fabric_->show(recording_);
    tracks_->show(recording_);
    sequence_->show(recording_);
    ladder_->show(recording_);
    latency_->show(recording_);
    memory_->show(recording_);
    packets_->show(recording_);
    compare_->show(recording_);
    describe_place();
}

/// A tool bar asks nothing how high it is for its width.
void MainWindow::fit_message() { message_->setFixedHeight(message_->heightForWidth(width())); }

void MainWindow::tell(const QString& words) {
    message_->setText(words);
    fit_message();
    message_->parentWidget()->setVisible(!words.isEmpty());
}

void MainWindow::describe_place() {
    back_->setEnabled(navigator_.can_go_back());
    forward_->setEnabled(navigator_.can_go_forward());
    if (!recording_) return;
    const Place& place = navigator_.place();
    std::string words;
    const auto add = [&](const std::string& more) { words += (words.empty() ? "" : "   ") + more; };
    if (!place.session.empty()) add(place.session);
    if (place.node) {
        const report::Node& node = recording_->overview.nodes[*place.node];
        if (node.name != place.session) add("in " + node.name);
        if (!node.about.empty()) add(node.about);
        if (!node.outcome.empty()) add(node.outcome);
    }
    if (place.time) add(report::seconds_text(*place.time - recording_->start()) + " s");
    if (place.frame) add(fmt::format("frame {}", *place.frame));
    if (words.empty() && recording_->results)
        words = fmt::format(
            "{}, {}, {}", report::counted(recording_->results->capture.frames, "frame"),
            report::duration_text(recording_->results->capture.duration, true),
            report::counted(recording_->operations(), "slice"));
    place_->setText(text(words));
}

void MainWindow::show_shortcuts() {
    auto* const sheet = new QMessageBox(QMessageBox::NoIcon, "Keys", shortcuts, QMessageBox::Close, this);
    sheet->setObjectName("shortcuts");
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    sheet->open();
}

void MainWindow::open_in_wireshark() {
    if (!recording_) return;
    tell(viewer::open_in_wireshark(wireshark_arguments(*recording_, navigator_.place())));
}

void MainWindow::annotate_and_open() {
    if (!recording_) return;
    const QString file = QFileDialog::getSaveFileName(
        this, "Write the captures with comments", {}, "Captures (*.pcapng)");
    if (!file.isEmpty()) annotate(file);
}

void MainWindow::annotate(const QString& file) {
    QStringList captures;
    for (const std::string& opened : recording_->reading.opened) captures << text(opened);
    if (captures.isEmpty()) return tell("No capture is open.");
    tell("Writing " + file + ".");
    annotation_.start(captures, file, [this, file, place = navigator_.place()](const QString& complaint) {
        if (!complaint.isEmpty()) return tell(complaint);
        tell(viewer::open_in_wireshark(wireshark_arguments(*recording_, place, file)));
    });
}

void MainWindow::copy_filter() {
    if (!recording_) return;
    const QString filter = filter_in_file(*recording_, navigator_.place());
    if (!filter.isEmpty()) QApplication::clipboard()->setText(filter);
    else if (display_filter(*recording_, navigator_.place()).isEmpty())
        tell("Nothing is selected that could be filtered.");
    else
        tell("Sessions are numbered over all files: Annotate and open writes one file of them that has these numbers.");
}

void MainWindow::copy_command() {
    if (!recording_) return;
    QStringList words{"wireshark"};
    for (QString word : wireshark_arguments(*recording_, navigator_.place())) {
        const bool is_plain = word.contains(QRegularExpression("^[A-Za-z0-9_./:-]+$"));
        words << (is_plain ? word : "'" + word.replace("'", "'\\''") + "'");
    }
    QApplication::clipboard()->setText(words.join(' '));
}

/// Most of what a larger window has more of is for what goes on in time.
void MainWindow::resizeEvent(QResizeEvent* event) {
    constexpr int share_of_lists = 4;  // a quarter
    QMainWindow::resizeEvent(event);
    fit_message();
    const int more = width_before_ != 0 ? width() - width_before_ : 0;
    width_before_ = width();
    left_width_ += more / share_of_lists;
    if (more != 0 && dockWidgetArea(left_) == Qt::LeftDockWidgetArea && !left_->isFloating())
        resizeDocks({left_, right_}, {left_width_, width() - left_width_}, Qt::Horizontal);
}

bool MainWindow::eventFilter(QObject* object, QEvent* event) {
    // Not with the window, but by its edge.
    if (object == left_ && event->type() == QEvent::Resize && width() == width_before_) left_width_ = left_->width();
    return QMainWindow::eventFilter(object, event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    std::vector<std::string> files;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) files.push_back(url.toLocalFile().toStdString());
    open(std::move(files));
}

}  // namespace fabricscope::viewer
