# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=x.cpp -DHEADER=x.h -DNAMESPACE=a::b -DENTRIES=name=path,... -P embed.cmake
# Writes a source file with one function `std::string_view NAME()` per file, which returns the
# file's bytes. The header with the declarations is written by hand.
set(source "// Made from files by embed.cmake; not to be edited.\n#include \"${HEADER}\"\n\n")
string(APPEND source "namespace ${NAMESPACE} {\n")
string(REPLACE "," ";" entries "${ENTRIES}")
foreach(entry IN LISTS entries)
  string(REGEX MATCH "^([^=]+)=(.*)$" _ "${entry}")
  set(name "${CMAKE_MATCH_1}")
  file(READ "${CMAKE_MATCH_2}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND source "\nstd::string_view ${name}() {\n"
                       "  static constexpr char bytes[] = {${bytes}'\\0'};\n"
                       "  return {bytes, sizeof(bytes) - 1};\n}\n")
endforeach()
string(APPEND source "\n}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUTPUT}" "${source}")
