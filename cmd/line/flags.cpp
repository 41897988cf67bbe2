// SPDX-License-Identifier: Apache-2.0
#include "line/flags.h"

namespace dsdoctor::cmd {
namespace {

/// Declares the flags of `add` in a group of help; later ones are about the output again.
template <typename Add>
void in_group(CLI::App& app, const char* group, Add&& add) {
  app.option_defaults()->group(group);
  add();
  app.option_defaults()->group(output_group);
}

void add_connection_flags(CLI::App& app, Raw& raw) {
  SourceOptions& source = raw.answer.input.source;
  kube::ConfigFlags& flags = source.connection;
  app.option_defaults()->group(connection_group);
  add_value(app, "--kubeconfig", flags.kubeconfig, "Path to the kubeconfig file to use.");
  add_value(app, "--kuberc", flags.kuberc,
            "Path to the kuberc file, whose credential plugin policy is honored.");
  add_value(app, "--context", flags.context, "The name of the kubeconfig context to use.");
  add_value(app, "--cluster", flags.cluster, "The name of the kubeconfig cluster to use.");
  add_value(app, "--user", flags.user, "The name of the kubeconfig user to use.");
  add_value(app, "-s,--server", flags.server, "The address and port of the Kubernetes API server.");
  add_value(app, "--tls-server-name", flags.tls_server_name,
            "Server name to use for server certificate validation.");
  add_value(app, "--certificate-authority", flags.certificate_authority,
            "Path to a cert file for the certificate authority.");
  add_value(app, "--client-certificate", flags.client_certificate,
            "Path to a client certificate file for TLS.");
  add_value(app, "--client-key", flags.client_key, "Path to a client key file for TLS.");
  add_value(app, "--token", flags.token, "Bearer token for authentication to the API server.");
  add_value(app, "--as", flags.as, "Username to impersonate for the requests.");
  add_value(app, "--as-uid", flags.as_uid, "UID to impersonate for the requests.");
  add_value(app, "--request-timeout", flags.request_timeout,
            "How long to wait for one answer: 0 (no limit), seconds, or a duration like 1m30s.");
  add_value(app, "--cache-dir", raw.cache_dir, "Accepted as in kubectl; nothing is cached.");
  add_value(app, "--as-group", flags.as_groups,
            "Group to impersonate for the requests; may be repeated.");
  add_value(app, "--as-user-extra", flags.as_user_extra,
            "User extra to impersonate for the requests, key=value; may be repeated.");
  add_switch(app, "--insecure-skip-tls-verify", flags.insecure_skip_tls_verify,
             "Do not check the server's certificate. This makes your connection insecure.");
  add_switch(app, "--disable-compression", flags.disable_compression,
             "Do not ask for compressed answers.");
  add_value(app, "-v,--v", source.verbosity,
            "Level of detail on stderr: 4 shows the configuration, 6 each request, 7 to 10 its "
            "headers and bodies as well, without credentials.");
  add_value(app, "--chunk-size", source.chunk_size,
            "Read large lists in pages of this many objects; 0 to read them whole.");
  app.option_defaults()->group(output_group);
}

/// Flags that select DaemonSets.
void add_daemon_set_flags(CLI::App& app, Raw& raw) {
  in_group(app, select_group, [&] {
    InputOptions& input = raw.answer.input;
    add_value(app, "-n,--namespace", input.source.connection.ns,
              "The namespace of the DaemonSets; with -f, the default is all namespaces.");
    add_switch(app, "-A,--all-namespaces", input.source.connection.all_namespaces,
               "All namespaces; -n is ignored.");
    add_value(app, "-l,--selector", input.selector.text,
              "Label selector over DaemonSets, as in kubectl (-l key1=value1,key2=value2).");
  });
}

/// Describes -n and -A of a command whose default is all namespaces.
void describe_all_namespaces(CLI::App& app) {
  app.get_option("--namespace")
      ->description("Only the DaemonSets of this namespace. The default is all namespaces.");
  app.get_option("--all-namespaces")
      ->description("The DaemonSets of all namespaces, which is the default; -n is ignored.");
}

void add_node_flag(CLI::App& app, Raw& raw) {
  in_group(app, select_group, [&] {
    add_value(
        app, "--node", raw.answer.scope.nodes,
        "Only this node, or the nodes that a glob matches (--node 'gpu-*'); may be repeated.");
  });
}

/// Flags of the evaluation.
void add_rule_flags(CLI::App& app, Raw& raw) {
  in_group(app, input_group, [&] {
    RuleOptions& rules = raw.answer.rules;
    add_value(app, "--feature-gates", rules.feature_gates.text,
              "Feature gates of kube-controller-manager, which clients cannot read: "
              "TaintTolerationComparisonOperators=true|false.");
    add_value(app, "--taints-file", rules.taints_files,
              "Descriptions of your own taints, YAML or JSON in the format of known_taints.yaml; "
              "they override the built-in ones. May be repeated.");
  });
}

/// Flags for the input and the DaemonSets.
void add_input_flags(CLI::App& app, Raw& raw) {
  add_connection_flags(app, raw);
  InputOptions& input = raw.answer.input;
  add_daemon_set_flags(app, raw);
  app.option_defaults()->group(input_group);
  add_value(app, "-f,--filename", input.source.files,
            "Read this file, folder, tar or zip archive instead of a cluster: JSON or YAML as "
            "kubectl get "
            "-o json prints it, a snapshot, a cluster-info dump, must-gather or support bundle; "
            "gzip, zstd, xz, bzip2 and lz4 are unpacked; - is standard input. May be repeated.");
  add_value(app, "--now", input.now.text,
            "Evaluate as of this time (RFC 3339, like 2006-01-02T15:04:05Z). The default is the "
            "current time for a cluster, and the newest time in the input for files.");
  add_switch(app, "--demo", input.source.demo, "Read an embedded example cluster.");
  app.option_defaults()->group(output_group);
}

void add_answer_flags(CLI::App& app, Raw& raw) {
  add_input_flags(app, raw);
  AnswerOptions& answer = raw.answer;
  add_node_flag(app, raw);
  in_group(app, select_group, [&] {
    add_value(app, "--node-selector", answer.scope.node_selector.text,
              "Only the nodes with these labels (--node-selector key=value).");
    add_switch(app, "--ignore-not-found", answer.scope.ignore_not_found,
               "Do not fail if a DaemonSet does not exist.");
  });
  add_rule_flags(app, raw);
  add_value(app, "-o,--output", raw.output, "");  // described with the command's formats
  add_value(app, "--color", raw.color, "Color: auto, always or never.");
  add_switch(app, "--all-nodes", raw.print.all_nodes,
             "List every node instead of groups of nodes.");
}

void add_what_if_flags(CLI::App& app, Raw& raw) {
  app.option_defaults()->group(what_if_group);
  const auto add = [&](const char* name, std::vector<std::string>& values, const char* what) {
    add_value(app, name, values, what);
  };
  WhatIfOptions& what_if = raw.what_if;
  add("--tolerate", what_if.tolerate, "Add toleration KEY[=VALUE][:EFFECT] to the DaemonSets.");
  add("--taint", what_if.taint,
      "Add taint NODE=KEY[=VALUE]:EFFECT; NODE is a name, a glob with *, or @label-selector.");
  add("--untaint", what_if.untaint, "Remove taint NODE=KEY[:EFFECT].");
  add("--label", what_if.label, "Set label NODE=KEY=VALUE.");
  add("--unlabel", what_if.unlabel, "Remove label NODE=KEY; KEY may have *.");
  add("--cordon", what_if.cordon, "Cordon NODE.");
  add("--drain", what_if.drain,
      "Drain NODE with kubectl drain --ignore-daemonsets: show which pods stay, which are evicted "
      "and what stops it.");
  add("--delete-node", what_if.delete_node, "Delete NODE and its pods.");
  add("--reboot", what_if.reboot, "Reboot NODE: show which pods do not come back.");
  add_switch(app, "--rollout", what_if.rollout,
             "Restart the DaemonSets as kubectl rollout restart does: show which pods do not come "
             "back, and how long nodes lack a pod.");
  add("--add-node", what_if.add_node,
      "Add the nodes of this manifest, and show which pods run on them; of a NodePool, "
      "MachineDeployment or MachineSet, show which pods its new nodes will run.");
  add_switch(app, "--pools", what_if.pools,
             "Show which pods the new nodes of each NodePool, MachineDeployment and MachineSet of "
             "the cluster will run, also if it has no nodes now.");
  add("--manifest", what_if.manifest,
      "Apply the DaemonSets of this manifest; without a NAME, explain them.");
  add_value(
      app, "--validate", what_if.validate.text,
      "Unknown and duplicate fields of DaemonSets in --manifest: strict (or true) rejects the "
      "manifest, warn warns, ignore (or false) ignores them.");
  app.option_defaults()->group(output_group);
}

void add_by_file_flag(CLI::App& app, Raw& raw) {
  in_group(app, input_group, [&] {
    add_switch(
        app, "--by-file", raw.answer.input.source.by_file,
        "Answer for each -f separately, and for each file and folder directly in a folder that "
        "is not one dump; check joins the answers by problem. Exit with the highest of their "
        "codes.");
  });
}

void add_contexts_flags(CLI::App& app, Raw& raw) {
  in_group(app, input_group, [&] {
    SourceOptions& source = raw.answer.input.source;
    add_value(app, "--contexts", source.contexts,
              "Read the clusters of these contexts of the kubeconfig, names or globs (--contexts "
              "'prod-*'), and answer by problem; may be repeated.");
    add_switch(app, "--all-contexts", source.all_contexts,
               "Read the clusters of all contexts, and answer by problem.");
  });
}

void add_redact_flag(CLI::App& app, Raw& raw) {
  add_switch(app, "--redact", raw.answer.redact,
             "With -o html and -o markdown: replace names, addresses and images, so that the "
             "answer can be shown to others.");
}

void add_watch_flags(CLI::App& app, Raw& raw) {
  in_group(app, watch_group, [&] {
    add_switch(app, "-w,--watch", raw.watch.watches,
               "Stay, and show what changes: on a terminal a view with keys (? lists them), in a "
               "pipe a line for each change, with -o json an object for each.");
    add_switch(app, "--watch-only", raw.watch.only_changes,
               "Watch, without the state at the beginning.");
    add_value(app, "--until", raw.until,
              "Wait, print what changes, and exit with 0 once the state is reached: healthy (check "
              "would exit with 0), resolved (the problems of the beginning are gone), "
              "resolved=ID (this problem is gone) or rolled-out.");
    add_value(app, "--timeout", raw.timeout,
              "How long --until waits before it exits with 1 (10m, 90s); 0: without limit, which "
              "is the default.");
    add_value(app, "--replay", raw.watch.replay,
              "Show a recording of -w -o json again instead of reading a cluster; - is standard "
              "input.");
  });
}

void add_limit_flag(CLI::App& app, Raw& raw) {
  add_value(app, "--limit", raw.limit, "Show this many problems in full; 0 to show everything.");
}

void add_ignore_flag(CLI::App& app, Raw& raw) {
  in_group(app, select_group, [&] {
    add_value(app, "--ignore", raw.ignored,
              "Ignore problems: ID[=ROOT], globs for the id of a finding and the object to fix "
              "(create-quota-exceeded=logging/*). May be repeated.");
  });
}

/// Flags for the problems that count, and the number that is shown.
void add_problem_flags(CLI::App& app, Raw& raw) {
  in_group(app, select_group, [&] {
    add_value(
        app, "--severity", raw.severity,
        "The lowest severity that counts as wrong: critical, error, warning or info. With info, "
        "problems that resolve without action count as well, and check notes what works only "
        "until a later event, such as the next rollout.");
  });
  add_ignore_flag(app, raw);
  add_limit_flag(app, raw);
}

void add_group_flag(CLI::App& app, Raw& raw) {
  add_switch(app, "--group", raw.print.group,
             "With -o json and -o yaml: list classes of nodes with the same verdict, reasons and "
             "findings (classes) instead of every node (nodes).");
}

/// Flags for tables.
void add_table_flags(CLI::App& app, Raw& raw) {
  add_switch(app, "--no-headers", raw.print.no_headers, "Tables without their line of titles.");
  add_value(app, "--sort-by", raw.print.sort_by, "");  // described with the command's tables
}

}  // namespace

void add_explain_flags(CLI::App& app, Raw& raw) {
  add_answer_flags(app, raw);
  add_by_file_flag(app, raw);
  add_problem_flags(app, raw);
  add_table_flags(app, raw);
  add_group_flag(app, raw);
  add_redact_flag(app, raw);
  add_what_if_flags(app, raw);
  add_watch_flags(app, raw);
  add_switch(
      app, "--exit-code", raw.exit_code,
      "Exit with 1 when something is wrong and with 2 when that is unknown; otherwise explain "
      "exits with 0 whenever there is an answer.");
  add_switch(app, "--timeline", raw.timeline,
             "Also show a timeline of the DaemonSet and of the first node of each wrong group.");
  add_switch(app, "--no-healthy", raw.no_healthy,
             "Leave out nodes that run the pod or are excluded.");
}

void add_suggest_flags(CLI::App& app, Raw& raw) {
  add_answer_flags(app, raw);
  add_what_if_flags(app, raw);
  in_group(app, select_group, [&] {
    add_value(app, "--for", raw.target,
              "Suggest one fix for these nodes: misscheduled, missing, node/NAME, "
              "pool=[LABEL=]NAME or all. Without it, suggest one fix for each cause.");
    add_value(app, "--id", raw.id, "Only the suggestion with this id, in full.");
  });
  add_value(app, "--shell", raw.shell,
            "Quote commands for this shell: bash, zsh, fish, powershell or cmd.");
  add_switch(
      app, "--exit-code", raw.exit_code,
      "Exit with 1 when a fix is recommended; otherwise with 0 whenever there is an answer.");
}

void add_check_flags(CLI::App& app, Raw& raw) {
  add_answer_flags(app, raw);
  add_by_file_flag(app, raw);
  add_contexts_flags(app, raw);
  add_problem_flags(app, raw);
  add_table_flags(app, raw);
  add_group_flag(app, raw);
  add_redact_flag(app, raw);
  add_what_if_flags(app, raw);
  add_watch_flags(app, raw);
  app.get_option("--timeout")
      ->description(
          "How long --until waits before it exits with 1 (10m, 90s), by default without limit; how "
          "long --contexts waits for each cluster, by default 1m. 0: without limit.");
  add_value(app, "--alert", raw.alert,
            "Show what makes this alert fire, and whether it resolves without action: "
            "KubeDaemonSetNotScheduled, KubeDaemonSetMisScheduled or KubeDaemonSetRolloutStuck; "
            "the end of the name or the line of a notification is enough.");
  add_value(app, "--report", raw.report,
            "Also save a redacted snapshot, the answer about it and versions as a tar.gz archive: "
            "for an issue about a doubtful answer. -f reads it.");
  add_switch(app, "--node-labels", raw.node_labels,
             "With -o prometheus: also a series for each node of a problem.");
  add_switch(app, "--partial", raw.partial,
             "Do not exit with 2 if the input is known to lack DaemonSets (a page of a list, pods "
             "whose DaemonSet was not read), or the events that could explain missing pods.");
}

void add_serve_flags(CLI::App& app, Raw& raw) {
  add_connection_flags(app, raw);
  add_daemon_set_flags(app, raw);
  describe_all_namespaces(app);
  add_node_flag(app, raw);
  in_group(app, select_group, [&] {
    add_value(app, "--severity", raw.severity,
              "The lowest severity that counts as wrong: critical, error, warning or info.");
  });
  add_ignore_flag(app, raw);
  add_rule_flags(app, raw);
  add_value(app, "--listen", raw.listen,
            "The address and port to listen on, without TLS: 127.0.0.1:8080 by default; :8080 for "
            "all addresses, 127.0.0.1:0 for any free port.");
  add_switch(app, "--node-labels", raw.node_labels,
             "Metrics also have a series for each node of a problem.");
}

void add_findings_flags(CLI::App& app, Raw& raw) {
  add_table_flags(app, raw);
  add_switch(app, "--all", raw.whole,
             "Show every entry in full: meaning, detection and fix, as for a single ID.");
  add_value(app, "-o,--output", raw.output, "");
  add_value(app, "--color", raw.color, "Color: auto, always or never.");
}

void add_rbac_flags(CLI::App& app, Raw& raw) {
  in_group(app, select_group, [&] {
    add_value(
        app, "-n,--namespace", raw.answer.input.source.connection.ns,
        "For questions about the DaemonSets of this namespace: Roles in it, and a ClusterRole "
        "for objects without a namespace.");
  });
  add_switch(app, "-w,--watch", raw.watch.watches,
             "Also for an answer that stays current (-w, --until).");
  add_value(app, "-o,--output", raw.output, "");
}

void add_version_flags(CLI::App& app, Raw& raw) {
  add_value(app, "-o,--output", raw.output, "");
  add_switch(app, "--client", raw.client_only,
             "Accepted as in kubectl; only the client's version is ever printed.");
}

void add_diff_nodes_flags(CLI::App& app, Raw& raw) {
  add_answer_flags(app, raw);
  add_by_file_flag(app, raw);
  add_ignore_flag(app, raw);
  add_table_flags(app, raw);
  add_limit_flag(app, raw);
  add_what_if_flags(app, raw);
  add_watch_flags(app, raw);
  in_group(app, input_group, [&] {
    add_value(
        app, "--since", raw.since,
        "Show what changed on the nodes since this file, folder or archive was written, and which "
        "verdicts changed because of it: a snapshot, or any input of -f. May be repeated for an "
        "earlier state in several files.");
  });
}

void add_taints_flags(CLI::App& app, Raw& raw) {
  add_answer_flags(app, raw);
  add_by_file_flag(app, raw);
  add_table_flags(app, raw);
  add_value(app, "--limit", raw.limit, "0 to show everything, instead of what fits a screen.");
}

void add_snapshot_flags(CLI::App& app, Raw& raw) {
  add_input_flags(app, raw);
  describe_all_namespaces(app);
  add_switch(app, "--force", raw.force, "Overwrite an existing file.");
  add_switch(app, "--redact", raw.redact,
             "Replace every word that is neither common to Kubernetes (kubectl, "
             "default-scheduler, ebs.csi.aws.com) nor a number, consistently: names, images, "
             "addresses, labels, taints, messages; verdicts, counts and findings do not change.");
}

}  // namespace dsdoctor::cmd
