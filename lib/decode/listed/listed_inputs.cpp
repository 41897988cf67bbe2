// SPDX-License-Identifier: Apache-2.0
#include "decode/listed/listed_inputs.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <tuple>

#include "decode/listed/object_times.h"
#include "decode/listed/resource_version.h"
#include "model/fields.h"

namespace dsdoctor::decode {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_collection = 24h;
constexpr auto fast_clock = 10min;

std::size_t index_of(Kind kind) { return static_cast<std::size_t>(kind); }

Kind kind_named_by_list(std::string_view name) {
  for (std::size_t i = 0; i < kind_count; ++i) {
    if (to_string(static_cast<Kind>(i)) == name) return static_cast<Kind>(i);
  }
  return Kind::Node;  // every list of a cluster has a kind
}

/// Objects of these kinds live longer than the time between two dumps.
bool is_stable(Kind kind) {
  return kind == Kind::Node || kind == Kind::DaemonSet || kind == Kind::Namespace;
}

/// Two inputs, and the objects that both have.
struct InputPair {
  std::map<Kind, std::size_t> same;  // objects with the same UID
  std::size_t first_older = 0;       // objects with an older resourceVersion in the first input
  std::size_t second_older = 0;
  std::size_t changed = 0;  // objects that differ, without resourceVersions that can be compared

  template <typename Object>
  void add(Kind kind, const Object& first, const Object& second) {
    if (first.meta.uid != second.meta.uid) return;
    ++same[kind];
    const std::string one = first.meta.resource_version.str();
    const std::string other = second.meta.resource_version.str();
    if (is_older_version(one, other)) {
      ++first_older;
    } else if (is_older_version(other, one)) {
      ++second_older;
    } else if ((one.empty() || one != other) && !(first == second)) {
      ++changed;
    }
  }
};

/// How many objects two inputs have in the namespaces that both have in full.
struct InBoth {
  std::size_t older = 0;
  std::size_t newer = 0;
  bool is_listed = false;
};

}  // namespace

/// Finds inputs with an earlier state of a cluster that another input has as well.
class EarlierStates {
 public:
  using Input = ListedInputs::Input;

  EarlierStates(const std::vector<Input>& inputs,
                const std::array<ListedInputs::Runs, kind_count>& runs, model::Cluster& cluster)
      : inputs_(inputs), cluster_(cluster) {
    for (std::size_t kind = 0; kind < kind_count; ++kind) {
      for (const auto& [input, count] : runs[kind]) {
        inputs_of_[kind].insert(inputs_of_[kind].end(), count, input);
      }
    }
  }

  std::vector<ReplacedInput> drop(model::Time present, ClusterMarks& marks) {
    std::vector<ReplacedInput> result;
    const auto pairs = overlaps();
    if (pairs.empty()) return result;
    read_times(present);
    for (const auto& [inputs, pair] : pairs) {
      if (auto replaced = replaced_by(inputs, pair)) add(std::move(*replaced), result);
    }
    erase(marks);
    return result;
  }

 private:
  using Two = std::pair<std::size_t, std::size_t>;

  /// Calls `visit(list, kind, owners)` for each list whose objects are all counted.
  template <typename Visit>
  void each_counted_list(const Visit& visit) {
    model::description::each_list(cluster_, [&](auto& list, const auto& described) {
      const Kind kind = kind_named_by_list(described.kind);
      const auto& owners = inputs_of_[index_of(kind)];
      if (owners.size() == list.size()) visit(list, kind, owners);
    });
  }

  /// The pairs of inputs that list an object in common.
  std::map<Two, InputPair> overlaps() {
    std::map<Two, InputPair> pairs;
    each_counted_list([&](const auto& list, Kind kind, const auto& owners) {
      std::vector<std::size_t> order;
      order.reserve(list.size());
      for (std::size_t i = 0; i < list.size(); ++i) {
        const bool is_covered = inputs_[owners[i]].listed.was_listed(kind) || kind == Kind::Node;
        if (is_covered) order.push_back(i);
      }
      const auto key = [&](std::size_t i) {
        return std::tuple(list[i].meta.ns.view(), list[i].meta.name.view());
      };
      std::ranges::stable_sort(order, {}, key);
      for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t k = i + 1; k < order.size() && key(order[i]) == key(order[k]); ++k) {
          const Two two(owners[order[i]], owners[order[k]]);
          if (two.first == two.second) continue;
          pairs[two].add(kind, list[order[i]], list[order[k]]);
        }
      }
    });
    return pairs;
  }

  void read_times(model::Time present) {
    std::vector<NewestTimes> newest(inputs_.size(), NewestTimes(present + fast_clock));
    each_counted_list([&](const auto& list, Kind /*kind*/, const auto& owners) {
      for (std::size_t i = 0; i < list.size(); ++i) newest[owners[i]].read(list[i]);
    });
    times_.reserve(inputs_.size());
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const auto& found = newest[i].any();
      const auto& noted = inputs_[i].collected;
      const bool fits = found && noted && *noted >= *found && *noted < *found + longest_collection;
      times_.push_back(fits ? noted : found);
    }
  }

  /// Keeps one for each older input, with the newest of those that replace it.
  static void add(ReplacedInput replaced, std::vector<ReplacedInput>& into) {
    const auto at = std::ranges::find(into, replaced.older, &ReplacedInput::older);
    if (at == into.end()) return into.push_back(std::move(replaced));
    std::vector<Kind> kinds;
    std::ranges::set_union(at->kinds, replaced.kinds, std::back_inserter(kinds));
    if (replaced.newer_time > at->newer_time) *at = std::move(replaced);
    at->kinds = std::move(kinds);
  }

  /// Marks the objects of the older input if it is an earlier state of the other.
  std::optional<ReplacedInput> replaced_by(Two inputs, const InputPair& pair) {
    const auto& first = times_[inputs.first];
    const auto& second = times_[inputs.second];
    if (!first || !second || *first == *second) return {};
    const bool first_is_older = *first < *second;
    const std::size_t agreeing = first_is_older ? pair.first_older : pair.second_older;
    const std::size_t contradicting = first_is_older ? pair.second_older : pair.first_older;
    if (agreeing + pair.changed == 0 || contradicting != 0) return {};
    if (!first_is_older) std::swap(inputs.first, inputs.second);
    const std::size_t older = inputs.first;
    const std::size_t newer = inputs.second;
    auto counts = in_both(older, newer);
    if (const auto nodes = counts.find(Kind::Node);
        nodes != counts.end() && nodes->second.newer == 0) {
      counts.erase(nodes);
    }
    if (!is_whole(counts, pair)) return {};
    ReplacedInput result{
        inputs_[older].name, inputs_[newer].name, *times_[older], *times_[newer], {}};
    each_counted_list([&](const auto& list, Kind kind, const auto& owners) {
      if (!counts.contains(kind)) return;
      std::vector<bool>& dropped = dropped_[index_of(kind)];
      dropped.resize(list.size());
      bool is_any = false;
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (owners[i] != older || !both_cover(kind, list[i].meta.ns, older, newer)) continue;
        dropped[i] = is_any = true;
      }
      if (is_any) result.kinds.push_back(kind);
    });
    if (result.kinds.empty()) return {};
    return result;
  }

  /// Whether both inputs have all objects of the kind. Collectors write each Node to a file of its
  /// own, which is not a list.
  [[nodiscard]] bool both_cover(Kind kind, std::string_view ns, std::size_t older,
                                std::size_t newer) const {
    return kind == Kind::Node || both_list(kind, ns, older, newer);
  }

  [[nodiscard]] bool both_list(Kind kind, std::string_view ns, std::size_t older,
                               std::size_t newer) const {
    return inputs_[older].listed.lists(kind, ns) && inputs_[newer].listed.lists(kind, ns);
  }

  std::map<Kind, InBoth> in_both(std::size_t older, std::size_t newer) {
    std::map<Kind, InBoth> result;
    each_counted_list([&](const auto& list, Kind kind, const auto& owners) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (owners[i] != older && owners[i] != newer) continue;
        if (!both_cover(kind, list[i].meta.ns, older, newer)) continue;
        InBoth& both = result[kind];
        ++(owners[i] == older ? both.older : both.newer);
        both.is_listed = both.is_listed || both_list(kind, list[i].meta.ns, older, newer);
      }
    });
    return result;
  }

  /// Whether the newer input is a whole state, not a selection of objects: it has more than half of
  /// the objects that last long, and as many of each kind.
  static bool is_whole(const std::map<Kind, InBoth>& counts, const InputPair& pair) {
    const auto is_listed = [](const auto& each) { return each.second.is_listed; };
    if (std::ranges::none_of(counts, is_listed)) return false;
    const bool has_stable = std::ranges::any_of(
        counts, [](const auto& each) { return is_stable(each.first) && each.second.older > 0; });
    std::size_t all = 0;
    std::size_t kept = 0;
    for (const auto& [kind, count] : counts) {
      if (kind == Kind::Event) continue;  // expires within an hour
      if (2 * count.newer <= count.older) return false;
      if (has_stable && !is_stable(kind)) continue;
      const auto same = pair.same.find(kind);
      all += count.older;
      kept += same == pair.same.end() ? 0 : same->second;
    }
    return 2 * kept > all;
  }

  void erase(ClusterMarks& marks) {
    each_counted_list([&](auto& list, Kind kind, const auto& /*owners*/) {
      const std::vector<bool>& dropped = dropped_[index_of(kind)];
      if (dropped.empty()) return;
      if (kind == Kind::Node) marks.erase_nodes(dropped);
      std::size_t at = 0;
      std::erase_if(list, [&](const auto& /*object*/) { return dropped[at++]; });
    });
  }

  const std::vector<Input>& inputs_;
  model::Cluster& cluster_;
  std::array<std::vector<std::size_t>, kind_count> inputs_of_{};  // for each object of a list
  std::vector<model::OptionalTime> times_;                        // one for each input
  std::array<std::vector<bool>, kind_count> dropped_{};
};

void ListedInputs::begin_input(std::string name) { inputs_.push_back({std::move(name)}); }

void ListedInputs::note_collected(model::Time time) {
  if (inputs_.empty()) return;
  model::OptionalTime& newest = inputs_.back().collected;
  if (!newest || time > *newest) newest = time;
}

void ListedInputs::begin() {
  all_.begin();
  if (!inputs_.empty()) inputs_.back().listed.begin();
}

void ListedInputs::note(Kind kind, std::string_view ns) {
  all_.note(kind, ns);
  if (inputs_.empty()) return;
  inputs_.back().listed.note(kind, ns);
  Runs& runs = runs_[index_of(kind)];
  const std::size_t input = inputs_.size() - 1;
  if (runs.empty() || runs.back().first != input) runs.emplace_back(input, 0);
  ++runs.back().second;
}

void ListedInputs::end(std::optional<Kind> of, std::string_view ns, const ListPage& page,
                       std::string_view file) {
  all_.end(of, ns, page, file);
  if (!inputs_.empty()) inputs_.back().listed.end(of, ns, page, file);
}

void ListedInputs::miss(Kind kind) {
  all_.miss(kind);
  if (!inputs_.empty()) inputs_.back().listed.miss(kind);
}

void ListedInputs::abandon() {
  all_.abandon();
  if (!inputs_.empty()) inputs_.back().listed.abandon();
}

void ListedInputs::move_last_to_front(Kind kind) {
  Runs& runs = runs_[index_of(kind)];
  if (runs.empty()) return;
  const std::size_t input = runs.back().first;
  if (--runs.back().second == 0) runs.pop_back();
  runs.emplace(runs.begin(), input, 1);
}

std::vector<ReplacedInput> ListedInputs::drop_earlier(model::Cluster& cluster, model::Time present,
                                                      ClusterMarks& marks) {
  if (inputs_.size() < 2) return {};
  return EarlierStates(inputs_, runs_, cluster).drop(present, marks);
}

}  // namespace dsdoctor::decode
