package main

// NodeStrategy holds what is special about nodes.
type NodeStrategy struct{ uncounted }

// StatusOnCreate: a kubelet registers its node with what it has.
func (NodeStrategy) StatusOnCreate() bool { return true }

// uncounted is part of the strategies of kinds whose changes Kubernetes does not count.
type uncounted struct{}

// HasGeneration says that they are not counted.
func (uncounted) HasGeneration() bool { return false }
