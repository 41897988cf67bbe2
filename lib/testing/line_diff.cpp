// SPDX-License-Identifier: Apache-2.0
#include "testing/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <vector>

namespace dsdoctor::testing {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t context = 3;           // equal lines shown around a difference
constexpr std::size_t most_cells = 4 << 20;  // of the table below; larger texts are printed whole

struct Edit {
  char kind;  // printed: ' ', '-' or '+'
  std::string line;
  std::size_t place;  // index of the next line of `expected`
};

Lines lines_of(const std::string& text) {
  Lines result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  if (!text.empty() && text.back() != '\n') result.push_back("\\ no line break at the end");
  return result;
}

/// Number of lines that a[i..] and b[j..] have in common, in order.
class CommonLines {
 public:
  CommonLines(const Lines& a, const Lines& b) : width_(b.size() + 1) {
    if ((a.size() + 1) * width_ > most_cells) return;
    counts_.resize((a.size() + 1) * width_);
    for (std::size_t i = a.size(); i-- > 0;) {
      for (std::size_t j = b.size(); j-- > 0;) {
        counts_[i * width_ + j] =
            a[i] == b[j] ? from(i + 1, j + 1) + 1 : std::max(from(i + 1, j), from(i, j + 1));
      }
    }
  }
  [[nodiscard]] std::uint32_t from(std::size_t i, std::size_t j) const {
    return counts_.empty() ? 0 : counts_[i * width_ + j];
  }

 private:
  std::size_t width_;
  std::vector<std::uint32_t> counts_;
};

std::vector<Edit> edits(const Lines& a, const Lines& b) {
  const CommonLines common(a, b);
  std::vector<Edit> result;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      result.push_back({' ', a[i], i});
      ++i;
      ++j;
    } else if (j == b.size() || (i < a.size() && common.from(i + 1, j) >= common.from(i, j + 1))) {
      result.push_back({'-', a[i], i});
      ++i;
    } else {
      result.push_back({'+', b[j], i});
      ++j;
    }
  }
  return result;
}

/// The heading of a piece that begins with the line `begin` of `expected` and whose first
/// difference is at `place`.
std::string head(const Lines& expected, std::size_t begin, std::size_t place,
                 const std::string& section) {
  std::string result = "@@ line " + std::to_string(begin + 1);
  for (std::size_t i = std::min(place, expected.size()); i-- > 0;) {
    if (!expected[i].empty() && expected[i].starts_with(section)) {
      return result + ": " + expected[i] + "\n";
    }
  }
  return result + "\n";
}

}  // namespace

std::string line_diff(const std::string& expected, const std::string& got,
                      const std::string& section) {
  const Lines lines = lines_of(expected);
  const std::vector<Edit> all = edits(lines, lines_of(got));
  std::string result;
  std::size_t shown = 0;  // index after the last printed edit
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind == ' ') continue;
    const std::size_t begin = std::max(shown, i - std::min(i, context));
    if (result.empty() || begin > shown)
      result += head(lines, all[begin].place, all[i].place, section);
    std::size_t end = i + 1;
    for (std::size_t k = i; k < all.size() && k < end + context; ++k) {
      if (all[k].kind != ' ') end = k + 1;
    }
    const std::size_t stop = std::min(all.size(), end + context);
    for (std::size_t k = begin; k < stop; ++k) result += all[k].kind + all[k].line + "\n";
    shown = stop;
    i = stop - 1;
  }
  return result;
}

}  // namespace dsdoctor::testing
