#include "line/flags.h"

#include <type_traits>

#include "line/help.h"

namespace dsdoctor::cmd {
namespace {

template <typename T>
CLI::Option* add_value(CLI::App& app, const std::string& names, T& target,
                       const std::string& description) {
  CLI::Option* option = app.add_option(names, target, description);
  if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return option->allow_extra_args(false);
  } else {
    return option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->capture_default_str();
  }
}

CLI::Option* add_switch(CLI::App& app, const std::string& names, bool& target,
                        const std::string& description) {
  return app.add_flag(names, target, description)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void add_connection_flags(CLI::App& app, SourceOptions& source) {
  kube::ConfigFlags& flags = source.connection;
  const auto value = [&](const std::string& names, std::string& target, const std::string& what) {
    add_value(app, names, target, what)->group(connection_group);
  };
  value("--kubeconfig", flags.kubeconfig, "Path to the kubeconfig file to use.");
  value("--kuberc", flags.kuberc,
        "Path to the kuberc file, whose credential plugin policy is kept to.");
  value("--context", flags.context, "The name of the kubeconfig context to use.");
  value("--cluster", flags.cluster, "The name of the kubeconfig cluster to use.");
  value("--user", flags.user, "The name of the kubeconfig user to use.");
  value("-s,--server", flags.server, "The address and port of the Kubernetes API server.");
  value("--tls-server-name", flags.tls_server_name,
        "Server name to use for server certificate validation.");
  value("--certificate-authority", flags.certificate_authority,
        "Path to a cert file for the certificate authority.");
  value("--client-certificate", flags.client_certificate,
        "Path to a client certificate file for TLS.");
  value("--client-key", flags.client_key, "Path to a client key file for TLS.");
  value("--token", flags.token, "Bearer token for authentication to the API server.");
  value("--as", flags.as, "Username to impersonate for the requests.");
  value("--as-uid", flags.as_uid, "UID to impersonate for the requests.");
  value("--request-timeout", flags.request_timeout,
        "How long to wait for one answer: 0 (no limit), seconds, or a duration like 1m30s.");
  app.get_option("--request-timeout")->default_str("0");
  value("--cache-dir", source.cache_dir, "Accepted as in kubectl; nothing is cached.");
  add_value(app, "--as-group", flags.as_groups,
            "Group to impersonate for the requests; may be repeated.")
      ->group(connection_group);
  add_value(app, "--as-user-extra", flags.as_user_extra,
            "User extra to impersonate for the requests, key=value; may be repeated.")
      ->group(connection_group);
  add_switch(app, "--insecure-skip-tls-verify", flags.insecure_skip_tls_verify,
             "Do not check the server's certificate. This makes your connection insecure.")
      ->group(connection_group);
  add_switch(app, "--disable-compression", flags.disable_compression,
             "Do not ask for compressed answers.")
      ->group(connection_group);
  add_value(app, "-v,--v", source.verbosity,
            "Level of detail, on stderr: 4 says what was chosen, 6 shows each request, 7 to 10 its "
            "headers and bodies too, without credentials.")
      ->group(connection_group);
  add_value(app, "--chunk-size", source.chunk_size,
            "Read large lists in pages of this many objects; 0 to read them whole.")
      ->group(connection_group);
}

/// What is read, and of which DaemonSets.
void add_input_flags(CLI::App& app, Raw& raw) {
  AnswerOptions& answer = raw.answer;
  add_connection_flags(app, answer.source);
  add_value(app, "-n,--namespace", answer.source.connection.ns,
            "The namespace of the DaemonSets; of files: all when not given.");
  add_switch(app, "-A,--all-namespaces", answer.all_namespaces,
             "Look at all namespaces; -n is ignored.");
  add_value(app, "-l,--selector", answer.selector,
            "Label selector over DaemonSets, as in kubectl (-l key1=value1,key2=value2).");
  add_value(
      app, "-f,--filename", answer.source.files,
      "Read this file, folder or tar archive instead of a cluster: JSON or YAML as kubectl get "
      "-o json prints it, a snapshot of ours, a cluster-info dump, must-gather or support bundle; "
      "gzip, zstd and xz are unpacked; - is standard input. May be repeated.");
  add_switch(app, "--demo", answer.source.demo, "Read an embedded cluster: to see how it works.");
}

void add_answer_flags(CLI::App& app, Raw& raw) {
  add_input_flags(app, raw);
  AnswerOptions& answer = raw.answer;
  add_value(app, "--node", answer.nodes, "Only this node; may be repeated.");
  add_value(app, "--node-selector", answer.node_selector,
            "Only the nodes with these labels (--node-selector key=value).");
  add_value(app, "--feature-gates", answer.feature_gates,
            "Gates of the controller manager, which a client cannot read: "
            "TaintTolerationComparisonOperators=true|false.");
  add_value(app, "--taints-file", answer.taints_files,
            "What your own taints mean, YAML or JSON in the format of known_taints.yaml; wins over "
            "what is known anyway. May be repeated.");
  add_value(app, "-o,--output", raw.output, "");  // described with the command's formats
  add_value(app, "--color", answer.color, "Color: auto, always or never.");
  add_switch(app, "--ignore-not-found", answer.ignore_not_found,
             "A DaemonSet that does not exist is no error.");
  add_switch(app, "--all-nodes", answer.all_nodes, "List every node instead of groups of nodes.");
}

/// What is to be taken as different.
void add_what_if_flags(CLI::App& app, Raw& raw) {
  WhatIfOptions& flags = raw.answer.what_if;
  const auto add = [&](const std::string& name, std::vector<std::string>& target,
                       const std::string& description) {
    add_value(app, name, target, "What if: " + description);
  };
  add("--tolerate", flags.tolerate, "the DaemonSets tolerated KEY[=VALUE][:EFFECT], too.");
  add("--taint", flags.taint,
      "NODE=KEY[=VALUE]:EFFECT were put on; NODE is a name, a glob with *, or @label-selector.");
  add("--untaint", flags.untaint, "NODE=KEY[:EFFECT] were taken off.");
  add("--label", flags.label, "NODE=KEY=VALUE were set.");
  add("--unlabel", flags.unlabel, "NODE=KEY were taken off.");
  add("--cordon", flags.cordon, "NODE were cordoned.");
  add("--add-node", flags.add_node, "the nodes of this manifest were there: what lands on them.");
  add("--manifest", flags.manifest,
      "the DaemonSets of this manifest were applied; without a NAME they are what is asked about.");
}

}  // namespace

void add_explain_flags(CLI::App& app, Raw& raw) {
  add_answer_flags(app, raw);
  add_what_if_flags(app, raw);
  add_switch(
      app, "--exit-code", raw.answer.exit_code,
      "Exit with 1 when something is wrong, with 2 when it cannot tell; else 0 whenever there "
      "is an answer.");
  add_switch(
      app, "--timeline", raw.answer.timeline,
      "Also what happened when: to the DaemonSet, and to the first node of each wrong group.");
}

void add_suggest_flags(CLI::App& app, Raw& raw) {
  add_answer_flags(app, raw);
  add_what_if_flags(app, raw);
  add_value(app, "--for", raw.target,
            "One cure for these nodes: misscheduled, missing, node/NAME, pool=NAME or all. "
            "Without it, every obstacle has a cure of its own.");
  add_value(app, "--id", raw.id, "Only this cure; -o json lists the ids.");
  add_value(app, "--shell", raw.shell,
            "Quote commands for this shell: bash, zsh, fish, powershell or cmd.");
  add_switch(app, "--exit-code", raw.answer.exit_code,
             "Exit with 1 when a cure is recommended; else 0 whenever there is an answer.");
}

void add_check_flags(CLI::App& app, Raw& raw) {
  add_answer_flags(app, raw);
  add_what_if_flags(app, raw);
  add_value(app, "--alert", raw.alert,
            "Only what makes this alert fire, and whether it clears by itself: "
            "KubeDaemonSetNotScheduled, KubeDaemonSetMisScheduled or KubeDaemonSetRolloutStuck; "
            "the end of the name, or the line of a notification, will do.");
}

void add_findings_flags(CLI::App& app, Raw& raw) {
  add_value(app, "-o,--output", raw.output, "");
  add_value(app, "--color", raw.answer.color, "Color: auto, always or never.");
}

void add_version_flags(CLI::App& app, Raw& raw) {
  add_value(app, "-o,--output", raw.output, "");
  add_switch(app, "--client", raw.client_only,
             "Accepted as in kubectl; only the client's version is ever printed.");
}

void add_diff_nodes_flags(CLI::App& app, Raw& raw) {
  add_answer_flags(app, raw);
  add_what_if_flags(app, raw);
  add_value(app, "--since", raw.since,
            "What changed on the nodes since this file was written, and which verdicts flipped "
            "because of it: a snapshot, or whatever -f reads.");
}

void add_taints_flags(CLI::App& app, Raw& raw) { add_answer_flags(app, raw); }

void add_snapshot_flags(CLI::App& app, Raw& raw) {
  add_input_flags(app, raw);
  app.get_option("--namespace")
      ->description("Only the DaemonSets of this namespace; all when not given.");
  app.get_option("--all-namespaces")
      ->description("The DaemonSets of all namespaces, which is the default; -n is ignored.");
  add_switch(app, "--force", raw.force, "Write over a file that exists.");
  add_switch(app, "--redact", raw.redact,
             "Replace names, images, addresses and annotations, each by the same word wherever it "
             "stands; verdicts, counts and findings stay. Keys and values of labels and taints "
             "that are no names, paths, versions and names that many clusters have (kubectl, "
             "default-scheduler, ebs.csi.aws.com) stay, too.");
}

std::vector<FlagShape> shapes_of(const CLI::App& app) {
  std::vector<FlagShape> shapes;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty()) continue;
    const auto& shorts = option->get_snames();
    shapes.push_back({option->get_lnames().front(), shorts.empty() ? '\0' : shorts.front()[0],
                      option->get_expected_max() > 0, "", option->get_type_name() == "INT"});
  }
  return shapes;
}

}  // namespace dsdoctor::cmd
