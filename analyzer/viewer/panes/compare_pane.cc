// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/compare_pane.h"

#include <fmt/format.h>

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>
#include <array>

#include "analyzer/report/units.h"
#include "analyzer/viewer/panes/row_table.h"
#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {
namespace {

QString name_of(const ComparedMessage& message) {
    return QString(message.from == Side::client ? "→ " : "← ") + text(message.name);
}

QString time_of(const ComparedMessage& message) { return text(report::duration_text(message.since_begin, true)); }

bool holds_number(int column) {
    return column == CompareModel::frame || column == CompareModel::time || column == CompareModel::other_frame ||
           column == CompareModel::other_time;
}

QString cell_of(const ComparedRow& row, int column) {
    const bool is_other = column >= CompareModel::other_message;
    const auto& message = is_other ? row.other : row.one;
    switch (column) {
        case CompareModel::frame:
        case CompareModel::other_frame: return message ? QString::number(message->frame) : QString();
        case CompareModel::time:
        case CompareModel::other_time: return message ? time_of(*message) : QString();
        case CompareModel::message:
        case CompareModel::other_message: return message ? name_of(*message) : QString("—");
        case CompareModel::differs: return row.differs ? "≠" : row.differences.empty() ? "=" : "~";
        case CompareModel::differences: {
            QStringList all;
            for (const std::string& difference : row.differences) all << text(difference);
            return all.join("; ");
        }
        default: return {};
    }
}

QString words_of(const Compared& compared, const QString& whose) {
    if (!compared.complaint.empty()) return text(compared.complaint);
    std::string words = fmt::format(
        "{} beside {}: {}", compared.one, whose.isEmpty() ? compared.other : whose.toStdString(),
        compared.same ? "the same" : report::counted(compared.differences, "difference"));
    constexpr std::size_t most_remarks = 5;
    for (std::size_t i = 0; i < std::min(compared.remarks.size(), most_remarks); ++i)
        words += "\n" + compared.remarks[i];
    if (compared.remarks.size() > most_remarks)
        words += fmt::format("\nand {} more", compared.remarks.size() - most_remarks);
    return text(words);
}

}  // namespace

// ---- the table ---------------------------------------------------------------------------------------

void CompareModel::show(std::shared_ptr<const Compared> compared) {
    beginResetModel();
    compared_ = std::move(compared);
    endResetModel();
}

int CompareModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !compared_ ? 0 : static_cast<int>(compared_->rows.size());
}

QVariant CompareModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ComparedRow& row = at(index.row());
    if (role == Qt::TextAlignmentRole) {
        if (index.column() == differs) return QVariant(Qt::AlignCenter);
        return alignment_of(holds_number(index.column()));
    }
    if (role == Qt::ForegroundRole && row.differs) return Theme::current().readable(report::palette::vermilion);
    if (role == Qt::ToolTipRole) {
        const ComparedMessage& shown = row.one ? *row.one : *row.other;
        return tool_tip(shown.channel + "\n" + cell_of(row, differences).replace("; ", "\n").toStdString());
    }
    return role == Qt::DisplayRole ? QVariant(cell_of(row, index.column())) : QVariant();
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
    constexpr std::array titles{"Frame", "After", "Message", "", "Other message", "After", "Frame", "Differs in"};
    static_assert(titles.size() == column_count);
    return title_of(titles[static_cast<std::size_t>(section)], holds_number(section), orientation, role);
}

// ---- the pane ----------------------------------------------------------------------------------------

ComparePane::ComparePane(Navigator& navigator)
    : navigator_(navigator),
      with_file_(new QPushButton("Compare with a capture...")),
      play_client_(new QPushButton("Play the client")),
      play_server_(new QPushButton("Play the server")),
      session_(new QComboBox),
      summary_(new QLabel),
      table_(row_table("compareTable", model_)) {
    setObjectName("compare");
    with_file_->setObjectName("compareWithFile");
    play_client_->setObjectName("playClient");
    play_server_->setObjectName("playServer");
    session_->setObjectName("compareSession");
    summary_->setObjectName("compareSummary");
    lay_out();
    connect(with_file_, &QPushButton::clicked, this, [this] { choose_files(); });
    connect(play_client_, &QPushButton::clicked, this, [this] { play(Side::client); });
    connect(play_server_, &QPushButton::clicked, this, [this] { play(Side::server); });
    connect(session_, &QComboBox::textActivated, this, [this](const QString& name) { choose_session(name); });
    const auto go = [this](const QModelIndex& index) {
        if (index.isValid()) go_to(model_.at(index.row()));
    };
    connect(table_, &QTableView::clicked, this, go);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, go);
    connect(&navigator, &Navigator::placed, this, [this] { follow_place(); });
}

void ComparePane::lay_out() {
    for (QPushButton* play : {play_client_, play_server_})
        play->setToolTip("One side is played from the capture, the other one is the emulated stack, as with replay.");
    session_->hide();
    summary_->setWordWrap(true);
    summary_->setAlignment(Qt::AlignTop);
    summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    table_->hide();
    auto* line = new QHBoxLayout;
    for (QWidget* widget : std::initializer_list<QWidget*>{with_file_, session_, play_client_, play_server_})
        line->addWidget(widget);
    line->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->setSpacing(4);
    layout->addLayout(line);
    layout->addWidget(summary_);
    layout->addWidget(table_, 1);
}

void ComparePane::show(std::shared_ptr<const Recording> recording) {
    background_.abandon();
    recording_ = std::move(recording);
    own_.reset();
    other_.reset();
    compared_.reset();
    show_rows(nullptr);
    session_->hide();
    summary_->clear();
    follow_place();
}

/// A table without rows says nothing.
void ComparePane::show_rows(const std::shared_ptr<const Compared>& compared) {
    model_.show(compared);
    table_->setVisible(compared != nullptr);
}

void ComparePane::follow_place() {
    const bool can_compare = recording_ && !navigator_.place().session.empty() && !is_busy();
    for (QPushButton* button : {with_file_, play_client_, play_server_}) button->setEnabled(can_compare);
    if (!compared_ && !is_busy())
        summary_->setText(
            navigator_.place().session.empty()
                ? QString("Select a session to lay it beside another one.")
                : "Choose what to lay " + text(navigator_.place().session) +
                      " beside: another capture, or a run in which one of its sides is played.");
}

void ComparePane::choose_files() {
    std::vector<std::string> files;
    for (const QString& file : QFileDialog::getOpenFileNames(this, "Compare with captures"))
        files.push_back(file.toStdString());
    if (!files.empty()) compare_with(std::move(files));
}

void ComparePane::compare_with(std::vector<std::string> files) {
    if (!recording_) return;
    const std::string session = navigator_.place().session;
    const QString doing = "reading " + text(files.front());
    run(doing,
        [own = own_, own_files = recording_->files, files = std::move(files), session](const Background::Stop& stop) {
            Result result{.compared = {}, .own = own, .other = {}, .choices = {}};
            if (!result.own) result.own = std::make_shared<Conversations>(own_files, stop);
            result.other = std::make_shared<Conversations>(files, stop);
            result.choices = result.other->sessions();
            result.compared = std::make_shared<Compared>(
                compare(*result.own, session, *result.other, result.other->session_like(*result.own, session)));
            return result;
        });
}

void ComparePane::choose_session(const QString& session) {
    if (!own_ || !other_) return;
    run("comparing",
        [own = own_, other = other_, one = compared_->one, another = session.toStdString()](const Background::Stop&) {
            return Result{
                .compared = std::make_shared<Compared>(compare(*own, one, *other, another)),
                .own = own,
                .other = other,
                .choices = other->sessions()};
        });
}

void ComparePane::play(Side side) {
    if (!recording_) return;
    run(QString("playing the ") + engine::name_of(side),
        [own = own_, own_files = recording_->files, session = navigator_.place().session,
         side](const Background::Stop& stop) {
            Result result{.compared = {}, .own = own, .other = {}, .choices = {}};
            if (!result.own) result.own = std::make_shared<Conversations>(own_files, stop);
            result.compared = std::make_shared<Compared>(compare_with_run(*result.own, session, side, stop));
            return result;
        });
}

void ComparePane::run(const QString& doing, Job job) {
    if (is_busy()) return;
    summary_->setText(doing + " ...");
    background_.run(
        [job = std::move(job)](const Background::Stop& stop) {
            try {
                return job(stop);
            } catch (const std::exception& error) {
                auto failed = std::make_shared<Compared>();
                failed->complaint = error.what();
                return Result{.compared = std::move(failed), .own = {}, .other = {}, .choices = {}};
            }
        },
        [this](const Result& result) { take(result); });
    follow_place();
}

void ComparePane::take(const Result& result) {
    own_ = result.own;
    other_ = result.other;
    compared_ = result.compared;
    show_rows(compared_->complaint.empty() ? compared_ : nullptr);
    session_->clear();
    for (const std::string& choice : result.choices) session_->addItem(text(choice));
    session_->setCurrentText(text(compared_->other));
    session_->setVisible(session_->count() > 1);
    QString whose;
    if (other_) whose = text(compared_->other) + " of " + QFileInfo(text(other_->files().front())).fileName();
    summary_->setText(words_of(*compared_, whose));
    table_->resizeColumnsToContents();
    follow_place();
}

void ComparePane::go_to(const ComparedRow& row) {
    if (!row.one) return;
    navigator_.go(recording_->place_of(compared_->one, row.one->frame));
    navigator_.reveal(row.one->time);
}

}  // namespace fabricscope::viewer
