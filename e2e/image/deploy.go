// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// deployment returns the objects of the kustomization in folder as YAML, with the image named by
// version and digest. The digest cannot be in the tree: the image contains the commit of the tree.
func deployment(folder, version, digest string) ([]byte, error) {
	work, err := os.MkdirTemp("", "deploy")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	if err := os.CopyFS(filepath.Join(work, "base"), os.DirFS(folder)); err != nil {
		return nil, err
	}
	overlay := fmt.Sprintf(`apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [base]
images:
- name: ghcr.io/kubectl-dsdoctor/kubectl-dsdoctor
  newTag: %s
  digest: %s
`, version, digest)
	if err := os.WriteFile(filepath.Join(work, "kustomization.yaml"), []byte(overlay), 0o644); err != nil {
		return nil, err
	}
	objects, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), work)
	if err != nil {
		return nil, err
	}
	return objects.AsYaml()
}
