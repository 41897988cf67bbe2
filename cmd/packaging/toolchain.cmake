# Included by amd64.cmake and arm64.cmake, which name the processor. All libraries, libc included,
# come from a Debian root that libraries.sh fills, never from the machine: so both programs are
# built alike, and from the newest security updates.
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
set(PKG_CONFIG_EXECUTABLE /bin/false)  # it would speak of the machine's libraries
set(OPENSSL_USE_STATIC_LIBS TRUE)

# -B and -L: Debian's compilers look into their own folders before they look into the root.
set(own_folder ${CMAKE_SYSROOT}/usr/lib/${triplet})
get_filename_component(cache ${CMAKE_SYSROOT} DIRECTORY)
include(${CMAKE_CURRENT_LIST_DIR}/hardening.cmake)
list(JOIN dsdoctor_hardening_compile " " flags)
string(APPEND flags " -ffunction-sections -fdata-sections -ffile-prefix-map=${cache}=/")
set(CMAKE_C_FLAGS_INIT "${flags}")
list(JOIN dsdoctor_hardening_compile_cxx " " flags_cxx)
set(CMAKE_CXX_FLAGS_INIT "${flags} ${flags_cxx}")
# A static PIE relocates itself: 25,000 addresses, of 24 bytes each where they are not packed.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64") # the linker of Debian 12 packs relocations only there
  set(packed "-Wl,-z,pack-relative-relocs")
endif()
# One partition: what is alike is folded wherever it is, which takes the link half a minute more.
set(CMAKE_EXE_LINKER_FLAGS_INIT "${packed} -flto-partition=one -static-pie -s -Wl,--gc-sections -B${own_folder}/ -L${own_folder}")

# A tool of the build runs on the machine that builds (see lib/decode/CMakeLists.txt).
if(NOT CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL CMAKE_SYSTEM_PROCESSOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR}-static)
endif()
