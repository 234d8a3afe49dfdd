package encryption

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ruled is a resource of an item of "resources" (rule is the item's path) and where it is named.
type ruled struct {
	Resource
	rule string
	line int
}

// resource reads the name of one and notes when it can have no effect, or another one than it
// seems.
func (p *parser) resource(node *yaml.Node, path, rule, s string) Resource {
	r := parseResource(s)
	switch {
	case s == "":
		p.bad(node, path, "is empty")
	case s != strings.ToLower(s):
		p.bad(node, path, "%q: names of resources have no capital letters; did you mean %q?", s, strings.ToLower(s))
	case s == "*":
		p.bad(node, path, `"*" says nothing: "*." is all of the core group, "*.*" everything`)
	case r.Name == "" || r.Group == "*" && r.Name != "*":
		p.bad(node, path, `%q: want a resource like secrets or books.library.example.com, "*.group" for all of a group, or "*.*" for everything`, s)
	default:
		p.checkServed(node, path, s, r)
		p.checkMasked(node, path, rule, r)
	}
	p.ruled = append(p.ruled, ruled{r, rule, node.Line})
	return r
}

// checkServed notes a resource that there is none of: who mistypes one believes that it is
// encrypted.
func (p *parser) checkServed(node *yaml.Node, path, s string, r Resource) {
	if p.served == nil {
		return
	}
	var names []string
	for _, served := range p.served {
		if r.covers(served) {
			return
		}
		names = append(names, served.String())
	}
	hint := meant(s, names)
	if hint == "" {
		hint = "; it has " + strings.Join(names, ", ")
	}
	p.bad(node, path, "this server stores no %s%s", s, hint)
}

// checkMasked notes a resource that an earlier one has an effect on. The same resource in two items
// is in order: its providers are those of both.
func (p *parser) checkMasked(node *yaml.Node, path, rule string, r Resource) {
	for _, earlier := range p.ruled {
		if earlier.rule == rule {
			if what := overlap(earlier.Resource, r); what != "" {
				p.bad(node, path, "%q %s %q of line %d in the same list", r, what, earlier.Resource, earlier.line)
				return
			}
			continue
		}
		if earlier.Name == "*" && earlier.covers(r) {
			p.bad(node, path, "%q has no effect behind %q of line %d: move it to an earlier item", r, earlier.Resource, earlier.line)
			return
		}
	}
}

func overlap(a, b Resource) string {
	switch {
	case a == b:
		return "is the same as"
	case a.covers(b) || b.covers(a):
		return "overlaps with"
	}
	return ""
}

// providersOf returns the providers of a resource. They are those of the rules that name it, or of
// those for its group, or of those for everything. Without a rule there are none.
func (c *Config) providersOf(r Resource) []Provider {
	for _, want := range []Resource{r, {r.Group, "*"}, everything} {
		var found []Provider
		for _, rule := range c.Rules {
			for _, named := range rule.Resources {
				if named == want {
					found = append(found, rule.Providers...)
				}
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// describe names the providers for a log, the first one first.
func describe(list []Provider) string {
	var names []string
	for _, p := range list {
		switch {
		case p.Type == kmsProvider:
			names = append(names, fmt.Sprintf("kms %s", p.KMS.Name))
		case len(p.Keys) > 0:
			names = append(names, fmt.Sprintf("%s %v", p.Type, p.Keys))
		default:
			names = append(names, p.Type)
		}
	}
	return strings.Join(names, ", ")
}
