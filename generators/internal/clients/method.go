package clients

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// Method is a method of a client besides its verbs.
type Method struct {
	Name, Verb string
	// Subresource is its path, "" for the object itself.
	Subresource string
	// Input is what the method sends, and Result what it returns, one of a list.
	Input, Result *types.Type
}

// InputName is the name of the parameter that is sent.
func (m Method) InputName() string { return variable(lower(m.Input.Name.Name)) }

// The verbs that a method may have, and those among them that may send or return another type.
var (
	methodVerbs = []string{"create", "update", "get", "list", "patch", "apply"}
	inputVerbs  = []string{"create", "update", "apply"}
)

// methods are those that tags add to a kind's client.
func (p *planner) methods(k *Kind, markers model.Markers) []Method {
	var out []Method
	for _, mk := range markers.Exactly(tagMethod) {
		text, _ := strings.CutPrefix(mk.Text, "+"+tagMethod+"=")
		if k.noVerbs {
			p.problemOf(mk, k.Type, " has no effect beside +"+tagNoVerbs, "take one of them away")
			continue
		}
		m, fault := p.method(k, text)
		if fault == "" && slices.ContainsFunc(out, func(other Method) bool { return other.Name == m.Name }) {
			fault = "there is a method of this name"
		}
		if fault != "" {
			p.problemOf(mk, k.Type, "="+text+": "+fault, "write it like +"+tagMethod+"=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale")
			continue
		}
		out = append(out, m)
	}
	return out
}

// method reads one tag. fault says what is wrong with it.
func (p *planner) method(k *Kind, text string) (m Method, fault string) {
	parts := strings.Split(text, ",")
	m = Method{Name: strings.TrimSpace(parts[0]), Input: k.Type, Result: k.Type}
	if !token.IsIdentifier(m.Name) || !token.IsExported(m.Name) {
		return m, fmt.Sprintf("%q can't be the name of a method", m.Name)
	}
	for _, part := range parts[1:] {
		key, value, ok := strings.Cut(part, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || value == "" {
			return m, fmt.Sprintf("%q has no value", key)
		}
		switch key {
		case "verb":
			m.Verb = value
		case "subresource":
			m.Subresource = value
		case "input":
			m.Input = p.typeNamed(k, value)
		case "result":
			m.Result = p.typeNamed(k, value)
		default:
			return m, fmt.Sprintf("there is no %q, but verb, subresource, input and result", key)
		}
	}
	return m, p.faultOf(k, m)
}

// faultOf is what is wrong with a method that was read.
func (p *planner) faultOf(k *Kind, m Method) string {
	switch {
	case m.Verb == "":
		return "it has no verb="
	case !slices.Contains(methodVerbs, m.Verb):
		return fmt.Sprintf("verb=%s can't be that of a method: want one of %s", m.Verb, strings.Join(methodVerbs, ", "))
	case m.Input == nil:
		return "the type of input= is not known"
	case m.Result == nil:
		return "the type of result= is not known"
	case m.Input != k.Type && !slices.Contains(inputVerbs, m.Verb):
		return fmt.Sprintf("verb=%s sends nothing that input= could name", m.Verb)
	case slices.ContainsFunc(k.verbs, func(v string) bool { return upper(v) == m.Name }):
		return "the client has a method of this name for a verb"
	}
	return ""
}

// typeNamed is a type of the kind's package, or of another by its import path; nil if it is not
// known.
func (p *planner) typeNamed(k *Kind, name string) *types.Type {
	pkg := k.Version.Package
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		pkg, name = p.pass.Model.Package(name[:dot]), name[dot+1:]
	}
	if pkg == nil {
		return nil
	}
	return pkg.Types.Types[name]
}
