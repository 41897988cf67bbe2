// SPDX-License-Identifier: Apache-2.0

// Generates many clusters from secret words, and checks that all words in the redacted ones are
// well known or numbers. DSDOCTOR_CLUSTERS is the number of clusters, DSDOCTOR_SEED the first seed.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "base/text.h"
#include "diagnosis/reporter.h"
#include "model/fields.h"
#include "redaction/redact.h"
#include "redaction/test_texts.h"
#include "testing/rounds.h"
#include "testing/troubled_cluster.h"

using namespace dsdoctor;
using redaction::testing::bytes_of;

namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Random names and texts of a dozen words that begin with "zq".
class Texts {
 public:
  explicit Texts(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 12; ++i) words_.push_back(word());
  }

  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }
  template <typename T>
  const T& one_of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

  /// A word, or words with separators; sometimes with a typo.
  std::string name() {
    std::string result = one_of(words_);
    while (result.size() < 30 && below(3) == 0) {
      result += std::string(1, "-."[below(2)]) + one_of(words_);
    }
    if (below(4) == 0) result += fmt::format("-{}", below(20));
    return result;
  }
  std::string slipped(std::string text) {
    if (below(3) != 0) return text;
    const std::size_t at = 2 + below(text.size() - 2);
    switch (below(4)) {
      case 0: text.insert(at, 1, 'k'); break;
      case 1: text[at] = 'j'; break;
      case 2: std::erase(text, '-'); break;
      default: text[at] = base::is_lower(text[at]) ? static_cast<char>(text[at] - 32) : 'x'; break;
    }
    return text.back() == '-' || text.back() == '.' ? text + "z" : text;
  }
  std::string label() {
    const std::string key = slipped(one_of(words_));
    switch (below(5)) {
      case 0: return fmt::format("{}.example/{}", one_of(words_), key);
      case 1: return "topology.kubernetes.io/zone";
      case 2: return one_of(std::vector<std::string>{"disk-type", "disktype", "Disk_Type"});
      case 3: return key + "gpu";
      default: return key;
    }
  }
  std::string value() {
    switch (below(5)) {
      case 0: return std::to_string(below(3));
      case 1: return one_of(std::vector<std::string>{"true", "yes", "ssd", "false"});
      default: return slipped(name());
    }
  }
  std::string sentence() {
    const std::string a = name();
    const std::string b = one_of(words_);
    const std::size_t n = below(250);
    const std::string sentences[] = {
        fmt::format("Failed to pull image \"{}.example:5000/{}/app:{}\": not found", b, a, b),
        fmt::format("dial tcp 10.{}.3.4:443: lookup {}.corp.{} on 10.0.0.{}:53: no such host", n, a,
                    b, n),
        fmt::format("ip-10-20-{}-4.eu-west-1.compute.internal; mac 02:42:ac:11:{:02x}:02", n, n),
        fmt::format("arn:aws:iam::1234567890{:02}:role/{} i-0{}", n % 100, a, b),
        fmt::format(
            "call +49151{0:07} or +49 (151) {0:03}-4567 of project 8765432{0:03}, card 5500 "
            "0000 0000 0{0:03}; POST https://10.20.{0}.4/hook/9{0:06}/x",
            n),
        fmt::format("mount failed: {}.example:/{} access denied by server {}", a, b, b),
        fmt::format("owner {}@{}.example must set {}={}", a, b, b, a),
        fmt::format("User \"system:serviceaccount:{}:{}\" cannot list", a, b),
        fmt::format("Get https://{}.{}.svc:443/{}?timeout=10s: x509", a, b, b),
        fmt::format("secret \"{}\" not found ({}/{}); C:\\{}\\{}", a, b, a, b, a),
        fmt::format("{}-{}_{}.{}", base::upper_case(a), b, a, b)};
    return sentences[below(std::size(sentences))];
  }

 protected:
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::string word() {
    std::string result = "zq";
    for (std::size_t size = 1 + below(6); size > 0; --size) {
      result += static_cast<char>('a' + below(26));
    }
    if (below(4) == 0) result += std::to_string(below(100));
    return result;
  }

  std::mt19937_64 random_;
  std::vector<std::string> words_;
};

/// Makes a cluster with problems in which all objects have names of "zq" words, and labels,
/// messages and images with more of them.
class Maker : private Texts {
 public:
  explicit Maker(std::uint64_t seed)
      : Texts(seed), cluster_(testing::troubled_cluster(seed, {4, 3, 40})) {}

  model::Cluster make() {
    for (model::Node& node : cluster_.nodes) bend(node);
    for (model::DaemonSet& ds : cluster_.daemon_sets) bend(ds);
    for (model::Pod& pod : cluster_.pods) bend(pod);
    for (model::Event& event : cluster_.events) {
      if (event.kind == "DaemonSet") event.name = named(event.name);
      if (event.kind == "Pod") event.name = named(event.name);
      event.ns = event.meta.ns = named(event.ns);
      event.message = event.message.str() + "; " + sentence();
      event.host = named(event.host);
    }
    for (const model::DaemonSet& ds : cluster_.daemon_sets) {
      model::Namespace ns;
      ns.meta.name = ds.meta.ns;
      ns.annotations = {{"openshift.io/node-selector", label() + "=" + value()}};
      const bool known = std::ranges::any_of(
          cluster_.namespaces, [&](const auto& other) { return other.meta.name == ns.meta.name; });
      if (!known) cluster_.namespaces.push_back(std::move(ns));
    }
    model::description::each_list(cluster_, [](auto& list, const auto& /*described*/) {
      std::ranges::sort(list, {}, [](const auto& object) {
        return std::pair(object.meta.ns.view(), object.meta.name.view());
      });
    });
    return std::move(cluster_);
  }

 private:
  /// Returns the same name for the same `old`.
  std::string named(const model::Text& old) {
    if (old.empty()) return {};
    auto at = names_.find(old.str());
    if (at == names_.end()) {
      std::string fresh;
      do fresh = name() + "-" + one_of(words());
      while (!taken_.insert(fresh).second);
      at = names_.emplace(old.str(), fresh).first;
    }
    return at->second;
  }

  void bend(model::Node& node) {
    node.meta.name = named(node.meta.name);
    for (int i = 0; i < 4; ++i) node.meta.labels.set(model::Text(label()), model::Text(value()));
    node.meta.labels.set("kubernetes.io/hostname", node.meta.name);
    if (below(3) == 0) node.taints.push_back({label(), value(), "NoSchedule"});
    for (auto& condition : node.conditions) condition.message = sentence();
    node.provider_id = fmt::format("aws:///{}/{}", name(), name());
    node.kernel_version = "6.1.0-" + one_of(words());
    node.kubelet_version = "v1.30.1-" + one_of(words());
  }
  void bend(model::DaemonSet& ds) {
    ds.meta.ns = named(ds.meta.ns);
    const std::string old = ds.meta.name.str();
    ds.meta.name = named(ds.meta.name);
    ds.selector = model::LabelSelector{{{"app", ds.meta.name}}, {}};
    ds.pod_template.labels = {{"app", ds.meta.name}};
    ds.annotations = {{"meta.helm.sh/release-name", name()}};
    if (below(3) == 0)
      ds.pod_template.node_selector.set(model::Text(label()), model::Text(value()));
    for (std::size_t i = below(3); i > 0; --i) {
      model::Toleration toleration;
      toleration.key = label();
      toleration.op = "Equal";
      toleration.value = value();
      ds.pod_template.tolerations.push_back(toleration);
    }
    model::Container container;
    container.name = name();
    container.image = fmt::format("{}.example/{}:{}", name(), name(), one_of(words()));
    model::PodSpec spec;
    spec.containers.push_back(std::move(container));
    spec.service_account = name();
    ds.pod_template.spec = std::move(spec);
    ds.edits = {{"spec.template.spec.nodeSelector." + one_of(words()), name(), name()}};
  }
  void bend(model::Pod& pod) {
    pod.meta.ns = named(pod.meta.ns);
    if (pod.meta.controller && below(6) == 0) return bend_lost(pod);
    pod.meta.name = named(pod.meta.name);
    if (pod.meta.controller) pod.meta.controller->name = named(pod.meta.controller->name);
    if (!pod.meta.labels.empty() && pod.meta.controller) {
      pod.meta.labels = {{"app", pod.meta.controller->name}};
    }
    bend_rest(pod);
  }
  /// Removes the owner of a pod, which is then known only from the pod's name.
  void bend_lost(model::Pod& pod) {
    const std::string owner = named(pod.meta.controller->name);
    std::string fresh;
    do fresh = fmt::format("{}-zq{:c}{:c}{}", owner, 'a' + below(26), 'a' + below(26), below(10));
    while (!taken_.insert(fresh).second);
    names_.emplace(pod.meta.name.str(), fresh);
    pod.meta.name = fresh;
    pod.meta.labels = {{"app", owner}, {"controller-revision-hash", "zq" + name()}};
    pod.meta.controller.reset();
    bend_rest(pod);
  }
  void bend_rest(model::Pod& pod) {
    pod.node_name = named(pod.node_name);
    if (below(3) == 0) pod.message = sentence();
    for (auto& status : pod.statuses) {
      if (status.waiting) status.waiting->message = sentence();
    }
  }

  model::Cluster cluster_;
  std::map<std::string, std::string> names_;
  std::set<std::string> taken_;
};

/// Makes texts for any field: words, addresses, and formats of programs that contain them.
class AnyText : private Texts {
 public:
  using Texts::below;
  explicit AnyText(std::uint64_t seed) : Texts(seed) {}

  std::string make() {
    const std::string a = name();
    const std::string& b = one_of(words());
    switch (below(12)) {
      case 0: return sentence();
      case 1: return label();
      case 2: return base::upper_case(a);
      case 3: return a + "_" + b + "." + slipped(b);
      case 4: return fmt::format("{}={},!{} in ({}), {}/{}:op", b, a, b, slipped(a), b, b);
      case 5: return fmt::format("https://{}:{}@{}.example/{}?token={}#{}", a, b, b, a, b, a);
      case 6: return fmt::format("{}\r\n\t{}\xc3\xa9 \xe2\x80\xae{}", a, b, b);
      case 7: return fmt::format("10.20.{}.4", below(250));
      case 8: return fmt::format("{{\"{}\": [\"{}\", '{}']}} ${{{}}} <{}>", a, b, a, b, b);
      case 9:
        return fmt::format("{}{}{}", base::upper_case(b.substr(0, 1)), b.substr(1),
                           one_of(words()));
      case 10: return fmt::format("kube-{}-default.{}-system@sha256:{}", b, b, a);
      default: return a;
    }
  }
};

/// Checks that no words of `before` are readable in `after`.
void check_words(const std::string& before, const std::string& after) {
  CHECK(redaction::testing::words_left(before, after) == redaction::testing::WordSet{});
  const std::string bytes = base::lower_case(after);
  for (const std::string_view secret : {"zq", "10-20-", "10.20.", "02:42:ac", "1234567890", "49151",
                                        "(151)", "8765432", "0000 0000", "/900"}) {
    const std::size_t at = bytes.find(secret);
    INFO(bytes.substr(at == bytes.npos ? 0 : at - std::min<std::size_t>(at, 80), 160));
    CHECK(at == bytes.npos);
  }
}

/// The names of the verdicts and findings of each DaemonSet, in any order.
std::multiset<std::multiset<std::string>> judged(const model::Cluster& cluster) {
  diagnosis::ReportOptions options;
  options.now = testing::troubled_now();
  const diagnosis::Reporter reporter(cluster, options);
  std::multiset<std::multiset<std::string>> result;
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    const auto report = reporter.report(ds);
    std::multiset<std::string> lines;
    for (const auto& finding : report.findings) {
      lines.insert(fmt::format("{} {}", finding.name(), to_string(finding.severity)));
    }
    for (const auto& node : report.nodes) {
      std::string line{to_string(node.verdict())};
      for (const auto& reason : node.reasons()) line += fmt::format(" {}", reason.index());
      std::multiset<std::string> findings;
      for (const auto& finding : node.findings()) findings.insert(std::string(finding.name()));
      lines.insert(fmt::format("{} {}", line, fmt::join(findings, " ")));
    }
    result.insert(std::move(lines));
  }
  return result;
}

}  // namespace

TEST_CASE("redacted clusters have the same findings and no secret words",
          "[redaction][generated]") {
  const std::uint64_t first = number_of("DSDOCTOR_SEED", 1);
  const std::uint64_t count = number_of("DSDOCTOR_CLUSTERS", testing::rounds(300));
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    const model::Cluster cluster = Maker(seed).make();
    const model::Cluster after = redaction::redact({cluster, {}, {}, {}}).cluster;
    REQUIRE(bytes_of(cluster).find("zq") != std::string::npos);
    check_words(bytes_of(cluster), bytes_of(after));
    CHECK(judged(after) == judged(cluster));
  }
}

TEST_CASE("secret words are removed from any text in any field", "[redaction][generated]") {
  const std::uint64_t first = number_of("DSDOCTOR_SEED", 1);
  const std::uint64_t count = number_of("DSDOCTOR_CLUSTERS", testing::rounds(300));
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    AnyText text(seed);
    model::Cluster cluster;
    model::description::each_list(
        cluster, [&](auto& list, const auto& /*described*/) { list.resize(1 + text.below(2)); });
    redaction::testing::Filler filler([&](const std::string& /*path*/) { return text.make(); });
    filler.fill(cluster, "");
    const model::Cluster after = redaction::redact({cluster, {}, {}, {}}).cluster;
    check_words(bytes_of(cluster), bytes_of(after));
  }
}
