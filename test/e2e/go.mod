module github.com/typeplane/typeplane/test/e2e

go 1.26.0

toolchain go1.26.10

require sigs.k8s.io/yaml v1.6.0

require (
	github.com/typeplane/typeplane v0.0.0-00010101000000-000000000000
	go.yaml.in/yaml/v2 v2.4.4 // indirect
)

replace github.com/typeplane/typeplane => ../..

replace github.com/typeplane/typeplane/runtime => ../../runtime
