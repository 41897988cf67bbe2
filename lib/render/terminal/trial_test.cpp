// SPDX-License-Identifier: Apache-2.0
#include "render/terminal/trial.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;

namespace {

/// The dry run of a command line; empty if it has none.
std::string trial(std::string_view line) {
  const auto found = render::trial_of({base::split_words(line)});
  return found ? base::to_string(*found) : "";
}

}  // namespace

TEST_CASE("a command that changes the cluster has a dry run", "[render][trial]") {
  for (const char* line :
       {"kubectl cordon b", "kubectl delete pod web-0 --namespace w",
        "kubectl --namespace x delete pod a --grace-period=0 --force",
        "kubectl -n x rollout undo daemonset/a", "kubectl taint node b gpu-",
        "kubectl label ns x a=b --overwrite", "kubectl -n x create serviceaccount agent",
        "kubectl drain b --ignore-daemonsets", "kubectl uncordon b"}) {
    CHECK(trial(line) == std::string(line) + " --dry-run=server");
  }
}

TEST_CASE("commands that are read-only or interactive or lack the flag have no dry run",
          "[render][trial]") {
  for (const char* line :
       {"kubectl get nodes", "kubectl -n delete describe pod create", "kubectl dsdoctor suggest a",
        "kubectl -n x edit daemonset a", "kubectl -n x rollout restart ds/a",
        "kubectl -n x rollout status daemonset a", "kubectl -n x apply view-last-applied ds/a",
        "docker system prune", ""}) {
    CHECK(trial(line).empty());
  }
}
