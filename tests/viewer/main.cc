// SPDX-License-Identifier: GPL-2.0-or-later
#include <QApplication>
#include <string_view>
#include <vector>

#include "tests/viewer/opened.h"

int main(int argc, char** argv) {
    using namespace fabricscope::viewer;
    const QApplication application(argc, argv);
    // Arguments are those of Qt's tests, but for that one.
    std::vector<char*> arguments(argv, argv + argc);
    const bool only_pictures = std::erase_if(arguments, [](const char* word) {
                                   return std::string_view(word) == "--pictures";
                               }) != 0;
    const int count = static_cast<int>(arguments.size());
    if (only_pictures) return QTest::qExec(picture_test().get(), count, arguments.data());
    int failed = 0;
    for (const auto make :
         {viewer_test, save_test, fabric_test, time_test, compare_test, detail_test, line_test, picture_test})
        failed += QTest::qExec(make().get(), count, arguments.data());
    return failed;
}
