// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/image_findings.h"

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/startup/pull_failure.h"
#include "diagnosis/test_scene.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

std::string group_of(std::string_view image, PullFailure failure) {
  return fmt::format("{}|{}", image, static_cast<int>(failure));
}

}  // namespace

TEST_CASE("a pull failure is classified by the registry's message", "[diagnosis]") {
  struct Case {
    const char* text;
    const char* meaning;
    const char* fix;
  };
  const Case row = GENERATE(values<Case>({
      {"rpc error: code = NotFound desc = failed to pull: registry.example/agent:1: not found",
       "not found in the registry", "correct the name"},
      {"no basic auth credentials", "cannot be pulled: the registry denies access", "pull secret"},
      {"unexpected status: 403 Forbidden", "cannot be pulled: the registry denies access",
       "pull secret"},
      {"429 Too Many Requests - toomanyrequests: rate limit",
       "cannot be pulled: the registry limits the pull rate", "mirror"},
      {"tls: failed to verify certificate: x509: certificate signed by unknown authority",
       "cannot be pulled: the registry's certificate is not trusted", "CA"},
      {"x509: certificate has expired or is not yet valid: current time x is after y",
       "cannot be pulled: the registry's certificate has expired or is not yet valid",
       "renew the certificate"},
      {"x509: certificate is valid for ingress.local, not registry.example",
       "cannot be pulled: the registry's certificate is for another name", "use a name"},
      {"http: server gave HTTP response to HTTPS client",
       "cannot be pulled: the registry answers without TLS", "plain HTTP"},
      {"unexpected status from HEAD request to https://registry.example/v2/: 502 Bad Gateway",
       "cannot be pulled: the registry fails", "check the registry"},
      {"Requesting bearer token: invalid status code from registry 403 (Forbidden)",
       "cannot be pulled: the registry denies access", "pull secret"},
      {"pinging container registry x: invalid status code from registry 502 (Bad Gateway)",
       "cannot be pulled: the registry fails", "check the registry"},
      {"pinging container registry x: too many requests to registry",
       "cannot be pulled: the registry limits the pull rate", "mirror"},
      {"dial tcp: lookup registry.example: no such host",
       "cannot be pulled: the registry cannot be reached", "open the network path"},
      {"dial tcp: lookup registry.example on 10.96.0.10:53: server misbehaving",
       "cannot be pulled: the registry cannot be reached", "open the network path"},
      {"net/http: request canceled (Client.Timeout exceeded while awaiting headers)",
       "cannot be pulled: the registry cannot be reached", "open the network path"},
      {"Head \"https://registry.example/v2/agent/manifests/1\": EOF",
       "cannot be pulled: the registry cannot be reached", "open the network path"},
      {"proxyconnect tcp: dial tcp 10.1.1.1:3128: connect: no route to host",
       "cannot be pulled: the registry cannot be reached", "open the network path"},
      {"rpc error: code = DeadlineExceeded desc = context deadline exceeded",
       "cannot be pulled: it takes too long", "open the network path"},
      {"no match for platform in manifest: not found", "is not built for the platform of the node",
       "all platforms"},
      {"choosing image instance: no image found in image index for architecture \"arm64\", variant "
       "\"v8\", OS \"linux\"",
       "is not built for the platform of the node", "all platforms"},
      {"Error choosing image instance: no image found in manifest list for architecture arm64",
       "is not built for the platform of the node", "all platforms"},
      {"a Windows version 10.0.20348-based image is incompatible with a 10.0.17763 host",
       "is not built for the platform of the node", "all platforms"},
      {"write /var/lib: no space left on device", "cannot be pulled: the disk of the node is full",
       "free disk space"},
      {"failed to extract layer sha256:ab12: failed to get reader from content store: content "
       "digest sha256:cd34: not found",
       "cannot be pulled: the image store of the node fails", "remove the image from node n1"},
      {"failed to prepare extraction snapshot \"extract-1 sha256:ab\": parent snapshot sha256:ef56 "
       "does not exist: not found",
       "cannot be pulled: the image store of the node fails", "remove the image from node n1"},
      {"failed to extract layer sha256:ab12: mount callback failed on /var/lib/containerd/m1: "
       "mkdir "
       "/var/lib/containerd/m1/usr: permission denied",
       "cannot be pulled: the image store of the node fails", "remove the image from node n1"},
      {"failed to extract layer sha256:ab: archive/tar: invalid tar header: unexpected EOF",
       "cannot be pulled: the image store of the node fails", "remove the image from node n1"},
      {"open /var/lib/containerd/ingest/1: permission denied",
       "cannot be pulled: the image store of the node fails", "remove the image from node n1"},
      {"open '/var/lib/containerd/ingest/1': permission denied",
       "cannot be pulled: the image store of the node fails", "remove the image from node n1"},
      {"failed to extract layer sha256:ab: write /var/lib: no space left on device",
       "cannot be pulled: the disk of the node is full", "free disk space"},
      {"denied: Permission denied for \"1\" from request \"/v2/p/agent/manifests/1\"",
       "cannot be pulled: the registry denies access", "pull secret"},
      {"failed to unpack image on snapshotter overlayfs: unexpected media type text/html for "
       "sha256:aa: not found",
       "cannot be pulled: a web page comes instead of it", "correct the address of the registry"},
      {"unexpected media type application/vnd.x for sha256:aa: not found", "cannot be pulled",
       "check the logs of the registry"},
      {"failed to copy: httpReadSeeker: failed open: failed to do request: Get "
       "\"https://registry.example/v2/agent/blobs/sha256:aa\": dial tcp 10.1.1.1:443: connect: "
       "permission denied",
       "cannot be pulled: the registry cannot be reached", "open the network path"},
      {"failed to do request: Head \"https://registry.example/v2/\": Proxy Authentication Required",
       "cannot be pulled: the proxy asks for a login", "user and password for the proxy"},
      {"tls: failed to verify certificate: x509: certificate relies on legacy Common Name field, "
       "use SANs instead",
       "cannot be pulled: the registry's certificate has no subject alternative name",
       "renew the certificate with the name"},
      {"connection error: desc = \"transport: Error while dialing: dial unix "
       "/run/containerd/containerd.sock: connect: connection refused\"",
       "cannot be pulled: the container runtime of the node does not answer",
       "check the load and the container runtime of node n1"},
      {"dial tcp: lookup registry.example: Try again",
       "cannot be pulled: the registry cannot be reached", "open the network path"},
      {"failed to copy: httpReadSeeker: failed open: could not fetch content descriptor sha256:8f "
       "(application/vnd.docker.container.image.v1+json) from remote: not found",
       "cannot be pulled: a part of it is not in the registry", "build the image again and push"},
      {"not implemented: media type \"application/vnd.docker.distribution.manifest.v1+prettyjws\" "
       "is no longer supported since containerd v2.1, please rebuild the image as \"x\"",
       "cannot be pulled: the runtime of the node no longer supports its format",
       "build the image"},
      {"Source image rejected: A signature was required, but no signature exists",
       "cannot be pulled: the signature policy of the node rejects it", "sign the image"},
      {"short-name \"agent:1\" did not resolve to an alias and no unqualified-search registries "
       "are "
       "defined in \"/etc/containers/registries.conf\"",
       "cannot be pulled: its name has no registry", "name the registry"},
      {"pull QPS exceeded", "cannot be pulled yet: the kubelet limits the rate of pulls",
       "raise registryPullQPS"},
      {"something new", "cannot be pulled", "check the logs of the registry"},
  }));
  CAPTURE(row.text);
  Scene scene;
  scene.waiting_pod("ImagePullBackOff", "Back-off pulling image \"registry.example/agent:1\"");
  scene
      .event("agent-00001", "Failed",
             std::string("Failed to pull image \"registry.example/agent:1\": ") + row.text)
      .count = 4;
  scene.event("agent-00001", "Failed", "Error: ImagePullBackOff", 10);
  const Finding finding = scene.one("image-pull");
  CHECK(text_of(finding.message).find(row.meaning) != std::string::npos);
  CHECK(text_of(finding.message).find("at least 4 attempts") != std::string::npos);
  CHECK(fix_of(finding).find(row.fix) != std::string::npos);
  CHECK(std::ranges::count(fix_of(finding), '\n') == 1);  // a line for the command
  const std::string image = finding.root == "Node" ? "" : "registry.example/agent:1|";
  CHECK(finding.group.starts_with(image));
}

TEST_CASE("a pull limited by the kubelet resolves without action at first", "[diagnosis]") {
  Scene scene;
  scene.waiting_pod("ErrImagePull", "pull QPS exceeded");
  CHECK(scene.one("image-pull").severity == Severity::Error);
  CHECK(scene.one("image-pull").root == "Node");
  scene.now = at(200);
  CHECK(scene.one("image-pull").severity == Severity::Info);
  CHECK(scene.one("image-pull").transient);
}

TEST_CASE("the image of a volume is reported if the message names it", "[diagnosis]") {
  Scene scene;
  scene.waiting_pod("ImagePullBackOff",
                    "Back-off pulling image \"registry.example/model:1\": ErrImagePull: not found");
  const Finding finding = scene.one("image-pull");
  CHECK(text_of(finding.message)
            .starts_with("ImagePullBackOff: image registry.example/model:1 not found"));
  CHECK(finding.root == "Image/registry.example/model:1");
}

TEST_CASE("with OnDelete a pod keeps its outdated template until it is deleted", "[diagnosis]") {
  Scene scene;
  scene.ds().update_strategy = "OnDelete";
  scene.add_revision("new", 2, 7);
  scene.ds().template_fingerprint = 7;
  const char* deletion = "delete the pod; the template has another";
  const bool is_old = GENERATE(true, false);  // else a webhook or a LimitRange makes the difference
  const auto of_revision = [&](model::Pod& pod) {
    if (is_old) pod.meta.labels.set("controller-revision-hash", "old");
  };
  SECTION("an image") {
    of_revision(scene.waiting_pod("ImagePullBackOff", "not found"));
    scene.ds().pod_template.spec.containers[0].image = "registry.example/agent:2";
    CHECK(fix_of(scene.one("image-pull")).starts_with(deletion) == is_old);
    scene.ds().update_strategy = "RollingUpdate";
    CHECK(fix_of(scene.one("image-pull")).starts_with("correct the name or the tag"));
    scene.ds().update_strategy = "OnDelete";
    scene.ds().pod_template.spec.containers[0].image = "registry.example/agent:1";
    CHECK(fix_of(scene.one("image-pull")).starts_with("correct the name or the tag"));
  }
  SECTION("a limit") {
    of_revision(scene.crashing_pod(137, "OOMKilled"));
    scene.ds().pod_template.spec.containers[0].limits = {{"memory", "1Gi"}};
    CHECK(fix_of(scene.one("container-oom")).starts_with(deletion) == is_old);
    scene.ds().update_strategy = "RollingUpdate";
    CHECK(fix_of(scene.one("container-oom")).starts_with("set requests and limits"));
  }
}

TEST_CASE("an image that cannot be inspected is not reported as a failed pull", "[diagnosis]") {
  struct Case {
    const char* text;
    const char* meaning;
    const char* root;
  };
  const Case row = GENERATE(values<Case>({
      {"rpc error: code = DeadlineExceeded desc = context deadline exceeded",
       ": the container runtime of the node does not answer", "Node"},
      {"rpc error: code = Unknown desc = permission denied", "", "Image/registry.example/agent:1"},
  }));
  Scene scene;
  scene.waiting_pod(
      "ImageInspectError",
      std::string("Failed to inspect image \"registry.example/agent:1\": ") + row.text);
  const Finding finding = scene.one("image-pull");
  CHECK(
      text_of(finding.message)
          .starts_with(
              std::string("ImageInspectError: image registry.example/agent:1 cannot be inspected") +
              row.meaning + " ("));
  CHECK(finding.root == row.root);
}

TEST_CASE("a registry can deny access without saying whether the image exists", "[diagnosis]") {
  Scene scene;
  scene.waiting_pod("ImagePullBackOff", "Back-off pulling image \"registry.example/agent:1\"");
  scene.event(
      "agent-00001", "Failed",
      "Failed to pull image \"registry.example/agent:1\": pull access denied, repository does "
      "not exist or may require authorization: server message: insufficient_scope");
  const Finding finding = scene.one("image-pull");
  CHECK(finding.group == group_of("registry.example/agent:1", PullFailure::Denied));
  REQUIRE(finding.fix.size() == 3);
  CHECK(finding.fix[0].condition == "the name is wrong");
  CHECK(finding.fix[1].condition == "the repository is private");
}

TEST_CASE("without an event the message comes from the container status", "[diagnosis]") {
  Scene scene;
  model::Pod& pod = scene.waiting_pod(
      "ImagePullBackOff",
      "Back-off pulling image \"registry.example/agent:1\": ErrImagePull: failed to resolve "
      "reference "
      "\"registry.example/agent:1\": http: server gave HTTP response to HTTPS client");
  const std::string image = "ImagePullBackOff: image registry.example/agent:1 cannot be pulled";
  CHECK(text_of(scene.one("image-pull").message) ==
        image +
            ": the registry answers without TLS (http: server gave HTTP response to HTTPS client)");
  pod.statuses[0].waiting = model::WaitingState{
      "ImagePullBackOff", "Back-off pulling image \"registry.example/agent:1\""};
  CHECK(text_of(scene.one("image-pull").message) == image);
}

TEST_CASE("the fix for a missing pull secret is to create it", "[diagnosis]") {
  Scene scene;
  scene.waiting_pod("ImagePullBackOff", "Back-off pulling image \"registry.example/agent:1\"");
  scene.event("agent-00001", "Failed",
              "Failed to pull image \"registry.example/agent:1\": 401 Unauthorized");
  scene.event("agent-00001", "FailedToRetrieveImagePullSecret",
              "Unable to retrieve some image pull secrets (first, second); attempting to pull the "
              "image may not succeed.");
  const Finding finding = scene.one("image-pull");
  CHECK(text_of(finding.message).find("; pull secret not found: first, second") !=
        std::string::npos);
  CHECK(fix_of(finding).find("imagePullSecrets, in namespace") != std::string::npos);
  CHECK(fix_of(finding).find("add a pull secret") == std::string::npos);
}

TEST_CASE("words in an image name do not affect the cause of a pull failure", "[diagnosis]") {
  const std::string image = GENERATE("corp/app:20240429", "corp/denied:1", "no-such-host/x509:429");
  CAPTURE(image);
  Scene scene;
  scene.ds().pod_template.spec.containers[0].image = image;
  scene.waiting_pod("ImagePullBackOff", "Back-off pulling image \"" + image + "\"");
  scene.event("agent-00001", "Failed",
              "Failed to pull image \"" + image +
                  "\": rpc error: code = NotFound desc = failed to resolve reference "
                  "\"docker.io/" +
                  image + "\": docker.io/" + image + ": not found");
  CHECK(scene.one("image-pull").group == group_of(image, PullFailure::NotFound));
}

TEST_CASE("a failed pull is matched by the whole image reference", "[diagnosis]") {
  Scene scene;
  scene.ds().pod_template.spec.containers = {Scene::container("main"), Scene::container("side")};
  scene.ds().pod_template.spec.containers[0].image = "corp/app";
  scene.ds().pod_template.spec.containers[1].image = "corp/app-side:1";
  model::Pod& pod = scene.waiting_pod("ImagePullBackOff", "Back-off");
  pod.statuses = {pod.statuses[0], pod.statuses[0]};
  pod.statuses[1].name = "side";
  scene.event("agent-00001", "Failed",
              "Failed to pull image \"docker.io/corp/app:latest\": manifest unknown", 300);
  scene.event("agent-00001", "Failed",
              "Failed to pull image \"corp/app-side:1\": unauthorized: authentication required");
  const auto findings = scene.found();
  REQUIRE(Scene::ids_of(findings) == "image-pull image-pull");
  CHECK(findings[0].group == group_of("corp/app", PullFailure::NotFound));
  CHECK(findings[1].group == group_of("corp/app-side:1", PullFailure::Denied));
}

TEST_CASE("a running pull is matched by the whole image reference", "[diagnosis]") {
  Scene scene;
  scene.ds().pod_template.spec.containers[0].image = "corp/app";
  scene.waiting_pod("ContainerCreating");
  scene.event("agent-00001", "Pulling", "Pulling image \"corp/app-side:1\"");
  CHECK(scene.ids() == "creating-slow");
  scene.event("agent-00001", "Pulling", "Pulling image \"corp/app:latest\"").field_path =
      "spec.containers{other}";
  CHECK(scene.ids() == "creating-slow");
  scene.cluster.events.back().field_path = "spec.containers{main}";
  CHECK(scene.ids() == "image-pulling");
}

TEST_CASE("a pull in progress resolves without action", "[diagnosis]") {
  Scene scene;
  scene.waiting_pod("ContainerCreating");
  scene.event("agent-00001", "Pulling", "Pulling image \"registry.example/agent:1\"", 400);
  CHECK(scene.one("image-pulling").severity == Severity::Warning);
  CHECK_FALSE(scene.one("image-pulling").transient);  // it takes too long
  scene.cluster.events.back().last = scene.now - std::chrono::seconds(200);
  CHECK(scene.one("image-pulling").transient);
  scene.cluster.events.back().last = scene.now - std::chrono::seconds(400);
  scene.event("agent-00001", "Pulled", "Successfully pulled image \"registry.example/agent:1\"",
              300);
  CHECK(scene.ids() == "creating-slow");
}
