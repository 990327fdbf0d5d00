# SPDX-License-Identifier: GPL-2.0-or-later
# One call per layer. Sources are every .cc file below the calling folder, so adding one needs no edit here.

function(fabricscope_sources out)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc")
    set(${out} ${sources} PARENT_SCOPE)
endfunction()

# fabricscope_library(NAME LIBRARY...): static library fabricscope_NAME, alias fabricscope::NAME.
function(fabricscope_library name)
    fabricscope_sources(sources)
    add_library(fabricscope_${name} STATIC ${sources})
    add_library(fabricscope::${name} ALIAS fabricscope_${name})
    target_link_libraries(fabricscope_${name} PUBLIC ${ARGN})
endfunction()

# fabricscope_plugin(NAME): Wireshark plugin fabricscope-NAME.so, in the build tree where
# WIRESHARK_PLUGIN_DIR finds it, and installed where Wireshark looks.
function(fabricscope_plugin name)
    fabricscope_sources(sources)
    set(target fabricscope-${name})
    add_library(${target} MODULE ${sources} "${PROJECT_SOURCE_DIR}/plugins/module.cc")
    set_target_properties(${target} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY "${FABRICSCOPE_BUILD_PLUGIN_DIR}")
    target_compile_definitions(${target} PRIVATE FABRICSCOPE_VERSION="${PROJECT_VERSION}")
    target_link_libraries(${target} PRIVATE fabricscope::plugin_common)
    add_dependencies(plugins ${target})
    install(TARGETS ${target} LIBRARY DESTINATION "${FABRICSCOPE_PLUGIN_DIR}")
endfunction()
