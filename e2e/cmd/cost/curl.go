// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// curl returns the command line that fetches the lists of these kinds, each in one response, in
// parallel: only the cost of the server and the network.
func curl(dir string, kinds []string) ([]string, error) {
	kubeconfig, err := os.ReadFile(filepath.Join(dir, "kubeconfig"))
	if err != nil {
		return nil, err
	}
	value := func(key string) (string, error) {
		found := regexp.MustCompile(`(?m)^\s*` + key + `: (\S+)$`).FindSubmatch(kubeconfig)
		if found == nil {
			return "", fmt.Errorf("the rig's kubeconfig has no %s", key)
		}
		return string(found[1]), nil
	}
	server, err := value("server")
	if err != nil {
		return nil, err
	}
	words := []string{"--silent", "--show-error", "--fail", "--parallel",
		"--header", "Accept: application/vnd.kubernetes.protobuf"}
	for _, part := range []struct{ option, key string }{
		{"--cacert", "certificate-authority-data"}, {"--cert", "client-certificate-data"}, {"--key", "client-key-data"},
	} {
		encoded, err := value(part.key)
		if err != nil {
			return nil, err
		}
		content, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.key, err)
		}
		file := filepath.Join(dir, part.key)
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return nil, err
		}
		words = append(words, part.option, file)
	}
	for _, kind := range kinds {
		words = append(words, "--output", "/dev/null", server+"/api/v1/"+kind)
	}
	return words, nil
}
