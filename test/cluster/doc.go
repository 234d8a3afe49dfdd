// Package cluster drives a server of ours over an etcd of three members while these are killed,
// frozen and cut off. It also has many writers charge one quota through two servers, of which one
// is killed (TestQuota, make quota).
package cluster
