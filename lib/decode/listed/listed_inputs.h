// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decode/listed/cluster_marks.h"
#include "decode/listed/listed_kinds.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

/// An input whose state was replaced by a newer one.
struct ReplacedInput {
  std::string older;
  std::string newer;
  model::Time older_time;
  model::Time newer_time;
  std::vector<Kind> kinds;  // objects of these kinds were removed from the older input
};

/// The kinds that were listed in full, by all inputs together and by each of them: two inputs may
/// be states of one cluster at two times.
class ListedInputs {
 public:
  /// Begins an input: the next lists and objects belong to it. Not needed for a single input.
  void begin_input(std::string name);
  /// A time that the collector of the current input noted.
  void note_collected(model::Time time);

  /// As in ListedKinds. `note` is called for each object that is appended to the cluster.
  void begin();
  void note(Kind kind, std::string_view ns);
  void end(std::optional<Kind> of, std::string_view ns, const ListPage& page,
           std::string_view file);
  void miss(Kind kind);
  void abandon();
  /// The last object of the kind becomes the first one.
  void move_last_to_front(Kind kind);

  [[nodiscard]] const ListedKinds& all() const { return all_; }

  /// Removes the objects of earlier states: if two inputs list objects of the same UIDs with
  /// different resourceVersions, or of different content if they have none, the older one's objects
  /// of all kinds and namespaces that both list in full, and its nodes. Lists that share few
  /// objects are parts of one state, and a selection of objects replaces nothing; nor is anything
  /// removed if a time is unknown or contradicts the resourceVersions. Times after `present` are
  /// ignored. Call it at most once, after all objects were read; `cluster` has them in that order.
  [[nodiscard]] std::vector<ReplacedInput> drop_earlier(model::Cluster& cluster,
                                                        model::Time present, ClusterMarks& marks);

 private:
  struct Input {
    std::string name;
    ListedKinds listed = {};
    model::OptionalTime collected = {};
  };
  using Runs = std::vector<std::pair<std::size_t, std::size_t>>;  // input and number of objects
  friend class EarlierStates;

  ListedKinds all_;
  std::vector<Input> inputs_;
  std::array<Runs, kind_count> runs_{};  // objects are in the order of the cluster
};

}  // namespace dsdoctor::decode
