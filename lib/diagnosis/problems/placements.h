// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "base/index_runs.h"

namespace dsdoctor::diagnosis {

/// A DaemonSet on a node.
struct Placement {
  std::uint32_t daemon_set = 0;  // into the reports
  std::uint32_t node = 0;        // into its DaemonSetReport::nodes

  friend auto operator<=>(const Placement&, const Placement&) = default;
};

/// A sorted list of placements without duplicates; runs of consecutive nodes are stored as one
/// entry.
class Placements {
 public:
  /// The placements of one DaemonSet.
  struct Part {
    std::uint32_t daemon_set = 0;
    base::IndexRuns nodes;

    friend bool operator==(const Part&, const Part&) = default;
  };

  class Iterator {
   public:
    using value_type = Placement;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    Iterator() = default;
    Iterator(const std::vector<Part>& parts, std::size_t part) : parts_(&parts), part_(part) {
      enter();
    }

    Placement operator*() const {
      return {(*parts_)[part_].daemon_set, static_cast<std::uint32_t>(*at_)};
    }
    Iterator& operator++() {
      if (++at_ == (*parts_)[part_].nodes.end()) {
        ++part_;
        enter();
      }
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.part_ == b.part_ && a.at_ == b.at_;
    }

   private:
    void enter() {
      at_ = part_ < parts_->size() ? (*parts_)[part_].nodes.begin() : base::IndexRuns::Iterator();
    }

    const std::vector<Part>* parts_ = nullptr;
    std::size_t part_ = 0;
    base::IndexRuns::Iterator at_;
  };

  using value_type = Placement;  // for std::back_inserter

  Placements() = default;
  Placements(std::initializer_list<Placement> placements) {
    for (const Placement placement : placements) push_back(placement);
  }

  /// REQUIRES: `placement` is greater than all others in the list.
  void push_back(Placement placement) {
    if (parts_.empty() || parts_.back().daemon_set != placement.daemon_set) {
      parts_.push_back({placement.daemon_set, {}});
    }
    parts_.back().nodes.push_back(placement.node);
    ++size_;
  }
  /// Sets the index of the DaemonSet. REQUIRES: all placements have the same DaemonSet.
  void renumber(std::uint32_t daemon_set) {
    for (Part& part : parts_) part.daemon_set = daemon_set;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] Placement front() const { return *begin(); }
  [[nodiscard]] Iterator begin() const { return {parts_, 0}; }
  [[nodiscard]] Iterator end() const { return {parts_, parts_.size()}; }
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }

  friend bool operator==(const Placements&, const Placements&) = default;

 private:
  std::vector<Part> parts_;  // sorted by DaemonSet; no part is empty
  std::size_t size_ = 0;
};

}  // namespace dsdoctor::diagnosis
