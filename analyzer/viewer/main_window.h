// SPDX-License-Identifier: GPL-2.0-or-later
// The window: panes around one time cursor.
#pragma once

#include <QAction>
#include <QElapsedTimer>
#include <QMainWindow>
#include <QTimer>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/viewer/link/live_capture.h"
#include "analyzer/viewer/link/program.h"
#include "analyzer/viewer/link/request.h"
#include "analyzer/viewer/model/details.h"
#include "analyzer/viewer/model/loader.h"
#include "analyzer/viewer/model/navigator.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace fabricscope::viewer {

class ComparePane;
class FabricPane;
class LadderPane;
class LatencyPane;
class MemoryPane;
class PacketPane;
class SequencePane;
class SessionPane;
class TrackPane;
class VerdictPane;

/// What tells whether a file has changed.
struct FileState {
    qint64 size = 0;      ///< octets; -1: there is no such file
    qint64 modified = 0;  ///< milliseconds
    bool operator==(const FileState&) const = default;
};

class MainWindow : public QMainWindow {
public:
    MainWindow();

    /// Starts reading; the window stays usable.
    void open(std::vector<std::string> files) { open(Request{std::move(files), {}, {}}); }
    /// Files that are open already, and have not changed, are not read again.
    void open(const Request& request);
    const Recording* recording() const { return recording_.get(); }
    Navigator& navigator() { return navigator_; }
    Loader& loader() { return loader_; }
    /// Reads captures of the same run from a second point, for Sequence.
    void open_beside(std::vector<std::string> files);
    /// Writes the captures again, with all observations as comments, and opens that in Wireshark at the selection.
    void annotate(const QString& file);
    /// Captures, and shows what comes. `file`: where that is kept; empty: nowhere.
    void capture(const std::vector<std::string>& interfaces, const QString& file);
    void follow() { follow_->setChecked(true); }
    Loader& loader_beside() { return loader_beside_; }

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void add_panes();
    QDockWidget* add_pane(const char* title, QWidget* pane, Qt::DockWidgetArea area);
    void add_save_menu(QMenu& file);
    void choose_name_for(QDockWidget& dock);
    void add_menus();
    void add_status_bar();
    void choose_files();
    std::vector<std::string> chosen_files(const QString& title);
    void show_progress(quint64 frames, int share);
    void show(std::shared_ptr<const Recording> recording);
    void show_in_panes();
    void take_beside(std::shared_ptr<const Recording> recording);
    void tell(const QString& words);
    void fit_message();
    void describe_place();
    void go_to(const Request& request);
    void start_reading();
    /// What has changed meanwhile, to be shown at the same place.
    void read_again();
    void look_for_growth();
    void stop_following(const QString& why);
    void on_capture_end(const QString& complaint);
    void show_shortcuts();
    void open_in_wireshark();
    void annotate_and_open();
    void copy_filter();
    void copy_command();

    Navigator navigator_;
    Details details_;
    Loader loader_, loader_beside_;
    std::shared_ptr<const Recording> recording_;
    Request request_;  ///< what to go to once it has been read
    VerdictPane* verdict_ = nullptr;
    SessionPane* sessions_ = nullptr;
    FabricPane* fabric_ = nullptr;
    TrackPane* tracks_ = nullptr;
    SequencePane* sequence_ = nullptr;
    LadderPane* ladder_ = nullptr;
    LatencyPane* latency_ = nullptr;
    MemoryPane* memory_ = nullptr;
    PacketPane* packets_ = nullptr;
    ComparePane* compare_ = nullptr;
    QLabel* message_ = nullptr;  ///< above all: what keeps something from being shown
    QLabel* place_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QPushButton* cancel_ = nullptr;
    LiveCapture live_;
    Annotation annotation_;
    QAction* stop_capture_ = nullptr;
    QTimer growth_timer_;
    QElapsedTimer reading_time_;
    QDockWidget* left_ = nullptr;  ///< the dock of the verdict, and that of the tracks
    QDockWidget* right_ = nullptr;
    int left_width_ = 0;             ///< as the reader wants it
    int width_before_ = 0;           ///< of the window
    std::vector<FileState> states_;  ///< of the files when their reading began
    bool has_grown_ = false;         ///< they are read once more, to be shown at the same place
    QAction* follow_ = nullptr;
    QAction* without_beside_ = nullptr;
    QAction* back_ = nullptr;
    QAction* forward_ = nullptr;
};

}  // namespace fabricscope::viewer
