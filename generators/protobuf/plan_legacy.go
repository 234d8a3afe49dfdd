package protobuf

import gotypes "go/types"

const metaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// hasProtoMessage tells whether the messages of the apimachinery that the run builds upon have a method ProtoMessage.
// Up to Kubernetes 1.34 all had, and a repository of that time may hand its messages to gRPC, which asks for it; and where
// they embed two types that have it, they would have it twice and so not at all.
func (p *planner) hasProtoMessage() bool {
	pkg := p.set.Package(metaV1)
	if pkg == nil {
		return false
	}
	name, _ := pkg.Go.Scope().Lookup("ObjectMeta").(*gotypes.TypeName)
	if name == nil {
		return false
	}
	method, _, _ := gotypes.LookupFieldOrMethod(gotypes.NewPointer(name.Type()), false, pkg.Go, "ProtoMessage")
	return method != nil
}
