// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/image_reference.h"

#include <catch2/catch.hpp>

using namespace dsdoctor::diagnosis;

TEST_CASE("image references are compared as a whole", "[diagnosis]") {
  CHECK(is_same_image("nginx", "docker.io/library/nginx:latest"));
  CHECK(is_same_image("nginx", "index.docker.io/library/nginx"));
  CHECK(is_same_image("corp/app:1", "docker.io/corp/app:1"));
  CHECK(is_same_image("docker.io/nginx", "nginx:latest"));
  CHECK(is_same_image("localhost/app", "localhost/app:latest"));
  CHECK(is_same_image("registry:5000/app", "registry:5000/app:latest"));
  CHECK(is_same_image("app@sha256:0a", "docker.io/library/app@sha256:0a"));
  CHECK_FALSE(is_same_image("corp/app", "corp/app-side:1"));
  CHECK_FALSE(is_same_image("corp/app", "corp/app:1"));
  CHECK_FALSE(is_same_image("corp/app:1", "corp/app:10"));
  CHECK_FALSE(is_same_image("corp/app:1", "registry.example/corp/app:1"));
  CHECK_FALSE(is_same_image("app@sha256:0a", "app:latest"));
  CHECK_FALSE(is_same_image("", "nginx"));
  CHECK(is_same_image("", ""));
}

TEST_CASE("the quoted image is found in a text", "[diagnosis]") {
  CHECK(quoted_image("Pulling image \"a/b:1\"") == "a/b:1");
  CHECK(quoted_image("Container image \"x\" already present; image \"y\"") == "x");
  CHECK(quoted_image("image \"cut") == "cut");
  CHECK_FALSE(quoted_image("Error: ErrImagePull"));
  CHECK_FALSE(quoted_image(std::string(5000, ' ') + "image \"x\""));
}

TEST_CASE("references are removed from a text and the words around them stay", "[diagnosis]") {
  CHECK(
      without_references("Failed to pull image \"corp/app:429\": docker.io/corp/app:429: not found",
                         "corp/app:429") == "Failed to pull image \"\":  not found");
  CHECK(without_references("image \"denied\": denied: i/o timeout, x509: bad", "denied") ==
        "image \"\": denied: i/o timeout, x509: bad");
  CHECK(without_references("at sha256:4290 app@sha256:429 10.0.0.1:443: refused", "") ==
        "at    refused");
  CHECK(without_references("", "x").empty());
}
