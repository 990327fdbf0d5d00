// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/link/request.h"

#include <unistd.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocalSocket>

namespace fabricscope::viewer {
namespace {

constexpr int patience = 1000;               // milliseconds
constexpr qint64 most_octets = 1024 * 1024;  // of a request

/// Whether somebody answers there: a viewer that crashed leaves its socket behind.
bool is_alive(const QString& socket) {
    QLocalSocket probe;
    probe.connectToServer(socket);
    return probe.waitForConnected(patience);
}

}  // namespace

QByteArray octets_of(const Request& request) {
    QJsonArray files;
    for (const std::string& file : request.files) files.append(QString::fromStdString(file));
    QJsonObject object{{"files", files}, {"session", QString::fromStdString(request.session)}};
    if (request.frame) object["frame"] = static_cast<qint64>(*request.frame);
    return QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
}

std::optional<Request> request_in(const QByteArray& octets) {
    const QJsonDocument document = QJsonDocument::fromJson(octets);
    if (!document.isObject() || !document["files"].isArray()) return std::nullopt;
    Request request;
    for (const QJsonValue& file : document["files"].toArray()) request.files.push_back(file.toString().toStdString());
    request.session = document["session"].toString().toStdString();
    if (const qint64 frame = document["frame"].toInteger(); frame > 0)
        request.frame = static_cast<std::uint64_t>(frame);
    return request;
}

QString socket_name() { return QString("fabricscope-viewer-%1").arg(::getuid()); }

bool hand_over(const Request& request, const QString& socket) {
    QLocalSocket connection;
    connection.connectToServer(socket);
    if (!connection.waitForConnected(patience)) return false;
    connection.write(octets_of(request));
    return connection.waitForBytesWritten(patience);
}

RequestServer::RequestServer(const QString& socket, std::function<void(const Request&)> on_request)
    : on_request_(std::move(on_request)) {
    server_.setSocketOptions(QLocalServer::UserAccessOption);
    if (is_alive(socket)) return;
    QLocalServer::removeServer(socket);
    QObject::connect(&server_, &QLocalServer::newConnection, &server_, [this] {
        while (QLocalSocket* connection = server_.nextPendingConnection()) take(*connection);
    });
    server_.listen(socket);
}

void RequestServer::take(QLocalSocket& connection) {
    QObject::connect(&connection, &QLocalSocket::disconnected, &connection, &QObject::deleteLater);
    QObject::connect(&connection, &QLocalSocket::readyRead, &server_, [this, &connection] {
        if (connection.canReadLine()) {
            if (const auto request = request_in(connection.readLine(most_octets))) on_request_(*request);
        } else if (connection.bytesAvailable() > most_octets) {
            connection.abort();
        }
    });
}

}  // namespace fabricscope::viewer
