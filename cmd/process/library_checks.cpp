// What is done where a check of libstdc++ fails (_GLIBCXX_ASSERTIONS, see
// packaging/hardening.cmake).
//
// The library's own function says which one, so that each check brings the name of a function, an
// expression and a file: 6 to 9 % of the program. Whoever optimizes the whole program sees that
// nothing of it is used here, and leaves it out.

#include <cstdio>
#include <cstdlib>

#if defined(_GLIBCXX_ASSERTIONS) && defined(__GLIBCXX__)
// The linker prefers it to the library's.
namespace std {

// NOLINTNEXTLINE(bugprone-reserved-identifier): it has to be this one
[[gnu::noinline, gnu::cold]] void __glibcxx_assert_fail(const char* /*file*/, int /*line*/,
                                                        const char* /*function*/,
                                                        const char* /*condition*/) noexcept {
  std::fputs("error: internal: a check of the C++ library failed\n", stderr);
  std::_Exit(2);  // as every failure, but nothing more can be relied on
}

}  // namespace std
#endif
