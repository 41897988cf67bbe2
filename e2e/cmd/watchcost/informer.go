// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// inform is what a user's own controller does before any work: it keeps the objects that the binary
// keeps, and prints a line for every change of a pod.
func inform() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Informer()
	for _, informer := range []cache.SharedIndexInformer{
		factory.Core().V1().Nodes().Informer(), factory.Apps().V1().DaemonSets().Informer(), factory.Apps().V1().ControllerRevisions().Informer(),
	} {
		informer.HasSynced()
	}
	_, err = pods.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, now any) {
		pod := now.(*v1.Pod)
		for _, condition := range pod.Status.Conditions {
			if condition.Type == v1.PodReady {
				fmt.Println(pod.Namespace, pod.Name, condition.Status)
			}
		}
	}})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return errors.Join(ctx.Err(), fmt.Errorf("%s: not read", kind))
		}
	}
	fmt.Println("synced:", len(pods.GetStore().ListKeys()), "pods")
	<-ctx.Done()
	return nil
}
