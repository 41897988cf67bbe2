# libcurl as libraries.sh builds it, with what it needs to be linked statically (curl's own build
# by configure writes no such file, and FindCURL.cmake does not know the dependencies).
set(CURL_FOUND TRUE)
if(TARGET CURL::libcurl)
  return()
endif()
set(dsdoctor_curl_libraries "")
foreach(name IN ITEMS curl nghttp2 cares ssl crypto z)
  find_library(DSDOCTOR_STATIC_${name} lib${name}.a REQUIRED)
  list(APPEND dsdoctor_curl_libraries ${DSDOCTOR_STATIC_${name}})
endforeach()
find_package(Threads REQUIRED)
list(POP_FRONT dsdoctor_curl_libraries)
add_library(CURL::libcurl STATIC IMPORTED)
set_target_properties(CURL::libcurl PROPERTIES
  IMPORTED_LOCATION ${DSDOCTOR_STATIC_curl}
  INTERFACE_COMPILE_DEFINITIONS CURL_STATICLIB
  INTERFACE_LINK_LIBRARIES "${dsdoctor_curl_libraries};Threads::Threads")
