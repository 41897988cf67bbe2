// SPDX-License-Identifier: Apache-2.0

// Package release returns the version of Kubernetes in a program.
package release

import "runtime/debug"

// Version is the version of the module k8s.io/kubernetes, for example "v1.36.3"; empty if the
// program was built without module information.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, module := range info.Deps {
		if module.Path == "k8s.io/kubernetes" {
			return module.Version
		}
	}
	return ""
}
