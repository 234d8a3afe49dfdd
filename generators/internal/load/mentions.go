package load

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
)

// Mentions tells whether a word stands in a hand-written Go file of the package. Unlike the model
// it looks into the bodies of functions.
func (p *Package) Mentions(word string) bool {
	return slices.ContainsFunc(p.node.files, func(name string) bool {
		if slices.Contains(p.generated, filepath.Base(name)) {
			return false
		}
		text, err := os.ReadFile(name)
		return err == nil && bytes.Contains(text, []byte(word))
	})
}
