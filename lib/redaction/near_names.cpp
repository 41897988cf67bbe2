// SPDX-License-Identifier: Apache-2.0
#include "redaction/near_names.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "base/misspelling.h"
#include "base/text.h"

namespace dsdoctor::redaction {
namespace {

constexpr std::size_t longest_name = 63;
constexpr std::size_t least_typed = 4;
constexpr std::size_t largest_family = 24;
constexpr std::string_view separators = "-_.";

bool is_separator(char c) { return separators.find(c) != separators.npos; }

/// The name in lower case without separators, which users confuse.
std::string bare(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (!is_separator(c)) result += base::to_lower(c);
  }
  return result;
}

/// Reports whether the bare names are equal. Allocates no memory, because it compares many pairs.
bool is_spelled_alike(std::string_view a, std::string_view b) {
  const auto skip = [](std::string_view& name) {
    while (!name.empty() && is_separator(name.front())) name.remove_prefix(1);
  };
  for (skip(a), skip(b); !a.empty() && !b.empty(); skip(a), skip(b)) {
    if (base::to_lower(a.front()) != base::to_lower(b.front())) return false;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() && b.empty();
}

/// Reports whether a name can be a domain: no capitals, no underscores, no dot beside another dot
/// or a dash.
bool may_be_domain(std::string_view name) {
  return std::ranges::none_of(name, [](char c) { return base::is_upper(c) || c == '_'; }) &&
         name.find("..") == name.npos && name.find(".-") == name.npos &&
         name.find("-.") == name.npos;
}

bool has_digit(std::string_view name) { return std::ranges::any_of(name, base::is_digit); }

bool may_be_typed(std::string_view name) {
  return name.size() + 1 >= least_typed && name.size() <= longest_name && !has_digit(name);
}

/// Groups of names that belong together, as a union-find forest.
class Families {
 public:
  explicit Families(std::size_t names) : parents_(names) {
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
  }
  void unite(std::size_t a, std::size_t b) { parents_[root(a)] = root(b); }
  std::size_t root(std::size_t name) {
    while (parents_[name] != name) name = parents_[name] = parents_[parents_[name]];
    return name;
  }

 private:
  std::vector<std::size_t> parents_;
};

/// Unites names that are one typo apart: they have a common spelling if each may lose a letter.
void unite_typed(const std::vector<std::string>& names, Families& families) {
  std::unordered_map<std::string, std::vector<std::size_t>> shortened;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!may_be_typed(names[i])) continue;
    std::unordered_set<std::string> spellings = {names[i]};
    for (std::size_t at = 0; at < names[i].size(); ++at) {
      spellings.insert(std::string(names[i]).erase(at, 1));
    }
    for (const std::string& spelling : spellings) {
      auto& others = shortened[spelling];
      if (others.size() >= largest_family) continue;
      for (const std::size_t other : others) {
        const Likeness like = likeness(names[i], names[other]);
        if (like.typed || like.typed_back) families.unite(i, other);
      }
      others.push_back(i);
    }
  }
}

void unite_spelled(const std::vector<std::string>& names, Families& families) {
  std::unordered_map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [at, is_first] = first.try_emplace(bare(names[i]), i);
    if (!is_first) families.unite(i, at->second);
  }
}

/// "anonbbbb", "anoncccc": any two differ in four letters, so they are not similar even with a typo
/// in each.
std::string base_name(std::size_t number) {
  constexpr std::string_view letters = "bcdfghjklmqrstvw";
  constexpr std::size_t repeated = 4;
  std::string result = "anon";
  do {
    result.append(repeated, letters[number % letters.size()]);
    number /= letters.size();
  } while (number > 0);
  return result;
}

/// Searches replacements for one family.
class Embedding {
 public:
  Embedding(const std::set<std::string>& taken, const std::set<std::string>& domains,
            std::size_t number)
      : taken_(taken), domains_(domains), number_(number) {}

  void add(const std::string& name, std::optional<std::string> settled) {
    if (settled) {
      placed_.emplace_back(name, std::move(*settled));
    } else {
      free_.push_back(name);
    }
  }

  std::vector<std::pair<std::string, std::string>> place() {
    const std::size_t settled = placed_.size();
    while (!free_.empty()) place_next();
    return {placed_.begin() + static_cast<std::ptrdiff_t>(settled), placed_.end()};
  }

 private:
  using Placed = std::pair<std::string, std::string>;

  /// Places the name that is similar to most placed ones; else the one with most telling parts,
  /// because a typo can remove parts, but not add them; else the one that is similar to most
  /// others.
  void place_next() {
    std::size_t best = 0;
    std::size_t most = 0;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const auto is_like = [&](const std::string& other) { return is_alike(free_[i], other); };
      const auto beside = std::ranges::count_if(placed_, is_like, &Placed::first);
      const auto count = static_cast<std::size_t>(std::ranges::count_if(free_, is_like)) +
                         telling_parts(free_[i]).size() * largest_family +
                         static_cast<std::size_t>(beside) * largest_family * longest_name;
      if (count > most) {
        best = i;
        most = count;
      }
    }
    const std::string name = free_[best];
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(best));
    if (const auto replacement = replacement_of(name)) placed_.emplace_back(name, *replacement);
  }

  static bool is_alike(const std::string& a, const std::string& b) {
    return a != b && likeness(a, b) != Likeness{};
  }

  [[nodiscard]] std::optional<std::string> replacement_of(const std::string& name) const {
    bool alone = true;
    for (const auto& [other, replacement] : placed_) {
      const Likeness like = likeness(name, other);
      if (like == Likeness{}) continue;
      alone = false;
      auto found = like.spelled ? respelled(name, replacement) : retyped(name, replacement);
      if (found) return found;
    }
    const std::string base = base_name(number_) + telling_parts(name);
    return alone && fits(name, base) ? std::optional(base) : std::nullopt;
  }

  /// Another spelling of `from`; tries capitals first if `name` has capitals.
  [[nodiscard]] std::optional<std::string> respelled(const std::string& name,
                                                     const std::string& from) const {
    std::vector<std::string> spellings;
    for (const std::string_view separator : {"-", "_", ".", ""}) {
      std::string spelling;
      for (const char c : from) {
        is_separator(c) ? spelling.append(separator) : spelling.append(1, c);
      }
      spellings.push_back(spelling);
    }
    for (std::size_t at = 1; at < from.size(); ++at) {
      for (const char separator : separators) {
        spellings.push_back(std::string(from).insert(at, 1, separator));
      }
    }
    std::vector<std::string> capitals = {base::upper_case(from), base::lower_case(from)};
    for (std::size_t at = 0; at < from.size(); ++at) {
      capitals.push_back(from);
      char& letter = capitals.back()[at];
      letter = base::is_upper(letter) ? base::to_lower(letter) : base::upper_case(from)[at];
    }
    const bool has_capitals = std::ranges::any_of(name, base::is_upper);
    spellings.insert(has_capitals ? spellings.begin() : spellings.end(), capitals.begin(),
                     capitals.end());
    return first_that_fits(name, spellings);
  }

  [[nodiscard]] std::optional<std::string> retyped(const std::string& name,
                                                   const std::string& from) const {
    std::vector<std::string> slips;
    for (char letter = 'a'; letter <= 'z'; ++letter) slips.push_back(from + letter);
    for (std::size_t at = from.size(); at-- > 0;) {
      for (char letter = 'a'; letter <= 'z'; ++letter) {
        slips.push_back(from);
        slips.back()[at] = letter;
      }
      slips.push_back(std::string(from).erase(at, 1));
      slips.push_back(std::string(from).insert(at, 1, 'z'));
    }
    return first_that_fits(name, slips);
  }

  [[nodiscard]] std::optional<std::string> first_that_fits(
      const std::string& name, const std::vector<std::string>& candidates) const {
    const auto at = std::ranges::find_if(
        candidates, [&](const std::string& candidate) { return fits(name, candidate); });
    return at == candidates.end() ? std::nullopt : std::optional(*at);
  }

  [[nodiscard]] bool fits(const std::string& name, const std::string& candidate) const {
    const bool is_name = !candidate.empty() && candidate.size() <= longest_name &&
                         !is_separator(candidate.front()) && !is_separator(candidate.back());
    if (domains_.contains(name) && !may_be_domain(candidate)) return false;
    return is_name && !taken_.contains(candidate) &&
           telling_parts(candidate) == telling_parts(name) &&
           std::ranges::all_of(placed_, [&](const Placed& placed) {
             return candidate != placed.second &&
                    likeness(candidate, placed.second) == likeness(name, placed.first);
           });
  }

  const std::set<std::string>& taken_;
  const std::set<std::string>& domains_;
  std::size_t number_;
  std::vector<std::string> free_;
  std::vector<Placed> placed_;
};

}  // namespace

Likeness likeness(std::string_view a, std::string_view b) {
  if (a == b || a.empty() || b.empty()) return {};
  Likeness result;
  result.spelled = is_spelled_alike(a, b);
  if (result.spelled || has_digit(a) || has_digit(b)) return result;
  result.typed = base::is_misspelling(a, b);
  result.typed_back = base::is_misspelling(b, a);
  return result;
}

std::string telling_parts(std::string_view word) {
  constexpr std::array<std::string_view, 11> parts = {
      "accelerator", "capacitytype", "disabled", "gpu",  "interruptible", "lifecycle",
      "nodegroup",   "nonexist",     "pool",     "spot", "preemptible"};
  const std::string lower = base::lower_case(word);
  std::string result;
  for (const std::string_view part : parts) {
    if (lower.find(part) != lower.npos) result += part;
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> near_names(const std::set<std::string>& names,
                                                            const std::set<std::string>& domains,
                                                            const Settled& settled) {
  std::vector<std::string> all;
  std::ranges::copy_if(names, std::back_inserter(all), [](const std::string& name) {
    return !name.empty() && name.size() <= longest_name;
  });
  Families families(all.size());
  unite_spelled(all, families);
  unite_typed(all, families);
  std::unordered_map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < all.size(); ++i) members[families.root(i)].push_back(i);
  std::vector<std::pair<std::string, std::string>> result;
  std::size_t number = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto family = members.find(families.root(i));
    if (family == members.end()) continue;
    if (family->second.size() > 1 && family->second.size() <= largest_family) {
      Embedding embedding(names, domains, number++);
      for (const std::size_t member : family->second) {
        embedding.add(all[member], settled(all[member]));
      }
      for (auto& placed : embedding.place()) result.push_back(std::move(placed));
    }
    members.erase(family);
  }
  return result;
}

}  // namespace dsdoctor::redaction
