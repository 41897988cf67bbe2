# SPDX-License-Identifier: Apache-2.0
# The compiler's and linker's protection against memory errors, for all code that we build:
# CMakeLists.txt makes a target of it, toolchain.cmake passes it to the libraries of a package that
# use CMake, and `cmake -DCMAKE_SYSTEM_PROCESSOR=x86_64 -P hardening.cmake` prints it for the
# others. cmd/process/hardening_linux_test.cpp and e2e/krew check the programs.
set(dsdoctor_hardening_compile
  -fPIE -fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE)
if(CMAKE_SCRIPT_MODE_FILE OR DEFINED ENV{DSDOCTOR_PACKAGE_ROOT} OR
   (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12))
  list(APPEND dsdoctor_hardening_compile -D_FORTIFY_SOURCE=3)  # packages are built with GCC 12
else()
  list(APPEND dsdoctor_hardening_compile -D_FORTIFY_SOURCE=2)
endif()
# Return addresses are signed function by function. bti here and Intel's CET (-fcf-protection) need a
# mark in every object: they have no effect in a program with Debian 12's static glibc, which lacks
# these marks.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  list(APPEND dsdoctor_hardening_compile -mbranch-protection=pac-ret)
endif()
# Only for C++: libstdc++ checks its arguments, such as an index. cmd/process/library_checks.cpp
# handles a failed check; with it these checks take 0.6 % of the program's size.
set(dsdoctor_hardening_compile_cxx -D_GLIBCXX_ASSERTIONS)
set(dsdoctor_hardening_link -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
if(NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-static-pie")
  list(APPEND dsdoctor_hardening_link -pie)
endif()
if(CMAKE_SCRIPT_MODE_FILE)
  list(JOIN dsdoctor_hardening_compile " " flags)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${flags}")
endif()
