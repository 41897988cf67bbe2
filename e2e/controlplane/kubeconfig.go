// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"dsdoctor.dev/e2e/pki"
)

const contextName = "dsdoctor-e2e"

// endpoint is the address of the API server and the CA that signed its certificate.
type endpoint struct {
	server string
	ca     []byte
}

func (e endpoint) withCertificate(id pki.Identity) *clientcmdapi.Config {
	return e.kubeconfig(&clientcmdapi.AuthInfo{
		ClientCertificateData: id.Cert,
		ClientKeyData:         id.Key,
	})
}

func (e endpoint) withToken(token string) *clientcmdapi.Config {
	return e.kubeconfig(&clientcmdapi.AuthInfo{Token: token})
}

func (e endpoint) kubeconfig(user *clientcmdapi.AuthInfo) *clientcmdapi.Config {
	config := clientcmdapi.NewConfig()
	config.Clusters[contextName] = &clientcmdapi.Cluster{
		Server:                   e.server,
		CertificateAuthorityData: e.ca,
	}
	config.AuthInfos[contextName] = user
	config.Contexts[contextName] = &clientcmdapi.Context{Cluster: contextName, AuthInfo: contextName}
	config.CurrentContext = contextName
	return config
}

// restConfig is for the rig's own clients, without rate limits: a scenario must not wait for the
// rate limiter of its client.
func restConfig(config *clientcmdapi.Config, userAgent string) (*rest.Config, error) {
	rc, err := clientcmd.NewDefaultClientConfig(*config, nil).ClientConfig()
	if err != nil {
		return nil, err
	}
	rc.QPS, rc.Burst = -1, -1
	rc.UserAgent = userAgent
	return rc, nil
}
