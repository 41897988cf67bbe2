# SPDX-License-Identifier: Apache-2.0
# Used with CURLConfig.cmake; reads the version from curl's own header.
find_file(DSDOCTOR_CURLVER_H curl/curlver.h PATH_SUFFIXES include REQUIRED)
file(STRINGS ${DSDOCTOR_CURLVER_H} line REGEX "^#define LIBCURL_VERSION \"")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" PACKAGE_VERSION "${line}")
if(PACKAGE_VERSION VERSION_GREATER_EQUAL PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
