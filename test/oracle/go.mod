module github.com/typeplane/typeplane/test/oracle

go 1.26.0

toolchain go1.26.10

replace github.com/typeplane/typeplane => ../..
