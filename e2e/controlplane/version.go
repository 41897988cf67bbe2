package controlplane

import (
	"runtime/debug"
	_ "unsafe" // for go:linkname

	"k8s.io/component-base/version"
)

// gitVersion is what the release's own build stamps with the linker. Modules come without the
// stamp and the API server would call itself v0.0.0-master, which no client can judge by.
//
//go:linkname gitVersion k8s.io/component-base/version.gitVersion
var gitVersion string

// Release is the version of Kubernetes this program was built from, for example "v1.36.3".
func Release() string {
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

func stampVersion() error {
	release := Release()
	if release == "" {
		return nil // built without module information; the placeholder stays
	}
	gitVersion = release
	return version.SetDynamicVersion(release)
}
