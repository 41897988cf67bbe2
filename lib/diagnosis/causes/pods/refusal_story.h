#pragma once

// What a kubelet's rejection, or the end that it brought to a pod, was about.

#include <string>
#include <vector>

#include "diagnosis/causes/pods/kubelet_refusal.h"

namespace dsdoctor::diagnosis {

/// The clauses of the finding's message, its parameters for the group, and more evidence.
struct RefusalStory {
  std::vector<Message> clauses;
  std::string group = {};
  std::vector<Evidence> evidence = {};
  bool is_over = false;                      // nothing keeps the next pod away
  model::OptionalTime ended = std::nullopt;  // of what is over, where it is known
};

/// By the finding's id, with what the cluster shows of it now.
[[nodiscard]] RefusalStory story_of(const NodeCase& c, const KubeletRefusal& refusal, FindingId id);

}  // namespace dsdoctor::diagnosis
