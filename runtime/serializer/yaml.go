package serializer

import (
	"bytes"
	"errors"
	"fmt"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// maxExpanded is how many bytes a YAML document may have once its aliases are replaced by what they stand for. It is
// well over what a server accepts as a body, so only documents that are made to expand get there.
const maxExpanded = 16 << 20

func readYAML(data []byte) (source, error) {
	j, strict, err := YAMLToJSON(data)
	if err != nil {
		return nil, err
	}
	return jsonSource{data: j, strict: strict}, nil
}

// YAMLToJSON makes one JSON value of a YAML document, whatever is in it. Strict are the fields that are there twice, of
// which the last one counts.
func YAMLToJSON(data []byte) (j []byte, strict []error, err error) {
	if err := checkAliases(data); err != nil {
		return nil, nil, err
	}
	j, err = yaml.YAMLToJSONStrict(data)
	if err == nil {
		return j, nil, nil
	}
	// It may be only that a field is there twice, which is for the caller to judge.
	duplicates := err
	if j, err = yaml.YAMLToJSON(data); err != nil {
		return nil, nil, err
	}
	return j, []error{duplicates}, nil
}

// checkAliases refuses a document that gets out of hand when its aliases are expanded. Decoders share what an alias
// stands for, but the JSON that is made of it does not.
func checkAliases(data []byte) error {
	if bytes.IndexByte(data, '*') < 0 || bytes.IndexByte(data, '&') < 0 {
		return nil
	}
	var doc yamlv3.Node
	if err := yamlv3.Unmarshal(data, &doc); err != nil {
		return err
	}
	e := expansion{sizes: map[*yamlv3.Node]int{}}
	if size := e.of(&doc); size > maxExpanded {
		return fmt.Errorf("yaml: the document expands to more than %d bytes: use fewer aliases", maxExpanded)
	}
	return e.err
}

// expansion measures nodes, each anchored one once.
type expansion struct {
	sizes map[*yamlv3.Node]int // -1 while a node is being measured
	err   error
}

// of returns about how long the JSON of n is, or something over the limit.
func (e *expansion) of(n *yamlv3.Node) int {
	if n.Kind == yamlv3.AliasNode {
		n = n.Alias
	}
	if n == nil {
		return 0
	}
	if size, ok := e.sizes[n]; ok {
		if size < 0 {
			e.err = errors.New("yaml: an anchor contains an alias to itself")
			return 0
		}
		return size
	}
	if n.Anchor != "" {
		e.sizes[n] = -1
	}
	size := len(n.Value) + 4
	for _, c := range n.Content {
		if size += e.of(c); size > maxExpanded {
			size = maxExpanded + 1
			break
		}
	}
	if n.Anchor != "" {
		e.sizes[n] = size
	}
	return size
}
