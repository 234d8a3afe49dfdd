package ownership

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Sets of fields keep what is in them in order. So what a list or map costs may grow with the square
// of its length. These are some tenths of a second, of the patch and of the object.
const (
	maxApplied = 4_000
	maxPairs   = maxApplied * maxApplied
)

// checkNarrow refuses to apply where a tree has lists or maps that are too long. The error is an
// API status, in which what is the tree's name.
func checkNarrow(what string, object map[string]any) error {
	if room := maxPairs; narrow(object, &room) {
		return nil
	}
	return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf(
		"%s has lists or maps that are too long for server-side apply, which has room for one of %d items, or for more that are shorter: use an update or another type of patch",
		what, maxApplied))
}

// narrow says whether the squares of the lengths of all lists and maps are together no more than
// room, of which it takes them.
func narrow(value any, room *int) bool {
	switch value := value.(type) {
	case map[string]any:
		if *room -= len(value) * len(value); *room < 0 {
			return false
		}
		for _, inner := range value {
			if !narrow(inner, room) {
				return false
			}
		}
	case []any:
		if *room -= len(value) * len(value); *room < 0 {
			return false
		}
		for _, item := range value {
			if !narrow(item, room) {
				return false
			}
		}
	}
	return true
}
