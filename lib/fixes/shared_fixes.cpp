// SPDX-License-Identifier: Apache-2.0
#include "fixes/shared_fixes.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

namespace dsdoctor::fixes {
namespace {

/// Whether the prediction has nothing that only concerns one DaemonSet.
bool is_plain(const Effect& effect) {
  return effect.lost.empty() && effect.deletes.empty() && effect.evicted.empty() &&
         effect.unconfirmed.empty() && effect.waits_for.empty();
}

bool may_be_shared(const Suggestion& each) {
  return is_plain(each.effect) && !each.on_delete && !each.of_manifest && each.change.imagined == 0;
}

bool may_be_shared(const Alternative& each) { return each.nodes && is_plain(each.effect); }

bool is_same(const Suggestion& a, const Suggestion& b) {
  return a.id == b.id && a.recommended == b.recommended && a.purpose == b.purpose &&
         a.wait == b.wait;
}

bool is_same(const Alternative& a, const Alternative& b) {
  return a.id == b.id && a.nodes->nodes == b.nodes->nodes;
}

const Suggestion*& fix_of(SharedFix& shared, const Suggestion*) { return shared.suggestion; }
const Alternative*& fix_of(SharedFix& shared, const Alternative*) { return shared.alternative; }

void add(PlacementCounts& to, const PlacementCounts& more) {
  to.desired_number_scheduled += more.desired_number_scheduled;
  to.number_misscheduled += more.number_misscheduled;
}

template <typename Fix>
void add(SharedFix& to, std::size_t answer, const Fix& fix) {
  const bool is_first = to.answers.empty();
  to.answers.push_back(answer);
  add(to.effect.before, fix.effect.before);
  add(to.effect.after, fix.effect.after);
  to.effect.replaced += fix.effect.replaced;
  auto& gained = to.effect.gained;
  gained.insert(gained.end(), fix.effect.gained.begin(), fix.effect.gained.end());
  if (is_first) {
    to.restarted_pods = fix.restarted_pods;
  } else if (!fix.restarted_pods) {
    to.restarted_pods.reset();
  } else if (to.restarted_pods) {
    *to.restarted_pods += *fix.restarted_pods;
  }
}

class Collector {
 public:
  template <typename Fix>
  void collect(std::size_t answer, const std::vector<Fix>& fixes) {
    for (const Fix& fix : fixes) {
      if (!may_be_shared(fix)) continue;
      std::vector<std::size_t>& alike = by_id_[fix.id];
      const auto at = std::ranges::find_if(alike, [&](std::size_t i) {
        const Fix* other = fix_of(found_[i], &fix);
        return other != nullptr && is_same(*other, fix);
      });
      const std::size_t index = at == alike.end() ? found_.size() : *at;
      if (at == alike.end()) {
        alike.push_back(index);
        fix_of(found_.emplace_back(), &fix) = &fix;
        members_.emplace_back();
      }
      add(found_[index], answer, fix);
      members_[index].push_back(&fix);
    }
  }

  [[nodiscard]] SharedFixes take() {
    SharedFixes result;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (found_[i].answers.size() < 2) continue;
      result.members.insert(members_[i].begin(), members_[i].end());
      result.fixes.push_back(std::move(found_[i]));
      auto& nodes = result.fixes.back().effect.gained;
      std::ranges::sort(nodes, {}, &model::Text::view);
      nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    }
    std::ranges::stable_sort(result.fixes, {}, [](const SharedFix& each) {
      const bool recommended = each.suggestion != nullptr && each.suggestion->recommended;
      return std::pair(!recommended, -std::ssize(each.answers));
    });
    return result;
  }

 private:
  std::vector<SharedFix> found_;
  std::vector<std::vector<const void*>> members_;  // members_[i]: fixes that found_[i] contains
  std::unordered_map<std::string, std::vector<std::size_t>> by_id_;  // indexes in found_
};

}  // namespace

SharedFixes shared_fixes(const std::vector<FixAnswer>& answers) {
  Collector collector;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    collector.collect(i, answers[i].suggestions);
    collector.collect(i, answers[i].alternatives);
  }
  return collector.take();
}

}  // namespace dsdoctor::fixes
