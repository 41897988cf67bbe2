# SPDX-License-Identifier: Apache-2.0
# Describes libcurl as built by libraries.sh, with the libraries needed to link it statically
# (curl's configure build writes no such file, and FindCURL.cmake does not know the dependencies).
set(CURL_FOUND TRUE)
if(TARGET CURL::libcurl)
  return()
endif()
set(dsdoctor_curl_libraries "")
set(dsdoctor_resolver cares)  # on other platforms the system's resolver
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(dsdoctor_resolver "")
endif()
foreach(name IN ITEMS curl nghttp2 ${dsdoctor_resolver} ssl crypto z)
  find_library(DSDOCTOR_STATIC_${name} lib${name}.a REQUIRED)
  list(APPEND dsdoctor_curl_libraries ${DSDOCTOR_STATIC_${name}})
endforeach()
find_package(Threads REQUIRED)
if(WIN32)
  list(APPEND dsdoctor_curl_libraries ws2_32 crypt32 bcrypt)
endif()
list(POP_FRONT dsdoctor_curl_libraries)
add_library(CURL::libcurl STATIC IMPORTED)
set_target_properties(CURL::libcurl PROPERTIES
  IMPORTED_LOCATION ${DSDOCTOR_STATIC_curl}
  INTERFACE_COMPILE_DEFINITIONS CURL_STATICLIB
  INTERFACE_LINK_LIBRARIES "${dsdoctor_curl_libraries};Threads::Threads")
