package registry

import "github.com/typeplane/typeplane/storage"

// weigh guesses what a list of a namespace is made of. Only a store that is in memory knows.
func (s *store) weigh(namespace string) (objects, bytes int64, ok bool) {
	weigher, ok := s.backend.(storage.Weigher)
	if !ok {
		return 0, 0, false
	}
	prefix, err := s.Keys.Collection(namespace)
	if err != nil {
		return 0, 0, true // there is no such namespace
	}
	return weigher.Weigh(prefix)
}
