package protobuf

import (
	gotypes "go/types"
	"os"
	"path/filepath"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

const metaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// hasProtoMessage tells whether the messages of the apimachinery that the run builds upon have a
// method ProtoMessage. Up to Kubernetes 1.34 all had, and a repository of that time may hand its
// messages to gRPC, which asks for it; and where they embed two types that have it, they would have
// it twice and so not at all.
func (p *planner) hasProtoMessage() bool {
	pkg := p.model.Package(metaV1)
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

// leftBehind warns of a package that has messages in its .proto file, no code for them, and types
// that it does not ask for. go-to-protobuf is told by flags what it is to work on, so that the
// package may have no tag.
func (p *planner) leftBehind(pkg *model.Package) {
	if p.model.OfPackage(pkg).Has("k8s:protobuf-gen") || missing(pkg.Dir, protoFile) || !missing(pkg.Dir, goFile) {
		return
	}
	old, err := readLedger(pkg.Dir, protoFile)
	if err != nil {
		return // said where the package asks for messages
	}
	for name := range old {
		if t := pkg.Types.Types[name]; t != nil && p.planned[t] == nil {
			p.report.Warn(diag.Problem{
				Pos: p.model.PackagePos(pkg), Path: "package " + pkg.Name,
				Message: "there is a " + protoFile + ", and no tag asks for the methods of all its messages",
				Cure:    "add +k8s:protobuf-gen=package to the package's comment, or say +k8s:protobuf-gen=false",
			})
			return
		}
	}
}

// missing tells whether a folder is without a file.
func missing(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return os.IsNotExist(err)
}
