// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/missing_object.h"

#include <catch2/catch.hpp>

namespace dsdoctor::diagnosis {

TEST_CASE("the missing object is read from the kubelet's message", "[startup]") {
  CHECK(missing_object("configmap \"settings\" not found") == "ConfigMap/settings");
  CHECK(missing_object("configmaps \"settings\" not found") == "ConfigMap/settings");
  CHECK(missing_object("MountVolume.SetUp failed for volume \"v\" : secret \"tls\" not found") ==
        "Secret/tls");
  CHECK(missing_object("couldn't find key level in ConfigMap mon/settings") ==
        "ConfigMap/settings");
  CHECK(missing_object("couldn't find key a in Secret mon/token, retrying") == "Secret/token");
  CHECK(missing_object("references non-existent secret key: a").empty());
  CHECK(missing_object("secret \"").empty());
  CHECK(missing_object("").empty());
}

TEST_CASE("only a message about a missing object of the namespace counts as one", "[startup]") {
  for (const char* text :
       {"secret \"tls\" not found", "configmaps \"a\" not found", "Secret \\\"tls\\\" not found",
        "[failed to fetch token: serviceaccounts \"agent\" not found, x]",
        "configmap references non-existent config key: agent.yaml",
        "couldn't find key token in Secret mon/agent-token",
        "SecretProviderClass.secrets-store.csi.x-k8s.io \"azure-kv\" not found"}) {
    CAPTURE(text);
    CHECK(is_missing_object(text));
  }
  for (const char* text :
       {"failed to mount secrets store objects, err: error connecting to provider \"gcp\": "
        "provider "
        "not found: provider \"gcp\"",
        "apparmor profile \"secret\" not found", "failed to sync secret cache: timed out",
        "Failed to fetch secret from all regions: my-secret", "\" not found", ""}) {
    CAPTURE(text);
    CHECK_FALSE(is_missing_object(text));
  }
}

TEST_CASE("a volume's object is its ConfigMap or Secret", "[startup]") {
  model::PodSpec spec;
  spec.volumes.push_back({"config", "configMap", "settings"});
  spec.volumes.push_back({"tls", "secret", "agent-tls"});
  spec.volumes.push_back({"logs", "hostPath", "/var/log"});
  spec.volumes.push_back({"none", "secret", ""});
  CHECK(mounted_object(spec, "config") == "ConfigMap/settings");
  CHECK(mounted_object(spec, "tls") == "Secret/agent-tls");
  CHECK(mounted_object(spec, "logs").empty());
  CHECK(mounted_object(spec, "none").empty());
  CHECK(mounted_object(spec, "other").empty());
}

}  // namespace dsdoctor::diagnosis
