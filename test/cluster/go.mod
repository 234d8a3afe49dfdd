module github.com/typeplane/typeplane/test/cluster

go 1.26.0

toolchain go1.26.10

require (
	github.com/typeplane/typeplane v0.0.0-00010101000000-000000000000
	sigs.k8s.io/yaml v1.6.0
)

require go.yaml.in/yaml/v2 v2.4.4 // indirect

replace github.com/typeplane/typeplane => ../..

replace github.com/typeplane/typeplane/runtime => ../../runtime
