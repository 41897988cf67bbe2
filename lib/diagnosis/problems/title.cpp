#include "diagnosis/problems/title.h"

#include <algorithm>
#include <array>

namespace dsdoctor::diagnosis {
namespace {

constexpr std::array<std::string_view, 15> seams = {
    ", ",   "; ",   ": ",   " (",     " after ", " since ", " for ", " of ",
    " on ", " in ", " at ", " with ", " by ",    " from ",  " to "};

/// What is left without its last piece, which need not be whole.
std::string_view without_rest(std::string_view text) {
  std::size_t end = 0;
  for (const std::string_view seam : seams) {
    const std::size_t at = text.rfind(seam);
    if (at != std::string_view::npos) end = std::max(end, at);
  }
  return text.substr(0, end);
}

/// Without a clause that only announces what was cut off: "largest" of "; largest: a, b". The first
/// colon stands behind what all is about, which remains.
std::string_view without_announcement(std::string_view text, std::string_view whole) {
  if (!whole.substr(text.size()).starts_with(": ")) return text;
  const std::size_t clause = text.rfind("; ");  // without one all is left
  return clause > text.find(": ") ? text.substr(0, clause) : text;
}

/// Before what is opened and not closed.
std::string_view closed(std::string_view text) {
  if (std::ranges::count(text, '"') % 2 != 0) text = text.substr(0, text.rfind('"'));
  const std::size_t open = text.rfind('(');
  if (open != std::string_view::npos && text.find(')', open) == std::string_view::npos) {
    text = text.substr(0, open);
  }
  return text.substr(0, text.find_last_not_of(" ,;:") + 1);
}

}  // namespace

void SharedTitle::add(std::string_view message) {
  const std::string whole = std::string(message) + "; ";
  if (is_new_) {
    prefix_ = whole;
    is_new_ = false;
    return;
  }
  const auto end = std::ranges::mismatch(prefix_, whole).in1;
  prefix_.erase(end, prefix_.end());
}

std::string SharedTitle::text() const {
  constexpr std::ptrdiff_t least_blanks = 2;
  const std::string result(closed(without_announcement(without_rest(prefix_), prefix_)));
  const std::size_t colon = prefix_.find(": ");
  const bool has_detail = colon == std::string::npos || result.size() > colon;
  return has_detail && std::ranges::count(result, ' ') >= least_blanks ? result : std::string();
}

}  // namespace dsdoctor::diagnosis
