// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace dsdoctor::base {

/// Deleter that frees an object of a C library with that library's own function.
template <auto free_function>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    free_function(object);
  }
};

/// Owns an object of a C library.
template <typename T, auto free_function>
using Handle = std::unique_ptr<T, Free<free_function>>;

}  // namespace dsdoctor::base
