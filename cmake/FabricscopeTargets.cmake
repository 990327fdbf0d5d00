# SPDX-License-Identifier: GPL-2.0-or-later
# One call per layer. Sources are every .cc file below the calling folder, so adding one needs no edit here.

function(fabricscope_sources out)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc")
    set(${out} ${sources} PARENT_SCOPE)
endfunction()

# Precompiled headers hold what nearly every source of a layer includes. A source still includes what it uses; `./dev
# lint` compiles without them. Project headers are in angle brackets, so that the compiler cache finds them again in
# another folder.
set(FABRICSCOPE_STANDARD_HEADERS
    <algorithm> <array> <functional> <map> <memory> <optional> <span> <string> <string_view> <unordered_map> <variant> <vector>)

# fabricscope_library(NAME LIBRARY...): static library fabricscope_NAME, alias fabricscope::NAME.
function(fabricscope_library name)
    fabricscope_sources(sources)
    add_library(fabricscope_${name} STATIC ${sources})
    add_library(fabricscope::${name} ALIAS fabricscope_${name})
    target_link_libraries(fabricscope_${name} PUBLIC ${ARGN})
endfunction()

# fabricscope_plugin(NAME): Wireshark plugin NAME.so, target NAME_plugin, in the build tree where WIRESHARK_PLUGIN_DIR
# finds it, and installed where Wireshark looks. It exports what exports.map names.
function(fabricscope_plugin name)
    fabricscope_sources(sources)
    set(target ${name}_plugin)
    set(exports "${CMAKE_CURRENT_SOURCE_DIR}/exports.map")
    add_library(${target} MODULE ${sources})
    set_target_properties(${target} PROPERTIES
        PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${FABRICSCOPE_BUILD_PLUGIN_DIR}" LINK_DEPENDS "${exports}")
    target_compile_definitions(${target} PRIVATE FABRICSCOPE_VERSION="${PROJECT_VERSION}")
    target_link_libraries(${target} PRIVATE fabricscope::info fabricscope::observations epan)
    target_link_options(${target} PRIVATE "LINKER:--version-script=${exports}" LINKER:--gc-sections)
    target_precompile_headers(${target} PRIVATE
        ${FABRICSCOPE_STANDARD_HEADERS} <analyzer/engine/engine.h> <plugins/shell/wireshark_compat.h>)
    install(TARGETS ${target} LIBRARY DESTINATION "${FABRICSCOPE_PLUGIN_DIR}")
endfunction()
