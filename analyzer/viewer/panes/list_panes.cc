// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/list_panes.h"

#include <fmt/format.h>

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "analyzer/report/units.h"
#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {
namespace {

constexpr std::size_t most_unfolded = 2000;  // branches; a larger tree begins with its hosts

QVBoxLayout* column_of(QWidget& pane) {
    auto* layout = new QVBoxLayout(&pane);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->setSpacing(4);
    return layout;
}

QLineEdit* filter_box(const char* name, const char* hint) {
    auto* box = new QLineEdit;
    box->setObjectName(name);
    box->setPlaceholderText(hint);
    box->setClearButtonEnabled(true);
    return box;
}

/// "2 errors, 1 warning"; "No rule is broken" would claim more than a capture can tell.
std::string summary_of(const Recording& recording) {
    std::array<std::uint64_t, 3> counts{};
    for (const Observation& o : recording.observations()) ++counts[static_cast<std::size_t>(o.severity)];
    if (recording.observations().empty()) return "Nothing stands out.";
    std::string text;
    for (const engine::Severity severity : {engine::Severity::error, engine::Severity::warning, engine::Severity::note})
        if (const std::uint64_t count = counts[static_cast<std::size_t>(severity)]; count != 0)
            text += (text.empty() ? "" : ", ") + report::counted(count, name_of(severity));
    return text;
}

}  // namespace

VerdictPane::VerdictPane(Navigator& navigator)
    : navigator_(navigator),
      summary_(new QLabel),
      filter_(filter_box("verdictFilter", "Filter: words of any column")),
      table_(new QTableView) {
    setObjectName("verdict");
    summary_->setObjectName("verdictSummary");
    table_->setObjectName("verdictTable");
    filtered_.setSourceModel(&model_);
    filtered_.setFilterKeyColumn(-1);
    filtered_.setFilterCaseSensitivity(Qt::CaseInsensitive);
    table_->setModel(&filtered_);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setWordWrap(true);
    table_->setShowGrid(false);
    table_->setAlternatingRowColors(true);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    auto* layout = column_of(*this);
    layout->addWidget(summary_);
    layout->addWidget(filter_);
    layout->addWidget(table_, 1);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& words) {
        filtering_ = true;
        filtered_.setFilterFixedString(words);
        filtering_ = false;
    });
    const auto go = [this](const QModelIndex& index) {
        if (!filtering_ && index.isValid()) go_to(model_.at(filtered_.mapToSource(index).row()));
    };
    connect(table_, &QTableView::clicked, this, go);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, go);
    connect(table_->horizontalHeader(), &QHeaderView::sectionResized, this, [this](int section) {
        if (section != VerdictModel::sentence) fit_sentences();
    });
}

void VerdictPane::show(std::shared_ptr<const Recording> recording) {
    recording_ = std::move(recording);
    model_.show(recording_);
    summary_->setText(text(recording_->results ? summary_of(*recording_) : ""));
    QHeaderView& header = *table_->horizontalHeader();
    header.setHighlightSections(false);
    header.setSectionResizeMode(QHeaderView::ResizeToContents);
    header.setSectionResizeMode(VerdictModel::sentence, QHeaderView::Fixed);
    // Ids are long; what they stand for is the sentence, which needs the room.
    header.setSectionResizeMode(VerdictModel::kind, QHeaderView::Interactive);
    header.resizeSection(VerdictModel::kind, header.fontMetrics().horizontalAdvance("SMCR-R00 WW"));
    fit_sentences();
}

void VerdictPane::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit_sentences();
}

/// They get the room that the other columns leave, and enough to be read in any case.
void VerdictPane::fit_sentences() {
    constexpr int readable = 20;  // letters
    QHeaderView& header = *table_->horizontalHeader();
    const int others = header.length() - header.sectionSize(VerdictModel::sentence);
    const int room = table_->viewport()->width() - others;
    const int width = std::max(room, readable * fontMetrics().averageCharWidth());
    if (width == header.sectionSize(VerdictModel::sentence)) return;
    header.resizeSection(VerdictModel::sentence, width);
    table_->resizeRowsToContents();
}

void VerdictPane::go_to(const Observation& observation) {
    const auto& frames = observation.frames;
    if (observation.session.empty() && frames.empty()) return;  // it is of the whole capture
    const Place place = recording_->place_of(
        observation.session, frames.empty() ? std::nullopt : std::optional(frames.back()));
    navigator_.go(place);
    if (place.time) navigator_.reveal(*place.time);
}

SessionPane::SessionPane(Navigator& navigator)
    : navigator_(navigator),
      search_(filter_box("sessionSearch", "Search: name, address, outcome")),
      tree_(new QTreeView),
      widths_(*tree_, *tree_->header()) {
    setObjectName("sessions");
    tree_->setObjectName("sessionTree");
    filtered_.setSourceModel(&model_);
    filtered_.setSortRole(SessionModel::sort_role);
    filtered_.setFilterKeyColumn(-1);
    filtered_.setFilterCaseSensitivity(Qt::CaseInsensitive);
    filtered_.setRecursiveFilteringEnabled(true);
    filtered_.setAutoAcceptChildRows(true);
    tree_->setModel(&filtered_);
    tree_->setSortingEnabled(true);
    tree_->sortByColumn(SessionModel::name, Qt::AscendingOrder);
    tree_->setUniformRowHeights(true);
    tree_->setIndentation(14);
    tree_->setAlternatingRowColors(true);
    auto* layout = column_of(*this);
    layout->addWidget(search_);
    layout->addWidget(tree_, 1);
    connect(search_, &QLineEdit::textChanged, this, [this](const QString& words) {
        filtered_.setFilterFixedString(words);
        if (!words.isEmpty()) unfold_branches();
    });
    connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& index) {
        if (!following_ && index.isValid()) go_to(filtered_.mapToSource(index));
    });
    connect(&navigator, &Navigator::placed, this, [this] { follow_place(); });
}

void SessionPane::show(std::shared_ptr<const Recording> recording) {
    following_ = true;
    const bool has_grown = recording_ && recording_->files == recording->files;
    const std::map<std::string, bool> before = has_grown ? unfolded() : std::map<std::string, bool>();
    recording_ = std::move(recording);
    model_.show(recording_);
    if (recording_->overview.nodes.size() <= most_unfolded) unfold_branches();
    for (const auto& [name, is_unfolded] : before)
        if (const auto node = recording_->node_of(name))
            tree_->setExpanded(filtered_.mapFromSource(model_.index_of(*node)), is_unfolded);
    if (!has_grown) widths_.begin();
    widths_.fit(SessionModel::about);  // which has the room that is left
    following_ = false;
}

std::map<std::string, bool> SessionPane::unfolded() const {
    std::map<std::string, bool> unfolded;
    for (const auto& [name, node] : recording_->nodes)
        if (const QModelIndex index = filtered_.mapFromSource(model_.index_of(node)); index.isValid())
            unfolded[name] = tree_->isExpanded(index);
    return unfolded;
}

void SessionPane::go_to(const QModelIndex& index) {
    const std::size_t node = model_.node_at(index);
    const report::Node& chosen = recording_->overview.nodes[node];
    Place place{.node = node, .session = chosen.name, .frame = {}, .time = chosen.first};
    if (chosen.first_frame != 0) place.frame = chosen.first_frame;
    if (const report::Slice* const operation = model_.operation_at(index)) {
        place.frame = operation->frame;
        place.time = operation->begin;
    }
    navigator_.go(place);
    if (place.time) navigator_.reveal(*place.time);
}

/// Down to connections: their operations would be too much.
void SessionPane::unfold_branches() {
    if (!recording_) return;
    for (std::size_t node = 0; node < recording_->overview.nodes.size(); ++node)
        if (model_.has_branches(node)) tree_->expand(filtered_.mapFromSource(model_.index_of(node)));
}

/// Whether the operation in the row is what all panes show.
bool SessionPane::shows_place(const QModelIndex& index) const {
    const report::Slice* const operation = model_.operation_at(index);
    const Place& place = navigator_.place();
    return operation != nullptr && place.node == model_.node_at(index) && place.frame == operation->frame;
}

void SessionPane::follow_place() {
    if (!recording_ || shows_place(filtered_.mapToSource(tree_->currentIndex()))) return;
    following_ = true;
    if (const auto& node = navigator_.place().node) {
        const QModelIndex index = filtered_.mapFromSource(model_.index_of(*node));
        tree_->setCurrentIndex(index);
        tree_->scrollTo(index);
    } else {
        tree_->setCurrentIndex({});
    }
    following_ = false;
}

}  // namespace fabricscope::viewer
