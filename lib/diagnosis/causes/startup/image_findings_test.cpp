#include "diagnosis/causes/startup/image_findings.h"

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/test_scene.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

TEST_CASE("a pull failure is classed by the registry's words", "[diagnosis]") {
  struct Case {
    const char* text;
    const char* meaning;
    const char* remedy;
  };
  const Case row = GENERATE(values<Case>({
      {"rpc error: code = NotFound desc = failed to pull: registry.example/agent:1: not found",
       "not found in the registry", "correct the name"},
      {"pull access denied, repository does not exist or may require authorization: 401 "
       "Unauthorized",
       "cannot be pulled: the registry denies access", "pull secret"},
      {"429 Too Many Requests - toomanyrequests: rate limit",
       "cannot be pulled: the registry limits the pull rate", "mirror"},
      {"tls: failed to verify certificate: x509: certificate signed by unknown authority",
       "cannot be pulled: the registry's certificate is not trusted", "CA"},
      {"dial tcp: lookup registry.example: no such host",
       "cannot be pulled: the registry cannot be reached", "open the network path"},
      {"no match for platform in manifest: not found", "is not built for the platform of the node",
       "all platforms"},
      {"write /var/lib: no space left on device", "cannot be pulled: the disk of the node is full",
       "free disk space"},
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
  CHECK(finding.message.find(row.meaning) != std::string::npos);
  CHECK(finding.message.find("at least 4 attempts") != std::string::npos);
  CHECK(remedy(finding).find(row.remedy) != std::string::npos);
  CHECK(std::ranges::count(remedy(finding), '\n') == 1);  // its own line, and the rhythm
  CHECK(finding.group == std::string("registry.example/agent:1|") + row.meaning);
}

TEST_CASE("a pull secret that is named and does not exist is to be created", "[diagnosis]") {
  Scene scene;
  scene.waiting_pod("ImagePullBackOff", "Back-off pulling image \"registry.example/agent:1\"");
  scene.event("agent-00001", "Failed",
              "Failed to pull image \"registry.example/agent:1\": 401 Unauthorized");
  scene.event("agent-00001", "FailedToRetrieveImagePullSecret",
              "Unable to retrieve some image pull secrets (first, second); attempting to pull the "
              "image may not succeed.");
  const Finding finding = scene.one("image-pull");
  CHECK(finding.message.find("; pull secret not found: first, second") != std::string::npos);
  CHECK(remedy(finding).find("imagePullSecrets, in namespace") != std::string::npos);
  CHECK(remedy(finding).find("add a pull secret") == std::string::npos);
}

TEST_CASE("an image's name says nothing of why it cannot be pulled", "[diagnosis]") {
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
  CHECK(scene.one("image-pull").group == "" + image + "|not found in the registry");
}

TEST_CASE("a pull that failed is that of the whole reference", "[diagnosis]") {
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
  CHECK(findings[0].group == "corp/app|not found in the registry");
  CHECK(findings[1].group == "corp/app-side:1|cannot be pulled: the registry denies access");
}

TEST_CASE("a pull that goes on is that of the whole reference", "[diagnosis]") {
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

TEST_CASE("an image on its way is no trouble", "[diagnosis]") {
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
