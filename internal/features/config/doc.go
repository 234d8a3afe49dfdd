// Package config has secrets and config maps, as Kubernetes has them: what programs read when they
// start. The kinds are in the folder below; their rules and columns are here.
//
// +typeplane:apiserver
package config
