package apiserver

import (
	"cmp"
	"go/token"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	kubeversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/protobuf"
	"github.com/typeplane/typeplane/generators/internal/validation"
)

// planner works out one server.
type planner struct {
	model       *model.Model
	report      *diag.Report
	conversions map[*types.Type]conversions // by version
	pass        *generators.Pass
	messages    *protobuf.Numbers // nil until it is asked for
	rules       *validation.Rules // likewise

	// api are the packages of the versions of the server that is planned, groupVersions what those
	// are.
	api           []*model.Package
	groupVersions map[*model.Package]schema.GroupVersion
	// apart are kinds whose versions have no hub in common, which is reported: what follows from it
	// is not.
	apart map[schema.GroupKind]bool
	// bodies are the structs that subresources take. They are no kinds, although they have
	// metadata.
	bodies map[*types.Type]bool
}

func (p *planner) problem(pos token.Position, path, message, cure string) {
	p.report.Add(problemAt(pos, path, message, cure))
}

func problemAt(pos token.Position, path, message, cure string) diag.Problem {
	return diag.Problem{Pos: pos, Path: path, Message: message, Cure: cure}
}

// compareGroupVersions orders groups by name and their versions as Kubernetes does, the best first.
func compareGroupVersions(a, b schema.GroupVersion) int {
	return cmp.Or(strings.Compare(a.Group, b.Group), kubeversion.CompareKubeAwareVersionStrings(b.Version, a.Version))
}
