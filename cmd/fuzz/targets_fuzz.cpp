// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "fuzz/test_fuzz.h"

namespace dsdoctor::fuzz {

void require(bool holds, const std::string& what) {
  if (!holds) throw Broken(what);
}

std::span<const FuzzTarget> targets() {
  static constexpr std::array all = {FuzzTarget{"archive", archive},
                                     FuzzTarget{"command_line", command_line},
                                     FuzzTarget{"exec_credential", exec_credential},
                                     FuzzTarget{"http2_frames", http2_frames},
                                     FuzzTarget{"json_list", json_list, true, 1},
                                     FuzzTarget{"known_taints", known_taints},
                                     FuzzTarget{"kubeconfig", kubeconfig},
                                     FuzzTarget{"manifest", manifest, true},
                                     FuzzTarget{"node_templates", node_templates, true},
                                     FuzzTarget{"page", page},
                                     FuzzTarget{"protobuf_list", protobuf_list},
                                     FuzzTarget{"quantity", quantity},
                                     FuzzTarget{"same_state", same_state, true},
                                     FuzzTarget{"scheduler_message", scheduler_message},
                                     FuzzTarget{"selector", selector},
                                     FuzzTarget{"server_words", server_words},
                                     FuzzTarget{"user_config", user_config},
                                     FuzzTarget{"watch_events", watch_events},
                                     FuzzTarget{"whole", whole, true},
                                     FuzzTarget{"yaml", yaml}};
  return all;
}

const FuzzTarget* target_named(std::string_view name) {
  const auto found = std::ranges::find_if(
      targets(), [&](const FuzzTarget& target) { return std::string_view(target.name) == name; });
  return found == targets().end() ? nullptr : &*found;
}

}  // namespace dsdoctor::fuzz
