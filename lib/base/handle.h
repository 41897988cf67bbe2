#pragma once

#include <memory>

namespace dsdoctor::base {

/// Ends an object of a C library by that library's own function.
template <auto free_function>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    free_function(object);
  }
};

/// An object of a C library, owned.
template <typename T, auto free_function>
using Handle = std::unique_ptr<T, Free<free_function>>;

}  // namespace dsdoctor::base
