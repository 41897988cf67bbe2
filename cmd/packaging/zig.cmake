# SPDX-License-Identifier: Apache-2.0
# Included by darwin-arm64.cmake, darwin-amd64.cmake and windows-amd64.cmake, which set system and
# processor: uses zig, and the root filled by zig_libraries.sh.
if(NOT DEFINED ENV{DSDOCTOR_PACKAGE_ROOT})
  message(FATAL_ERROR "DSDOCTOR_PACKAGE_ROOT is not set: use ./dev package, which fills the root")
endif()
set(root "$ENV{DSDOCTOR_PACKAGE_ROOT}")
set(CMAKE_C_COMPILER ${root}/bin/cc)
set(CMAKE_CXX_COMPILER ${root}/bin/c++)
set(CMAKE_AR ${root}/bin/ar)
set(CMAKE_RANLIB ${root}/bin/ranlib)
set(CMAKE_RC_COMPILER ${root}/bin/rc)
set(CMAKE_INSTALL_NAME_TOOL /bin/true)
set(CMAKE_OSX_ARCHITECTURES "" CACHE STRING "" FORCE)
set(CMAKE_FIND_ROOT_PATH ${root} ${root}/usr/local ${root}/usr)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(PKG_CONFIG_EXECUTABLE /bin/false)  # it would find the machine's libraries
set(OPENSSL_USE_STATIC_LIBS TRUE)

# -Os for every build type: without it zig builds its own libraries for debugging.
get_filename_component(cache ${root} DIRECTORY)
set(flags "-Os -ffunction-sections -fdata-sections -fvisibility=hidden -fstack-protector-strong -ffile-prefix-map=${cache}=/")
string(APPEND flags " -isystem ${root}/usr/include -DLIBARCHIVE_STATIC -DLZMA_API_STATIC -DYAML_CPP_STATIC_DEFINE")
set(CMAKE_C_FLAGS_INIT "${flags}")
set(CMAKE_CXX_FLAGS_INIT "${flags} -fvisibility-inlines-hidden")

# Strips local symbols: a quarter of a program for macOS. Programs for Windows have none.
if(CMAKE_SYSTEM_NAME STREQUAL "Darwin")
  set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-x")
endif()

set(DSDOCTOR_CCACHE "" CACHE STRING "zig has a cache of its own")
