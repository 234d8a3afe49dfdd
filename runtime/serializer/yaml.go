package serializer

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/yaml"
)

// maxExpanded is how many bytes a YAML document may have once its aliases are replaced by what they
// stand for. It is well over what a server accepts as a body, so only documents that are made to
// expand get there.
const maxExpanded = 16 << 20

// maxSigns is how many signs of structure a stranger's YAML document may have. Each can be a value,
// which takes several hundred bytes and microseconds until it is JSON.
const maxSigns = 150_000

func readYAML(data []byte, stranger bool) (source, error) {
	convert := yamlToJSON
	if stranger {
		convert = YAMLToJSON
	}
	j, strict, err := convert(data)
	if err != nil {
		return nil, err
	}
	return jsonSource{data: j, strict: strict}, nil
}

// YAMLToJSON makes one JSON value of a YAML document, whatever is in it. Strict are the fields that
// are there twice, of which the last one counts. It is for data of a stranger: a document with too
// many values is a 413.
func YAMLToJSON(data []byte) (j []byte, strict []error, err error) {
	if !fewSigns(data) {
		return nil, nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("the YAML document has more than %d items: send it as JSON", maxSigns))
	}
	return yamlToJSON(data)
}

func yamlToJSON(data []byte) (j []byte, strict []error, err error) {
	if err := checkAliases(data); err != nil {
		return nil, nil, err
	}
	j, err = yaml.YAMLToJSONStrict(data)
	if err == nil {
		return j, nil, nil
	}
	// It may be only that a field is there twice, which is for the caller to judge.
	duplicates := bounded(err)
	if j, err = yaml.YAMLToJSON(data); err != nil {
		return nil, nil, err
	}
	return j, []error{duplicates}, nil
}

// maxErrorText is how long an error about a document may be: it can name every line.
const maxErrorText = 4 << 10

// bounded is an error whose text is not too long to be told.
func bounded(err error) error {
	text := err.Error()
	if len(text) <= maxErrorText {
		return err
	}
	return errors.New(strings.ToValidUTF8(text[:maxErrorText], "") + " ...")
}

// fewSigns says whether a document can't have more than maxSigns values. Text in blocks (after | or
// >) does not count: that is where documents have most of it.
func fewSigns(data []byte) bool {
	if len(data) < maxSigns {
		return true
	}
	signs, block := 0, -1 // block is how far the line is indented that a block belongs to
	for line := range bytes.Lines(data) {
		text := bytes.TrimLeft(line, " ")
		indent := len(line) - len(text)
		text = bytes.TrimRight(text, " \r\n")
		if block >= 0 && (indent > block || len(text) == 0) {
			continue
		}
		block = -1
		if beginsBlock(text) {
			block = indent
		}
		signs++
		for _, c := range text {
			switch c {
			case ',', ':', '[', '{', '-', '&', '*', '?':
				signs++
			}
		}
		if signs > maxSigns {
			return false
		}
	}
	return true
}

// beginsBlock says whether a line ends as one does that text in a block follows.
func beginsBlock(line []byte) bool {
	line = bytes.TrimRight(line, "+-0123456789")
	return bytes.HasSuffix(line, []byte(" |")) || bytes.HasSuffix(line, []byte(" >"))
}

// checkAliases refuses a document that gets out of hand when its aliases are expanded. Decoders
// share what an alias stands for, but the JSON that is made of it does not.
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
