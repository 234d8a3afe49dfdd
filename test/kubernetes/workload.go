package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// workload is what both servers are asked for.
type workload struct {
	nodes, pods, deployments int
	heartbeats               time.Duration
}

// phase is a part of it, which ends when its state has come.
type phase struct {
	name string
	do   func(ctx context.Context, a *api) error
}

func (w workload) phases() []phase {
	return []phase{
		{fmt.Sprintf("%d nodes become ready", w.nodes), w.addNodes},
		{fmt.Sprintf("%d deployments of %d pods are available", w.deployments, w.pods/w.deployments), w.deploy},
		{"a new image rolls out to all", w.rollOut},
		{fmt.Sprintf("heartbeats for %v", w.heartbeats), w.wait},
		{fmt.Sprintf("%d nodes are drained", w.nodes/10), w.drain},
	}
}

// states are the start, and what each phase ends with.
func (w workload) states() []string {
	names := []string{"the server starts, and a namespace is complete"}
	for _, p := range w.phases() {
		names = append(names, p.name)
	}
	return names
}

const (
	nodesPath       = "/api/v1/nodes"
	podsPath        = "/api/v1/namespaces/default/pods"
	deploymentsPath = "/apis/apps/v1/namespaces/default/deployments"
)

func (w workload) addNodes(ctx context.Context, a *api) error {
	for i := range w.nodes {
		if err := a.do(ctx, http.MethodPost, nodesPath, fmt.Sprintf(nodeJSON, i, i), nil); err != nil {
			return err
		}
	}
	return until(ctx, func() (bool, error) {
		var list struct {
			Items []struct {
				Status struct {
					Conditions []struct{ Type, Status string }
				}
			}
		}
		err := a.do(ctx, http.MethodGet, nodesPath, "", &list)
		ready := 0
		for _, n := range list.Items {
			for _, c := range n.Status.Conditions {
				if c.Type == "Ready" && c.Status == "True" {
					ready++
				}
			}
		}
		return ready == w.nodes, err
	})
}

func (w workload) deploy(ctx context.Context, a *api) error {
	for i := range w.deployments {
		if err := a.do(ctx, http.MethodPost, deploymentsPath, fmt.Sprintf(deploymentJSON, i, w.pods/w.deployments, i, i), nil); err != nil {
			return err
		}
	}
	return w.rolledOut(ctx, a)
}

func (w workload) rollOut(ctx context.Context, a *api) error {
	for i := range w.deployments {
		patch := `{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"example.com/app:2","resources":{"requests":{"cpu":"10m"}}}]}}}}`
		if err := a.do(ctx, http.MethodPatch, fmt.Sprintf("%s/web-%d", deploymentsPath, i), patch, nil); err != nil {
			return err
		}
	}
	return w.rolledOut(ctx, a)
}

// rolledOut waits until all pods of all deployments are of the last template, and available.
func (w workload) rolledOut(ctx context.Context, a *api) error {
	return until(ctx, func() (bool, error) {
		var list struct {
			Items []struct {
				Metadata struct{ Generation int64 }
				Status   struct {
					ObservedGeneration                           int64
					Replicas, UpdatedReplicas, AvailableReplicas int
				}
			}
		}
		err := a.do(ctx, http.MethodGet, deploymentsPath, "", &list)
		want, done := w.pods/w.deployments, 0
		for _, d := range list.Items {
			s := d.Status
			if s.ObservedGeneration == d.Metadata.Generation && s.Replicas == want && s.UpdatedReplicas == want && s.AvailableReplicas == want {
				done++
			}
		}
		return done == w.deployments, err
	})
}

func (w workload) wait(ctx context.Context, _ *api) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(w.heartbeats):
		return nil
	}
}

// drain cordons a tenth of the nodes and evicts their pods, as kubectl drain does. It waits until
// these are gone and others are available.
func (w workload) drain(ctx context.Context, a *api) error {
	for i := range w.nodes / 10 {
		if err := a.do(ctx, http.MethodPatch, fmt.Sprintf("%s/node-%d", nodesPath, i), `{"spec":{"unschedulable":true}}`, nil); err != nil {
			return err
		}
	}
	for i := range w.nodes / 10 {
		path := fmt.Sprintf("%s?fieldSelector=spec.nodeName%%3Dnode-%d", podsPath, i)
		err := until(ctx, func() (bool, error) {
			var list struct {
				Items []struct {
					Metadata struct{ Name, DeletionTimestamp string }
				}
			}
			if err := a.do(ctx, http.MethodGet, path, "", &list); err != nil {
				return false, err
			}
			for _, pod := range list.Items {
				if pod.Metadata.DeletionTimestamp != "" {
					continue
				}
				eviction := fmt.Sprintf(`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":%q}}`, pod.Metadata.Name)
				err := a.do(ctx, http.MethodPost, podsPath+"/"+pod.Metadata.Name+"/eviction", eviction, nil)
				if r := new(refusal); errors.As(err, &r) && (r.code == http.StatusNotFound || r.code == http.StatusTooManyRequests) {
					continue // gone already, or to be asked for again
				}
				if err != nil {
					return false, err
				}
			}
			return len(list.Items) == 0, nil
		})
		if err != nil {
			return err
		}
	}
	return w.rolledOut(ctx, a)
}

// until asks twice a second until it is so, or ctx ends.
func until(ctx context.Context, so func() (bool, error)) error {
	for {
		ok, err := so()
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

const nodeJSON = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"node-%d",
"annotations":{"kwok.x-k8s.io/node":"fake"},"labels":{"kubernetes.io/hostname":"node-%d","kubernetes.io/os":"linux"}},
"status":{"allocatable":{"cpu":"32","memory":"256Gi","pods":"110"},"capacity":{"cpu":"32","memory":"256Gi","pods":"110"}}}`

const deploymentJSON = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web-%d"},"spec":{"replicas":%d,
"selector":{"matchLabels":{"app":"web-%d"}},"template":{"metadata":{"labels":{"app":"web-%d"}},
"spec":{"containers":[{"name":"app","image":"example.com/app:1","resources":{"requests":{"cpu":"10m"}}}]}}}}`
