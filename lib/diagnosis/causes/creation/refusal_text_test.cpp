// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/creation/refusal_text.h"

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

struct Sample {
  const char* id;
  const char* text;
  const char* name;
  const char* facts;
};

// Messages of the API server's own plug-ins.
const Sample samples[] = {
    {"create-webhook-denied",
     "admission webhook \"guard.example.com\" denied the request: image must be signed",
     "guard.example.com",
     "admission webhook guard.example.com denied the request: image must be signed"},
    {"create-webhook-denied",
     "admission webhook \"guard.example.com\" denied the request without explanation",
     "guard.example.com",
     "admission webhook guard.example.com denied the request without an explanation"},
    {"create-webhook-unreachable",
     "Internal error occurred: failed calling webhook \"guard.example.com\": failed to call "
     "webhook: Post \"https://guard.security.svc:443/validate?timeout=10s\": context deadline "
     "exceeded",
     "guard.example.com",
     "failed calling webhook guard.example.com: context deadline exceeded (Post "
     "https://guard.security.svc:443/validate?timeout=10s); its failurePolicy is Fail"},
    {"create-policy-denied",
     "pods \"agent-\" is forbidden: ValidatingAdmissionPolicy 'no-host' with binding 'all' denied "
     "request: hostNetwork is off limits",
     "no-host",
     "ValidatingAdmissionPolicy no-host with binding all denied the request: hostNetwork is off "
     "limits"},
    {"create-quota-exceeded",
     "pods \"agent-\" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=100m, used: "
     "pods=10,requests.cpu=1, limited: pods=10,requests.cpu=1",
     "q",
     "exceeded quota q (pods: requested 1, used 10, limit 10; requests.cpu: requested 100m, "
     "used 1, limit 1)"},
    {"create-quota-needs-values",
     "pods \"agent-\" is forbidden: failed quota: q: must specify limits.cpu for: app; "
     "limits.memory for: app",
     "q", "failed quota q: must specify limits.cpu for: app; limits.memory for: app"},
    {"create-quota-uncovered",
     "insufficient quota to match these scopes: [{PriorityClass In [system-node-critical]}]",
     "[{PriorityClass In [system-node-critical]}]",
     "insufficient quota to match the scopes [{PriorityClass In [system-node-critical]}]"},
    {"create-quota-uncovered",
     "pods \"agent-\" is forbidden: insufficient quota to consume: requests.nvidia.com/gpu",
     "requests.nvidia.com/gpu", "insufficient quota to consume requests.nvidia.com/gpu"},
    {"create-podsecurity-denied",
     "pods \"agent-4tg2l\" is forbidden: violates PodSecurity \"baseline:latest\": host namespaces "
     "(hostNetwork=true), privileged (container \"app\" must not set "
     "securityContext.privileged=true)",
     "baseline",
     "violates PodSecurity baseline:latest: host namespaces "
     "(hostNetwork=true), privileged (container \"app\" must not set "
     "securityContext.privileged=true)"},
    {"create-scc-denied",
     "pods \"agent-\" is forbidden: unable to validate against any security context constraint: "
     "[provider \"anyuid\": Forbidden: not usable by user or serviceaccount, provider "
     "restricted-v2: .spec.securityContext.hostNetwork: Invalid value: true: Host network is not "
     "allowed to be used]",
     "",
     "unable to validate against any security context constraint: tried anyuid, restricted-v2; "
     ".spec.securityContext.hostNetwork: Invalid value: true: Host network is not allowed to be "
     "used"},
    {"create-limitrange",
     "pods \"agent-\" is forbidden: [maximum cpu usage per Container is 1, but limit is 2, maximum "
     "memory usage per Container is 1Gi.  No limit is specified]",
     "",
     "LimitRange violated: maximum cpu usage per Container is 1, but limit is 2, "
     "maximum memory usage per Container is 1Gi.  No limit is specified"},
    {"create-limitrange",
     "pods \"agent-\" is forbidden: minimum cpu usage per Pod is 1, but request is 500m", "",
     "LimitRange violated: minimum cpu usage per Pod is 1, but request is 500m"},
    {"create-limitrange",
     "pods \"agent-\" is forbidden: cpu max limit to request ratio per Container is 2, but "
     "provided "
     "ratio is 4.000000",
     "",
     "LimitRange violated: cpu max limit to request ratio per Container is 2, but "
     "provided ratio is 4.000000"},
    {"create-serviceaccount-missing",
     "pods \"agent-\" is forbidden: error looking up service account x/robot: serviceaccount "
     "\"robot\" not found",
     "robot", "serviceaccount x/robot not found"},
    {"create-priorityclass-missing",
     "pods \"agent-\" is forbidden: no PriorityClass with name high was found", "high",
     "PriorityClass high not found"},
    {"create-priorityclass-forbidden",
     "pods \"agent-\" is forbidden: pods with system-node-critical priorityClass is not permitted "
     "in x namespace",
     "system-node-critical", "PriorityClass system-node-critical is not permitted in namespace x"},
    {"create-priority-conflict",
     "pods \"agent-\" is forbidden: the integer value of priority (5) must not be provided in pod "
     "spec; priority admission controller computed 0 from the given PriorityClass name",
     "",
     "the integer value of priority (5) must not be provided in pod spec; priority admission "
     "controller computed 0 from the given PriorityClass name"},
    {"create-priority-conflict",
     "pods \"agent-\" is forbidden: the string value of PreemptionPolicy (Never) must not be "
     "provided in pod spec; priority admission controller computed PreemptLowerPriority",
     "",
     "the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority "
     "admission controller computed PreemptLowerPriority"},
    {"create-runtimeclass-missing",
     "pods \"agent-\" is forbidden: pod rejected: RuntimeClass \"gvisor\" not found", "gvisor",
     "RuntimeClass gvisor not found"},
    {"create-node-selector-conflict",
     "pods \"agent-\" is forbidden: pod node label selector conflicts with its namespace node "
     "label "
     "selector",
     "", "pod node label selector conflicts with its namespace node label selector"},
    {"create-node-selector-conflict",
     "pods \"agent-\" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[pool] = a; "
     "pod.spec.nodeSelector[pool] = b",
     "",
     "conflict: runtimeClass.scheduling.nodeSelector[pool] = a; pod.spec.nodeSelector[pool] = b"},
    {"create-toleration-refused",
     "pods \"agent-\" is forbidden: pod tolerations (possibly merged with namespace default "
     "tolerations) conflict with its namespace whitelist",
     "",
     "pod tolerations (possibly merged with namespace default tolerations) conflict with its "
     "namespace whitelist"},
    {"create-invalid-spec",
     "Pod \"agent-4tg2l\" is invalid: [spec.containers[0].resources.requests: Invalid value: "
     "\"1\": "
     "must be less than or equal to cpu limit of 500m]",
     "",
     "the pod is invalid: spec.containers[0].resources.requests: Invalid value: \"1\": must be "
     "less "
     "than or equal to cpu limit of 500m"},
    {"create-rbac",
     "pods is forbidden: User \"system:serviceaccount:kube-system:daemon-set-controller\" cannot "
     "create resource \"pods\" in API group \"\" in the namespace \"x\"",
     "system:serviceaccount:kube-system:daemon-set-controller",
     "system:serviceaccount:kube-system:daemon-set-controller cannot create resource pods "
     "(forbidden)"},
    {"create-namespace-terminating",
     "pods \"agent-\" is forbidden: unable to create new content in namespace x because it is "
     "being "
     "terminated",
     "", "the namespace is Terminating"},
    {"create-no-labels", "unable to create pods, no labels", "", "the template has no labels"},
    {"create-apiserver-error", "etcdserver: request timed out", "",
     "etcdserver: request timed out"},
    {"create-apiserver-error",
     "Timeout: request did not complete within requested timeout - context deadline exceeded", "",
     "Timeout: request did not complete within requested timeout - context deadline exceeded"},
    {"create-apiserver-error",
     "Post \"https://10.0.0.1:6443/api/v1/namespaces/x/pods\": dial tcp 10.0.0.1:6443: connect: "
     "connection refused",
     "",
     "Post \"https://10.0.0.1:6443/api/v1/namespaces/x/pods\": dial tcp 10.0.0.1:6443: connect: "
     "connection refused"},
    {"create-apiserver-error",
     "the server was unable to return a response in the time allotted, but may still be processing "
     "the request (post pods)",
     "",
     "the server was unable to return a response in the time allotted, but may still be processing "
     "the request (post pods)"},
    {"create-apiserver-error",
     "the server has received too many requests and has asked us to try again later (post pods)",
     "",
     "the server has received too many requests and has asked us to try again later (post pods)"},
    {"create-apiserver-error",
     "Post \"https://10.0.0.1:6443/api/v1/namespaces/x/pods\": dial tcp 10.0.0.1:6443: i/o timeout",
     "",
     "Post \"https://10.0.0.1:6443/api/v1/namespaces/x/pods\": dial tcp 10.0.0.1:6443: i/o "
     "timeout"},
    {"create-apiserver-error",
     "Post \"https://10.0.0.1:6443/api/v1/namespaces/x/pods\": net/http: TLS handshake timeout", "",
     "Post \"https://10.0.0.1:6443/api/v1/namespaces/x/pods\": net/http: TLS handshake timeout"},
    {"create-webhook-unreachable",
     "Internal error occurred: admission plugin \"MutatingAdmissionWebhook\" failed to complete "
     "mutation in 13s",
     "",
     "admission plugin \"MutatingAdmissionWebhook\" failed to complete mutation in 13s: a webhook "
     "does not answer in time"},
    {"create-apiserver-error",
     "Internal error occurred: admission plugin \"image.openshift.io/ImagePolicy\" failed to "
     "complete mutation in 13s",
     "",
     "Internal error occurred: admission plugin \"image.openshift.io/ImagePolicy\" failed to "
     "complete mutation in 13s"},
    {"create-refused", "pods \"agent-\" is forbidden: the moon is full", "", "the moon is full"},
    {"create-refused", "pods \"agent-\" is forbidden: status unknown for quota: q, resources: pods",
     "", "status unknown for quota: q, resources: pods"},
};

}  // namespace

TEST_CASE("every rejection message has its id and facts and name", "[creation]") {
  for (const Sample& sample : samples) {
    for (const char* prefix :
         {"Error creating: ", "",
          "(combined from similar events): Error creating: ", "(combined from similar events): "}) {
      const Refusal refusal = read_refusal(std::string(prefix) + sample.text);
      CAPTURE(prefix, sample.text);
      CHECK(to_string(refusal.id) == sample.id);
      CHECK(refusal.name == sample.name);
      CHECK(text_of(refusal.obstacle) == sample.facts);
    }
  }
}

TEST_CASE("rejections that differ only in names and numbers have the same group", "[creation]") {
  const auto group = [](const char* text) { return read_refusal(text).group; };
  CHECK(group("pods \"agent-abcde\" is forbidden: the moon is 99% full") ==
        group("pods \"agent-x7x2k\" is forbidden: the moon is 100% full"));
  CHECK(group("pods \"a\" is forbidden: object 3f2b1c00-0000-4000-8000-000000000001 is busy") ==
        group("pods \"a\" is forbidden: object 84663799-9b6d-41f1-a622-39ff39258403 is busy"));
  CHECK(group("the moon is full") != group("the sun is full"));
}

TEST_CASE("truncated or empty or hostile messages are parsed", "[creation]") {
  for (const Sample& sample : samples) {
    const std::string_view text = sample.text;
    for (std::size_t end = 0; end <= text.size(); ++end) {
      const Refusal refusal = read_refusal(text.substr(0, end));
      CHECK(entry_of(refusal.id).family == Family::Creation);
      CHECK_FALSE(text_of(refusal.obstacle).empty());
    }
  }
  const std::string huge(1'000'000, '"');
  CHECK(text_of(read_refusal(huge).obstacle).size() < 400);
  CHECK(text_of(read_refusal("exceeded quota: q, requested: =,,=1, used: , limited: ").obstacle) ==
        "exceeded quota q");
}
