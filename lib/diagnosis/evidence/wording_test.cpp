// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/wording.h"

#include <catch2/catch.hpp>

using namespace dsdoctor::diagnosis::wording;

TEST_CASE("the wrappers of an error are removed", "[diagnosis][wording]") {
  CHECK(
      unwrapped("Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup "
                "network for sandbox \"2585\": plugin type=\"aws-cni\" failed (add): add cmd: "
                "failed to assign an IP address to container") ==
      "plugin type=\"aws-cni\" failed (add): add cmd: failed to assign an IP address to container");
  CHECK(unwrapped(
            "Failed to pull image \"r:5/a:1\": rpc error: code = NotFound desc = failed to pull "
            "and unpack image \"r:5/a:1\": failed to resolve reference \"r:5/a:1\": r:5/a:1: not "
            "found") == "r:5/a:1: not found");
  CHECK(unwrapped("Back-off pulling image \"a:1\": ErrImagePull: EOF") == "EOF");
  CHECK(unwrapped("Back-off pulling image \"a:1\"") == "Back-off pulling image \"a:1\"");
  CHECK(unwrapped("MountVolume.SetUp failed for volume \"tls\" : secret \"tls\" not found") ==
        "secret \"tls\" not found");
  CHECK(
      unwrapped("failed to create containerd task: failed to create shim task: OCI runtime create "
                "failed: runc create failed: unable to start container process: exec: \"/a\": exec "
                "format error: unknown") == "exec: \"/a\": exec format error");
  SECTION("a wrapper without its word is not removed") {
    CHECK(unwrapped("rpc error: code = Unknown error, desc = x") ==
          "rpc error: code = Unknown error, desc = x");
    CHECK(unwrapped("failed to pull image the last time: x") ==
          "failed to pull image the last time: x");
    CHECK(unwrapped("runc create failed: ") == "runc create failed: ");
    CHECK(unwrapped("").empty());
  }
}

TEST_CASE("a quotation has one line and a maximum length", "[diagnosis][wording]") {
  CHECK(cut("a\nb\t c \n") == "a b  c");
  CHECK(whole("a\nb\t c \n") == "a b  c");
  const std::string end = "the cause";
  CHECK(cut(std::string(5000, 'x') + end).ends_with("x" + end));
  CHECK(cut(std::string(5000, 'x') + end).size() == 300);
  CHECK(whole(std::string(900, 'x') + end) == std::string(900, 'x') + end);
  CHECK(whole(std::string(5000, 'x') + end).size() == 1024);
}
