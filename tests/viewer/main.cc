// SPDX-License-Identifier: GPL-2.0-or-later
#include <QApplication>

#include "tests/viewer/opened.h"

int main(int argc, char** argv) {
    using namespace fabricscope::viewer;
    const QApplication application(argc, argv);
    int failed = 0;
    for (const auto make : {viewer_test, save_test}) failed += QTest::qExec(make().get(), argc, argv);
    return failed;
}
