# SPDX-License-Identifier: GPL-2.0-or-later
# CPack runs this on what it has staged: manual pages and changelogs are compressed, as Debian's are.
file(GLOB_RECURSE documents "${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/*.[13]"
     "${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/doc/*/changelog")
foreach(document ${documents})
    get_filename_component(name "${document}" NAME)
    if(name STREQUAL changelog)
        file(RENAME "${document}" "${document}.Debian")
        set(document "${document}.Debian")
    endif()
    execute_process(COMMAND gzip -9 -n -f "${document}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
