module github.com/typeplane/typeplane/test/kubernetes

go 1.26.0

toolchain go1.26.10

require github.com/typeplane/typeplane v0.0.0-00010101000000-000000000000

replace github.com/typeplane/typeplane => ../..

replace github.com/typeplane/typeplane/runtime => ../../runtime
