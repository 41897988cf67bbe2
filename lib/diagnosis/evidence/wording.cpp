// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dsdoctor::diagnosis::wording {
namespace {

constexpr std::size_t longest_quote = 300;      // bytes
constexpr std::size_t longest_evidence = 1024;  // the API server's limit for an event's message
constexpr std::size_t searched = 4096;

std::string one_line(std::string_view text, std::size_t limit) {
  std::string result = base::without_middle(base::trimmed(text), limit);
  std::ranges::replace_if(
      result, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return result;
}

/// Text that kubelets and runtimes put before an error. If `end` is not empty, a single word
/// precedes it.
struct Wrapper {
  std::string_view begin;
  std::string_view end;
};

constexpr std::array wrappers = {
    Wrapper{"(combined from similar events): ", ""},
    Wrapper{"rpc error: code = ", " desc = "},
    Wrapper{"Failed to create pod sandbox: ", ""},
    Wrapper{"Failed create pod sandbox: ", ""},
    Wrapper{"failed to setup network for sandbox ", ": "},
    Wrapper{"Back-off pulling image ", ": ErrImagePull: "},
    Wrapper{"Failed to pull image ", ": "},
    Wrapper{"failed to pull image ", ": "},
    Wrapper{"failed to pull and unpack image ", ": "},
    Wrapper{"failed to resolve reference ", ": "},
    Wrapper{"MountVolume.SetUp failed for volume ", " : "},
    Wrapper{"MountVolume.MountDevice failed for volume ", " : "},
    Wrapper{"MountVolume.NewMounter initialization failed for volume ", " : "},
    Wrapper{"MapVolume.MapPodDevice failed for volume ", " : "},
    Wrapper{"AttachVolume.Attach failed for volume ", " : "},
    Wrapper{"failed to generate container ", " spec: "},
    Wrapper{"failed to generate spec: ", ""},
    Wrapper{"failed to apply OCI options: ", ""},
    Wrapper{"failed to create containerd container: ", ""},
    Wrapper{"failed to create containerd task: ", ""},
    Wrapper{"failed to create shim task: ", ""},
    Wrapper{"container create failed: ", ""},
    Wrapper{"OCI runtime create failed: ", ""},
    Wrapper{"runc create failed: ", ""},
    Wrapper{"unable to start container process: ", ""},
    Wrapper{"error during container init: ", ""},
};

void drop(std::string& text, const Wrapper& wrapper) {
  for (std::size_t at = 0; (at = text.find(wrapper.begin, at)) != text.npos;) {
    const std::size_t word = at + wrapper.begin.size();
    const std::size_t end = text.find(wrapper.end, word);
    if (text.find(' ', word) < end || end == text.npos) {
      at = word;
    } else {
      text.erase(at, end + wrapper.end.size() - at);
    }
  }
}

}  // namespace

std::string cut(std::string_view text) { return one_line(text, longest_quote); }

std::string whole(std::string_view text) { return one_line(text, longest_evidence); }

std::string unwrapped(std::string_view text) {
  constexpr std::string_view no_code = ": unknown";  // end of a shim's error
  std::string result(text.substr(0, searched));
  for (const Wrapper& wrapper : wrappers) drop(result, wrapper);
  if (result.ends_with(no_code)) result.resize(result.size() - no_code.size());
  return result.empty() ? std::string(text) : result;
}

std::string taint(const model::Taint& taint) {
  return fmt::format("{}{}{}:{}", taint.key.view(), taint.value.empty() ? "" : "=",
                     taint.value.view(), taint.effect.view());
}

}  // namespace dsdoctor::diagnosis::wording
