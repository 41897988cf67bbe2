// SPDX-License-Identifier: Apache-2.0

// The handler of failed checks of libstdc++ (_GLIBCXX_ASSERTIONS, see packaging/hardening.cmake).
//
// The library's own function reports the failed check, so each check adds the name of a function,
// an expression and a file: 6 to 9 % of the program. Link-time optimization sees that this one does
// not use them, and removes them.

#include <cstdio>
#include <cstdlib>

#if defined(_GLIBCXX_ASSERTIONS) && defined(__GLIBCXX__)
// The linker prefers it to the library's function.
namespace std {

// NOLINTNEXTLINE(bugprone-reserved-identifier): the library calls this name
[[gnu::noinline, gnu::cold]] void __glibcxx_assert_fail(const char* /*file*/, int /*line*/,
                                                        const char* /*function*/,
                                                        const char* /*condition*/) noexcept {
  std::fputs("error: internal: a check of the C++ library failed\n", stderr);
  std::_Exit(2);  // the exit code of every failure; no cleanup, because the state is unreliable
}

}  // namespace std
#endif
