// SPDX-License-Identifier: Apache-2.0

// Command fields prints the table of the fields of a DaemonSet, which --manifest checks, from the
// OpenAPI of a release of Kubernetes:
//
//	go run ./cmd/fields v1.37.2 >../lib/decode/manifest/daemon_set_fields.txt
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

const openAPI = "api/openapi-spec/swagger.json"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: fields RELEASE, like v1.37.2")
		os.Exit(2)
	}
	if err := print(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "fields:", err)
		os.Exit(1)
	}
}

func print(out io.Writer, release string) error {
	text, err := openAPIOf(release)
	if err != nil {
		return err
	}
	table, err := tableOf(text, release)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, table)
	return err
}

// openAPIOf reads the OpenAPI from Kubernetes' own module, which go downloads if it is missing.
func openAPIOf(release string) ([]byte, error) {
	command := exec.Command("go", "mod", "download", "-json", "k8s.io/kubernetes@"+release)
	command.Stderr = os.Stderr
	text, err := command.Output()
	var module struct{ Dir, Version, Error string }
	if parsed := json.Unmarshal(text, &module); parsed != nil && err == nil {
		err = parsed
	}
	if module.Error != "" {
		err = fmt.Errorf("%s", module.Error)
	}
	if err != nil {
		return nil, fmt.Errorf("the module of Kubernetes %s: %w", release, err)
	}
	if module.Version != release {
		return nil, fmt.Errorf("%s is no release: go has %s", release, module.Version)
	}
	return os.ReadFile(filepath.Join(module.Dir, openAPI))
}
