# SPDX-License-Identifier: GPL-2.0-or-later
# `cpack` makes a .deb; which libraries it depends on is read from the programs.
install(FILES README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The fabricscope developers <developers@fabricscope.invalid>")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Wireshark plugins that decode SMC-R and RDMA CM, and a program that tells what happened:
which connections came up and why others did not, how data moved through
remote memory, who was blocked and for how long.")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}")
set(CPACK_STRIP_FILES ON)
# Wireshark's plugin folder is an absolute path, so files are staged with DESTDIR.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "tshark | wireshark")
include(CPack)
