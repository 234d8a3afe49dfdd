// Package cluster drives a server of ours over an etcd of three members while these are killed, frozen and cut off.
package cluster
