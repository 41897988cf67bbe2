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

/// Without a clause that only announces what was cut off: "largest" of "; largest: a, b", "it runs"
/// of "; it runs since 10:00". The first colon stands behind what all is about, which remains.
std::string_view without_announcement(std::string_view text, std::string_view whole) {
  const std::string_view cut_off = whole.substr(text.size());
  if (!cut_off.starts_with(": ") && !cut_off.starts_with(" since ")) return text;
  const std::size_t clause = std::max(text.rfind("; ") + 1, text.rfind(". ") + 1);
  return clause > text.find(": ") + 1 ? text.substr(0, clause - 1) : text;
}

/// Without a last word that begins a clause: "failed" of "the plugin fails: failed to dial".
std::string_view without_first_word(std::string_view text, std::string_view whole) {
  const std::size_t colon = text.rfind(": ");
  if (colon == std::string_view::npos || colon == text.find(": ")) return text;
  const bool one_word = text.find(' ', colon + 2) == std::string_view::npos;
  const bool goes_on = whole.substr(text.size()).starts_with(' ');
  return one_word && goes_on ? text.substr(0, colon) : text;
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
  std::string_view shared = without_announcement(without_rest(prefix_), prefix_);
  shared = closed(without_first_word(shared, prefix_));
  const std::string result(shared);
  const std::size_t colon = prefix_.find(": ");
  const bool has_detail = colon == std::string::npos || result.size() > colon;
  return has_detail && std::ranges::count(result, ' ') >= least_blanks ? result : std::string();
}

}  // namespace dsdoctor::diagnosis
