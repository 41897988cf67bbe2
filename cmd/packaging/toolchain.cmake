# SPDX-License-Identifier: Apache-2.0
# Included by amd64.cmake and arm64.cmake, which set the processor. All libraries, libc included,
# come from a Debian root filled by libraries.sh, never from the machine: so both programs are built
# the same way, with the newest security updates.
if(NOT DEFINED ENV{DSDOCTOR_PACKAGE_ROOT})
  message(FATAL_ERROR "DSDOCTOR_PACKAGE_ROOT is not set: use ./dev package, which fills the root")
endif()
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSROOT "$ENV{DSDOCTOR_PACKAGE_ROOT}")

set(triplet ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(PKG_CONFIG_EXECUTABLE /bin/false)  # it would find the machine's libraries
set(OPENSSL_USE_STATIC_LIBS TRUE)

# -B and -L: Debian's compilers search their own folders before the root.
set(own_folder ${CMAKE_SYSROOT}/usr/lib/${triplet})
get_filename_component(cache ${CMAKE_SYSROOT} DIRECTORY)
include(${CMAKE_CURRENT_LIST_DIR}/hardening.cmake)
list(JOIN dsdoctor_hardening_compile " " flags)
string(APPEND flags " -ffunction-sections -fdata-sections -ffile-prefix-map=${cache}=/")
set(CMAKE_C_FLAGS_INIT "${flags}")
list(JOIN dsdoctor_hardening_compile_cxx " " flags_cxx)
set(CMAKE_CXX_FLAGS_INIT "${flags} ${flags_cxx}")
# A static PIE relocates itself: 25,000 addresses, of 24 bytes each unless they are packed.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64") # Debian 12's linker packs relocations only there
  set(packed "-Wl,-z,pack-relative-relocs")
endif()
# One partition: identical code is merged across all files, which makes linking half a minute
# slower.
set(CMAKE_EXE_LINKER_FLAGS_INIT "${packed} -flto-partition=one -static-pie -s -Wl,--gc-sections -B${own_folder}/ -L${own_folder}")

# A build tool runs on the building machine (see lib/decode/CMakeLists.txt).
if(NOT CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL CMAKE_SYSTEM_PROCESSOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR}-static)
endif()
