package scaffold

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// SubresourceConfig says which subresource to add.
type SubresourceConfig struct {
	Config
	Kind, Name string
}

// action is what the templates of a subresource need.
type action struct {
	kind
	Sub, Method, Body string
	NewStrategy       bool
}

// AddSubresource adds an action to a kind: a marker, the type of what is sent, and the method that
// answers.
func AddSubresource(c SubresourceConfig) (Result, error) {
	if err := checkSubresource(c.Name); err != nil {
		return Result{}, err
	}
	p, err := Read(c.Root, c.Known)
	if err != nil {
		return Result{}, err
	}
	server, err := p.server()
	if err != nil {
		return Result{}, err
	}
	api, found, err := p.find(c.Kind)
	if err != nil {
		return Result{}, err
	}
	if slices.Contains(found.Subresources, c.Name) {
		return Result{}, fmt.Errorf("%s has a subresource %s already", c.Kind, c.Name)
	}
	k, err := p.newKind(server, api, c.Kind)
	if err != nil {
		return Result{}, err
	}
	k.Plural = found.Plural
	method := goName(c.Name)
	a := action{kind: k, Sub: c.Name, Method: method, Body: c.Kind + method, NewStrategy: server.Types.Types[c.Kind+"Strategy"] == nil}
	if pkg := p.set.Package(api.Path); pkg.Types.Types[a.Body] != nil {
		return Result{}, fmt.Errorf("%s has a type %s already, which would be what is sent", api.Path, a.Body)
	}
	file, err := p.rel(found.Pos.Filename)
	if err != nil {
		return Result{}, err
	}
	base := k.Singular + "_" + strings.ReplaceAll(c.Name, "-", "_")
	plan := newPlan(p.Root)
	err = errors.Join(
		plan.insert(file, found.Pos.Line, "+typeplane:subresource:name="+c.Name),
		plan.make(path.Join(path.Dir(k.TypesFile), base+"_types.go"), "subresource_types.go", a),
		plan.make(path.Join(path.Dir(k.StrategyFile), base+".go"), "subresource.go", a),
	)
	if err != nil {
		return Result{}, err
	}
	left := []string{fmt.Sprintf("change what %s does, and what is sent to it", method)}
	return p.run(c.Config, plan, left, fmt.Sprintf(`echo '{"reason":"because"}' | kubectl create --raw /apis/%s/%s/%s%s/NAME/%s -f -`, k.Group, k.Version, inNamespace(found.Namespaced), k.Plural, c.Name))
}

func inNamespace(namespaced bool) string {
	if namespaced {
		return "namespaces/default/"
	}
	return ""
}
