package load

import (
	"bytes"
	"fmt"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// readFiles reads the source files of packages of the main module, several at a time, except those
// that we generate.
func (s *Set) readFiles(nodes []*node) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, n := range nodes {
		if n.sources != nil {
			continue
		}
		n.sources = make([][]byte, len(n.files))
		group.Go(func() error {
			for i, name := range n.files {
				if generatedName(filepath.Base(name)) {
					continue
				}
				data, err := s.readFile(name)
				if err != nil {
					return fmt.Errorf("load packages: %w", err)
				}
				n.sources[i] = data
			}
			return nil
		})
	}
	return group.Wait()
}

// ours are the beginnings of tags that make a package interesting.
var ours = [][]byte{[]byte("+k8s:"), []byte("+protobuf"), []byte("+kubebuilder:"), []byte("+typeplane:"), []byte("+groupName")}

// hasTags looks at bytes only: a package without tags need not be parsed at all.
func hasTags(n *node) bool {
	for _, data := range n.sources {
		for _, prefix := range ours {
			if bytes.Contains(data, prefix) {
				return true
			}
		}
	}
	return false
}
