# SPDX-License-Identifier: GPL-2.0-or-later
# What is common to every target of the project: language, warnings, instrumentation.

option(BUILD_TESTING "Build the tests" ON)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set(on_linux ON)
else()
    set(on_linux OFF)
endif()
option(FABRICSCOPE_LINUX "Build what needs Linux' sockets and interfaces: live targets of replay, libfabricscope-vipl"
       ${on_linux})
option(FABRICSCOPE_FUZZ "Instrument for libFuzzer and link tests/fuzz with it (clang)" OFF)
option(FABRICSCOPE_COVERAGE "Count which lines and branches run (GCC)" OFF)
set(FABRICSCOPE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them: address,undefined")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# The libraries end up in the plugin's shared object, which exports Wireshark's entry points only. Programs are compiled
# in the same way (CMAKE_POSITION_INDEPENDENT_CODE would give them -fPIE), so that they share precompiled headers.
add_compile_options(-fPIC)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

# Clang's -Wshadow also objects to a parameter in a local class that is named like a member of the class around it.
add_compile_options(-Wall -Wextra -Wconversion $<$<CXX_COMPILER_ID:GNU>:-Wshadow>)
# GCC 12 sees std::string and std::vector overflow where nothing does, all the more with precompiled headers; `./dev
# asan` checks bounds for good.
add_compile_options("$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-restrict>")
# Both interfaces of an object may have a function of one name, told apart by what it takes.
add_compile_options($<$<CXX_COMPILER_ID:Clang>:-Wno-overloaded-virtual>)
# Newer Clang with GCC 12's library: std::stable_sort calls what C++20 deprecates.
add_compile_options($<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
# `cmake --compile-no-warning-as-error` turns this off, for compilers newer than ours.
set(CMAKE_COMPILE_WARNING_AS_ERROR ON)

# Includes name their layer: #include "protocols/smcr/cdc.h"
include_directories("${PROJECT_SOURCE_DIR}")

if(FABRICSCOPE_SANITIZE)
    add_compile_options(-fsanitize=${FABRICSCOPE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    # GCC's own words on -fsanitize: it may lead to false positives of this warning.
    add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    # Checks that take GCC half of its time: a null pointer that is used and octets beyond an object show without them, and
    # `./dev fuzz`, by Clang, has them all.
    set(costly_checks null,alignment,object-size,pointer-overflow,vptr)
    add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fno-sanitize=${costly_checks}>)
    add_link_options(-fsanitize=${FABRICSCOPE_SANITIZE})
endif()
if(FABRICSCOPE_COVERAGE)
    add_compile_options(--coverage)
    add_link_options(--coverage)
endif()
if(FABRICSCOPE_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
    add_link_options(-fsanitize=fuzzer-no-link)
endif()

# GCC clears structures of some hundred octets, of which each packet needs several, with `rep stos`, which is slow to
# begin; vector instructions take 5 % off the time of `analyze`. x86 only.
include(CheckCXXCompilerFlag)
set(clear_by_vectors "-mmemset-strategy=vector_loop:1024:noalign,libcall:-1:noalign")
check_cxx_compiler_flag("${clear_by_vectors}" HAS_MEMSET_STRATEGY)
if(HAS_MEMSET_STRATEGY)
    add_compile_options("${clear_by_vectors}")
endif()

# Linking some fifty programs takes lld a fifth of the time.
find_program(LLD_PROGRAM ld.lld)
mark_as_advanced(LLD_PROGRAM)
if(LLD_PROGRAM)
    add_link_options(-fuse-ld=lld)
endif()

find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # By itself it leaves alone what uses precompiled headers, which is nearly everything; GCC has to say in its
    # preprocessed output which of them it used.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE_PROGRAM}")
    add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()
