// SPDX-License-Identifier: GPL-2.0-or-later
// What a viewer is asked to show, by its command line or by another program through a socket, one for each user.
#pragma once

#include <QByteArray>
#include <QLocalServer>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope::viewer {

struct Request {
    std::vector<std::string> files;
    std::string session;                 ///< "smcr-1"; empty: none
    std::optional<std::uint64_t> frame;  ///< as the files count together
    bool operator==(const Request&) const = default;
};

QByteArray octets_of(const Request& request);
/// Nothing if the octets are no request.
std::optional<Request> request_in(const QByteArray& octets);

/// Hands it to a viewer that runs already. False if there is none.
bool hand_over(const Request& request, const QString& socket);

/// Where viewers of this user listen.
QString socket_name();

/// Takes requests of others, until it is destroyed. If another viewer listens there already, it does not.
class RequestServer {
public:
    RequestServer(const QString& socket, std::function<void(const Request&)> on_request);

private:
    void take(class QLocalSocket& connection);

    QLocalServer server_;
    std::function<void(const Request&)> on_request_;
};

}  // namespace fabricscope::viewer
