// SPDX-License-Identifier: Apache-2.0

// Package controlplane runs a real Kubernetes control plane inside the calling process: etcd,
// kube-apiserver, kube-controller-manager and kube-scheduler, from the modules of one release. Only
// the kubelets are simulated. Everything listens on loopback and is stored in one temporary
// directory.
package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"dsdoctor.dev/e2e/kubelet"
)

// Options are the settings of a caller.
type Options struct {
	// AdmissionPlugins are enabled beside the default ones.
	AdmissionPlugins []string
	// Admission is the API server's AdmissionConfiguration, YAML; empty for none.
	Admission string
	// FeatureGates as on a command line ("A=true,B=false"), for all components.
	FeatureGates string
	// RuntimeConfig enables versions of the API that are off by default ("scheduling.k8s.io/v1beta1=true").
	RuntimeConfig string
	// Tokens names users without any permissions; they log in with a bearer token.
	Tokens []string
	// PatientWithNodes tolerates a kubelet that does not report for minutes: for tests that do not
	// need such nodes and run on a machine that may stall.
	PatientWithNodes bool
	// ServerOnly starts only etcd and kube-apiserver: nothing happens without a request.
	ServerOnly bool
}

// Cluster is a running control plane.
type Cluster struct {
	// Config authenticates as cluster administrator.
	Config *rest.Config
	// Kubeconfig is the path of the administrator's kubeconfig.
	Kubeconfig string
	// AuditLog is the path of the API server's audit log, one JSON event a line.
	AuditLog string

	endpoint endpoint
	home     string
	etcd     *embed.Etcd
	cancel   context.CancelFunc
	done     []<-chan error

	controllers       <-chan error
	cancelControllers context.CancelFunc
}

var started atomic.Bool

// Start returns when the cluster accepts DaemonSets and nodes (with ServerOnly: any object). A
// process can call it once: the components keep process-wide registries.
func Start(o Options) (*Cluster, error) {
	if started.Swap(true) {
		return nil, errors.New("a control plane was already started in this process")
	}
	if err := stampVersion(); err != nil {
		return nil, err
	}
	home, err := makeHome()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &Cluster{home: home, cancel: cancel, AuditLog: filepath.Join(home, auditLogName)}
	if err := c.start(ctx, o); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, o Options) error {
	if err := logTo(filepath.Join(c.home, "components.log")); err != nil {
		return err
	}
	keys, err := writeKeys(c.home)
	if err != nil {
		return err
	}
	if c.etcd, err = startEtcd(c.home); err != nil {
		return err
	}
	server, err := startAPIServer(ctx, o, c.home, keys, etcdURL(c.etcd))
	if err != nil {
		return err
	}
	c.done = append(c.done, server.done)
	c.endpoint = endpoint{server: server.url, ca: keys.authority.PEM}
	if err := c.becomeAdministrator(keys); err != nil {
		return err
	}
	if err := c.waitReady(ctx, server.done); err != nil {
		return err
	}
	if o.ServerOnly {
		return nil
	}
	return c.startClients(ctx, o, keys)
}

func (c *Cluster) becomeAdministrator(keys *keyFiles) error {
	admin, err := keys.authority.Client("admin", "system:masters")
	if err != nil {
		return err
	}
	config := c.endpoint.withCertificate(admin)
	c.Kubeconfig = filepath.Join(c.home, "kubeconfig")
	if err := clientcmd.WriteToFile(*config, c.Kubeconfig); err != nil {
		return err
	}
	c.Config, err = restConfig(config, "dsdoctor-e2e")
	return err
}

// startClients starts all components that talk to the API server.
func (c *Cluster) startClients(ctx context.Context, o Options, keys *keyFiles) error {
	kubeconfigs := map[string]string{}
	for _, component := range []string{"kube-controller-manager", "kube-scheduler"} {
		id, err := keys.authority.Client("system:" + component)
		if err != nil {
			return err
		}
		kubeconfigs[component] = filepath.Join(c.home, component+".kubeconfig")
		if err := clientcmd.WriteToFile(*c.endpoint.withCertificate(id), kubeconfigs[component]); err != nil {
			return err
		}
	}
	controlled, cancel := context.WithCancel(ctx)
	c.cancelControllers = cancel
	manager, err := startControllerManager(controlled, o, kubeconfigs["kube-controller-manager"], keys)
	if err != nil {
		return err
	}
	c.controllers = manager
	c.done = append(c.done, manager)
	scheduler, err := startScheduler(ctx, kubeconfigs["kube-scheduler"])
	if err != nil {
		return err
	}
	c.done = append(c.done, scheduler)

	config := rest.CopyConfig(c.Config)
	config.UserAgent = "simulated-kubelet"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	c.done = append(c.done, run(func() error { return kubelet.Run(ctx, client) }))
	return c.waitUsable(ctx)
}

// waitReady waits until the API server reports that it is ready, or until it has failed.
func (c *Cluster) waitReady(ctx context.Context, done <-chan error) error {
	client, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		return err
	}
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		select {
		case err := <-done:
			return false, fmt.Errorf("it stopped: %w", err)
		default:
		}
		_, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("kube-apiserver is not ready: %w", err)
	}
	return nil
}

// UserKubeconfig writes a kubeconfig for one of Options.Tokens and returns its path.
func (c *Cluster) UserKubeconfig(user string) (string, error) {
	path := filepath.Join(c.home, user+".kubeconfig")
	return path, clientcmd.WriteToFile(*c.endpoint.withToken(tokenOf(user)), path)
}

// Stop ends everything and removes the data. Components that do not end in time end with the
// process; nothing depends on them.
func (c *Cluster) Stop() {
	c.cancel()
	patience, release := context.WithTimeout(context.Background(), 5*time.Second)
	defer release()
	for _, done := range c.done {
		select {
		case <-done:
		case <-patience.Done():
		}
	}
	if c.etcd != nil {
		c.etcd.Close()
	}
	os.RemoveAll(c.home)
}

// StopControllers stops kube-controller-manager; it cannot be started again.
func (c *Cluster) StopControllers() error {
	c.cancelControllers()
	select {
	case err := <-c.controllers:
		return err
	case <-time.After(30 * time.Second):
		return errors.New("kube-controller-manager does not end")
	}
}

// Discard removes the data and stops nothing: for a process that exits immediately afterwards.
func (c *Cluster) Discard() {
	os.RemoveAll(c.home)
}

// run starts f and returns a channel with its result.
func run(f func() error) <-chan error {
	done := make(chan error, 1)
	go func() {
		done <- f()
		close(done)
	}()
	return done
}
