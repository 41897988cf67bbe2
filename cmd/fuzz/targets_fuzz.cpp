#include <algorithm>
#include <array>

#include "fuzz/test_fuzz.h"

namespace dsdoctor::fuzz {

void require(bool holds, const std::string& what) {
  if (!holds) throw Broken(what);
}

std::span<const Target> targets() {
  static constexpr std::array all = {Target{"archive", archive},
                                     Target{"command_line", command_line},
                                     Target{"exec_credential", exec_credential},
                                     Target{"json_list", json_list, true, 1},
                                     Target{"known_taints", known_taints},
                                     Target{"kubeconfig", kubeconfig},
                                     Target{"protobuf_list", protobuf_list},
                                     Target{"quantity", quantity},
                                     Target{"same_state", same_state, true},
                                     Target{"scheduler_message", scheduler_message},
                                     Target{"selector", selector},
                                     Target{"server_words", server_words},
                                     Target{"user_config", user_config},
                                     Target{"whole", whole, true},
                                     Target{"yaml", yaml}};
  return all;
}

const Target* target_named(std::string_view name) {
  const auto found = std::ranges::find_if(
      targets(), [&](const Target& target) { return std::string_view(target.name) == name; });
  return found == targets().end() ? nullptr : &*found;
}

}  // namespace dsdoctor::fuzz
