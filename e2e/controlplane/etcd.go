// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// startEtcd runs one member on loopback with ports that the system chooses. It does not sync to
// disk: the data never outlives the run.
func startEtcd(dir string) (*embed.Etcd, error) {
	config := embed.NewConfig()
	config.Dir = filepath.Join(dir, "etcd")
	config.UnsafeNoFsync = true
	config.LogLevel = "warn"
	config.LogOutputs = []string{filepath.Join(dir, "etcd.log")}

	// Port 0: the system chooses a port. There are no other members to read the advertised URL.
	any := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{any}, []url.URL{any}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{any}, []url.URL{any}
	config.InitialCluster = config.InitialClusterFromName(config.Name)

	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, fmt.Errorf("etcd does not start: %w", err)
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case err := <-etcd.Err():
		return nil, fmt.Errorf("etcd stopped while starting: %w", err)
	case <-time.After(30 * time.Second):
		etcd.Close()
		return nil, errors.New("etcd is not ready after 30 seconds")
	}
}

func etcdURL(etcd *embed.Etcd) string {
	return "http://" + etcd.Clients[0].Addr().String()
}
