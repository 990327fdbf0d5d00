// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/save.h"

#include <QFileInfo>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QWidget>

#include "analyzer/report/csv.h"
#include "analyzer/viewer/panes/custom_plot.h"
#include "analyzer/viewer/panes/numbers.h"

namespace fabricscope::viewer {
namespace {

/// Plots would go into a vector picture as pixels, were they painted as widgets.
void paint(QWidget& pane, QCPPainter& painter) {
    QRegion widgets = pane.rect();
    std::vector<QCustomPlot*> plots;
    for (QCustomPlot* plot : pane.findChildren<QCustomPlot*>()) {
        if (!plot->isVisibleTo(&pane)) continue;
        plots.push_back(plot);
        widgets -= QRect(plot->mapTo(&pane, QPoint(0, 0)), plot->size());
    }
    pane.render(&painter, QPoint(), widgets);
    for (QCustomPlot* plot : plots) {
        const QPoint corner = plot->mapTo(&pane, QPoint(0, 0));
        painter.save();
        painter.translate(corner);
        plot->toPainter(&painter, plot->width(), plot->height());
        painter.restore();
    }
}

void write_svg(QWidget& pane, QIODevice& out) {
    QSvgGenerator picture;
    picture.setOutputDevice(&out);
    picture.setSize(pane.size());
    picture.setViewBox(pane.rect());
    picture.setTitle(pane.objectName());
    QCPPainter painter;
    painter.begin(&picture);
    painter.setMode(QCPPainter::pmVectorized);
    paint(pane, painter);
}

void write_csv(const Numbers& numbers, QIODevice& out) {
    numbers.write_rows([&out](const std::vector<std::string>& cells) {
        std::string line;
        for (std::size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + report::csv_field(cells[i]);
        out.write((line + "\r\n").c_str());
    });
}

}  // namespace

void write_model(const QAbstractItemModel& model, const WriteRow& write) {
    std::vector<std::string> cells;
    for (int column = 0; column < model.columnCount(); ++column)
        cells.push_back(model.headerData(column, Qt::Horizontal).toString().toStdString());
    write(cells);
    const std::function<void(const QModelIndex&)> add = [&](const QModelIndex& parent) {
        for (int row = 0; row < model.rowCount(parent); ++row) {
            cells.clear();
            for (int column = 0; column < model.columnCount(parent); ++column)
                cells.push_back(model.index(row, column, parent).data().toString().toStdString());
            write(cells);
            add(model.index(row, 0, parent));
        }
    };
    add({});
}

QString kinds_of_files(const QWidget& pane) {
    const bool has_numbers = dynamic_cast<const Numbers*>(&pane) != nullptr;
    return QString("Picture (*.svg);;Picture (*.png)") + (has_numbers ? ";;Table (*.csv)" : "");
}

QString save_pane(QWidget& pane, const QString& file) {
    const QString kind = QFileInfo(file).suffix().toLower();
    const auto* numbers = dynamic_cast<const Numbers*>(&pane);
    const bool is_table = kind == "csv" && numbers != nullptr;
    if (!is_table && kind != "svg" && kind != "png")
        return file + ": the name has to end in .svg, .png" + (numbers != nullptr ? " or .csv." : ".");
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly)) return file + ": " + out.errorString() + ".";
    if (is_table) write_csv(*numbers, out);
    else if (kind == "svg") write_svg(pane, out);
    else pane.grab().save(&out, "PNG");
    return out.commit() ? QString() : file + ": " + out.errorString() + ".";
}

}  // namespace fabricscope::viewer
