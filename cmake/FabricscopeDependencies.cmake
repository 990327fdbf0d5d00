# SPDX-License-Identifier: GPL-2.0-or-later
# docs/dependencies.md says what each one is for, cmake/debian-packages.txt what Debian calls it.

find_package(PkgConfig REQUIRED)
pkg_check_modules(PCAP REQUIRED IMPORTED_TARGET libpcap)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo cairo-png)
if(FABRICSCOPE_LINUX)
    pkg_check_modules(CAPNG REQUIRED IMPORTED_TARGET libcap-ng)
endif()
pkg_check_modules(GLIB REQUIRED IMPORTED_TARGET glib-2.0)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus)
include(FabricscopeWireshark)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(LibArchive REQUIRED)

# Where the found Wireshark looks for plugins, and a folder of the build tree with the same shape,
# for WIRESHARK_PLUGIN_DIR.
set(FABRICSCOPE_PLUGIN_DIR "${Wireshark_PLUGIN_INSTALL_DIR}/epan" CACHE PATH "Where Wireshark looks for dissector plugins")
# Where it looks for profiles that it offers to everybody.
set(FABRICSCOPE_PROFILE_DIR "${Wireshark_INSTALL_PREFIX}/share/wireshark/profiles" CACHE PATH
    "Where Wireshark looks for global profiles")
set(FABRICSCOPE_BUILD_PLUGIN_ROOT "${PROJECT_BINARY_DIR}/wireshark-plugins")
set(FABRICSCOPE_BUILD_PLUGIN_DIR "${FABRICSCOPE_BUILD_PLUGIN_ROOT}/${Wireshark_MINOR}/epan")
