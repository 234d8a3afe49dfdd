package main

// What is copied must be in the requirements.
import (
	_ "github.com/gogo/protobuf/gogoproto"
	_ "k8s.io/api/core/v1"
	_ "k8s.io/sample-apiserver/pkg/apis/wardle/v1beta1"
)
