# SPDX-License-Identifier: GPL-2.0-or-later
# Wireshark's libraries, by the CMake package that it installs, or, where a distribution leaves that out, by pkg-config:
# targets epan and fabricscope::wiretap, Wireshark_MINOR (4.0, 4.4 ...), where plugins and profiles are looked for.

option(FABRICSCOPE_WIRESHARK_BY_PKGCONFIG "Do not look for Wireshark's CMake package" OFF)
if(NOT FABRICSCOPE_WIRESHARK_BY_PKGCONFIG)
    find_package(Wireshark 4.0 QUIET CONFIG)
endif()
if(Wireshark_FOUND)
    message(STATUS "Wireshark ${Wireshark_VERSION}, by its CMake package")
    set(Wireshark_MINOR "${Wireshark_MAJOR_VERSION}.${Wireshark_MINOR_VERSION}")
    set(wiretap_libraries wiretap wsutil)
    set(wireshark_includes "${Wireshark_INCLUDE_DIR}")
else()
    pkg_check_modules(WIRESHARK REQUIRED IMPORTED_TARGET "wireshark>=4.0")
    message(STATUS "Wireshark ${WIRESHARK_VERSION}, by pkg-config")
    string(REGEX MATCH "^[0-9]+\\.[0-9]+" Wireshark_MINOR "${WIRESHARK_VERSION}")
    pkg_get_variable(Wireshark_PLUGIN_INSTALL_DIR wireshark plugindir)
    pkg_get_variable(Wireshark_INSTALL_PREFIX wireshark prefix)
    pkg_get_variable(wireshark_libdir wireshark libdir)
    set(Wireshark_EXTCAP_INSTALL_DIR "${wireshark_libdir}/wireshark/extcap")
    add_library(epan ALIAS PkgConfig::WIRESHARK)
    find_library(WIRETAP_LIBRARY wiretap HINTS ${WIRESHARK_LIBRARY_DIRS} REQUIRED)
    find_library(WSUTIL_LIBRARY wsutil HINTS ${WIRESHARK_LIBRARY_DIRS} REQUIRED)
    set(wiretap_libraries "${WIRETAP_LIBRARY}" "${WSUTIL_LIBRARY}")
    set(wireshark_includes ${WIRESHARK_INCLUDE_DIRS})
endif()

# Wireshark's own targets carry include directories on `epan` only.
add_library(fabricscope_wiretap INTERFACE)
add_library(fabricscope::wiretap ALIAS fabricscope_wiretap)
target_link_libraries(fabricscope_wiretap INTERFACE ${wiretap_libraries} PkgConfig::GLIB)
target_include_directories(fabricscope_wiretap SYSTEM INTERFACE ${wireshark_includes})
