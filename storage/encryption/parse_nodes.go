package encryption

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/typeplane/typeplane/internal/suggest"
)

// nodes reads the parts of a YAML document strictly and notes what is wrong, with file and line.
type nodes struct {
	file string
	errs []error
}

func (p *nodes) bad(node *yaml.Node, path, format string, args ...any) {
	if path == "" {
		path = "the document"
	}
	p.errs = append(p.errs, fmt.Errorf("%s:%d: %s: %s", p.file, node.Line, path, fmt.Sprintf(format, args...)))
}

// fields returns the members of a mapping, of which only those that are allowed may be there, each
// once. It is nil if node is no mapping.
func (p *nodes) fields(node *yaml.Node, path string, allowed ...string) map[string]*yaml.Node {
	node = follow(node)
	if node.Kind != yaml.MappingNode {
		want := "a mapping"
		if len(allowed) == 0 {
			want = "{}"
		}
		p.bad(node, path, "want %s", want)
		return nil
	}
	fields := map[string]*yaml.Node{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		switch {
		case !has(allowed, key.Value):
			p.bad(key, path, "unknown field %q%s", key.Value, meant(key.Value, allowed))
		case fields[key.Value] != nil:
			p.bad(key, path, "%s is there twice", key.Value)
		default:
			fields[key.Value] = value
		}
	}
	return fields
}

// items returns the items of the list that is the named field, which must have one.
func (p *nodes) items(parent *yaml.Node, fields map[string]*yaml.Node, path, name string) []*yaml.Node {
	path = join(path, name)
	if fields[name] == nil {
		p.bad(parent, path, "missing; want a list of at least one item")
		return nil
	}
	node := follow(fields[name])
	if node.Kind != yaml.SequenceNode || len(node.Content) == 0 {
		p.bad(node, path, "want a list of at least one item")
		return nil
	}
	return node.Content
}

// required returns the string that is the named field, which must not be empty. ok says that it is
// so.
func (p *nodes) required(parent *yaml.Node, fields map[string]*yaml.Node, path, name string) (s string, ok bool) {
	path = join(path, name)
	if fields[name] == nil {
		p.bad(parent, path, "missing")
		return "", false
	}
	s, ok = p.text(fields[name], path)
	if ok && s == "" {
		p.bad(fields[name], path, "is empty")
	}
	return s, ok && s != ""
}

// text returns the string that node is. Its content is in no error: it may be a key.
func (p *nodes) text(node *yaml.Node, path string) (s string, ok bool) {
	node = follow(node)
	if node.Kind != yaml.ScalarNode || node.Tag != "!!str" {
		p.bad(node, path, "want a string; one that looks like something else goes into quotes")
		return "", false
	}
	return node.Value, true
}

// follow returns what an alias stands for. The walk over the document goes as deep as the schema,
// so that it ends in a document that holds itself, too.
func follow(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// nearest is node, or its parent if there is none.
func nearest(node, parent *yaml.Node) *yaml.Node {
	if node == nil {
		return parent
	}
	return node
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func has(list []string, s string) bool {
	for _, item := range list {
		if item == s {
			return true
		}
	}
	return false
}

// meant is the end of a message about an unknown word.
func meant(word string, known []string) string {
	if s := suggest.Nearest(word, known); s != "" {
		return fmt.Sprintf("; did you mean %s?", s)
	}
	return ""
}
