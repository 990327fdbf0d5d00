# SPDX-License-Identifier: GPL-2.0-or-later
# `./dev package` makes a .deb of each component, by CPack. Which libraries it depends on is read from the programs.
# LICENSE is no part of a package: each has its copyright.
install(FILES README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT program)
install(FILES packaging/fabricscope-capture@.service DESTINATION "${CMAKE_INSTALL_DOCDIR}/examples" COMPONENT program)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT license)

set(packages program cluster plugin documentation)
if(TARGET fabricscope_vipl)
    list(APPEND packages library development)
endif()
if(TARGET fabricscope-viewer)
    list(APPEND packages viewer)
endif()
set(CPACK_COMPONENTS_ALL ${packages})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)

set(CPACK_GENERATOR DEB)
# Whoever publishes packages puts an address here that somebody reads, and into packaging/.
set(CPACK_PACKAGE_CONTACT "fabricscope developers <fabricscope@example.org>")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_STRIP_FILES ON)
# Wireshark's plugin folder is an absolute path, so files are staged with DESTDIR.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/CompressDocuments.cmake")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SOURCE fabricscope)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(same_version "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

# fabricscope_package(COMPONENT NAME SECTION SUMMARY DESCRIPTION [FIELD VALUE]...): fields as CPack calls them, without
# CPACK_DEBIAN_COMPONENT_PACKAGE_.
macro(fabricscope_package component name section summary description)
    string(TOUPPER ${component} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}")
    set(fields ${ARGN})
    while(fields)
        list(POP_FRONT fields field value)
        set(CPACK_DEBIAN_${upper}_PACKAGE_${field} "${value}")
    endwhile()
    install(FILES "${PROJECT_SOURCE_DIR}/packaging/copyright" "${PROJECT_SOURCE_DIR}/packaging/changelog"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${name}" COMPONENT ${component} EXCLUDE_FROM_ALL)
endmacro()

fabricscope_package(program fabricscope net
    "tells from captures what RDMA fabrics did"
    "Reads captures with SMC-R, RDMA CM, RoCE, FC-VI or FC-AE-RDMA traffic and tells\nwhat happened: which connections came up and why others did not, how data\nmoved, who waited, what was lost, and which rules of the standards were broken.\nReplays recorded sessions against other implementations, and makes captures\nby emulated endpoints."
    RECOMMENDS "wireshark-plugin-fabricscope" SUGGESTS "fabricscope-viewer, fabricscope-doc")
fabricscope_package(cluster fabricscope-cluster net
    "analysis of captures of RDMA fabrics on many machines"
    "Spreads the work of fabricscope over the workers of a Dask cluster, and puts\nthe results into a SQLite file or a PostgreSQL database. With a dashboard for\nGrafana."
    ARCHITECTURE all SHLIBDEPS OFF
    DEPENDS "fabricscope (>= ${PROJECT_VERSION}), python3, python3-distributed" SUGGESTS "python3-psycopg2")
fabricscope_package(plugin wireshark-plugin-fabricscope net
    "Wireshark plugin for SMC-R, RDMA CM, FC-VI and FC-AE-RDMA"
    "Decodes these protocols and queue pairs of RDMA, follows their sessions with\nthe engine of fabricscope, and shows what it found at the packets. With\nprofiles: columns, colours, buttons; and scenarios, replayed runs and remote\ncaptures among the interfaces, which fabricscope does."
    RECOMMENDS "tshark | wireshark, fabricscope")
fabricscope_package(viewer fabricscope-viewer net
    "what happened in captures of RDMA fabrics, over time"
    "Lanes, cursors, ladders, memory and latencies of the sessions in a capture,\nover one time line. Started by itself or by fabricscope view."
    RECOMMENDS "fabricscope")
fabricscope_package(library libfabricscope-vipl1 libs
    "VI Architecture on FC-VI over Ethernet - shared library"
    "VIPL, the library of the Virtual Interface Architecture, on an emulated FC-VI\nProvider: programs that use it talk to each other over FCoE without an adapter,\nand to fabricscope replay.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
    "${PROJECT_BINARY_DIR}/lib/shlibs" "${PROJECT_SOURCE_DIR}/packaging/triggers")
# Which package has the library, for those that are built with it.
file(WRITE "${PROJECT_BINARY_DIR}/lib/shlibs" "libfabricscope-vipl 1 libfabricscope-vipl1 (>= ${PROJECT_VERSION})\n")
fabricscope_package(development libfabricscope-vipl-dev libdevel
    "VI Architecture on FC-VI over Ethernet - development files"
    "VIPL, the library of the Virtual Interface Architecture, on an emulated FC-VI\nProvider. This package has vipl.h, what pkg-config needs, and the manual."
    DEPENDS "libfabricscope-vipl1 ${same_version}" SUGGESTS "fabricscope-doc")
fabricscope_package(documentation fabricscope-doc doc
    "documentation and samples of fabricscope"
    "The documentation as web pages, with the captures and scenarios in it."
    ARCHITECTURE all SHLIBDEPS OFF)
include(CPack)
