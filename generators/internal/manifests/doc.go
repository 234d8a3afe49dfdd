// Package manifests writes the objects by which a cluster serves a program's API through its
// aggregator. They are an APIService for each version, a Service, a Deployment, and the rights that
// the program needs to ask the cluster about users. See docs/aggregated.md for the way from these
// files to a running server.
//
// A main package asks for it with +typeplane:manifests=true, beside +typeplane:apiserver, or names
// a folder below its own, as in +typeplane:manifests=config/cluster. The files are YAML for kubectl
// apply -k. What differs from cluster to cluster (the image, the authority of the certificate,
// etcd) belongs in an overlay, since a run writes the files anew. It removes those in a folder that
// the tag no longer names.
//
// Start reading at plan. yaml.go has the texts. The package knows of a server what
// apiserver.Programs tells.
package manifests
