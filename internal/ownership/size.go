package ownership

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// maxValues is how many members of objects and items of lists there may be in a patch that is
// applied, and in the object that it is applied to. To merge them takes some kilobytes for each.
const maxValues = 100_000

// checkSize refuses to apply where a tree has too many values. The error is an API status, in which
// what is the tree's name.
func checkSize(what string, object map[string]any) error {
	if room := maxValues; fits(object, &room) {
		return nil
	}
	return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf(
		"%s has more than %d members and items, for which server-side apply has no room: use an update or another type of patch",
		what, maxValues))
}

// fits says whether there are no more values in a value than room, of which it takes them.
func fits(value any, room *int) bool {
	switch value := value.(type) {
	case map[string]any:
		if *room -= len(value); *room < 0 {
			return false
		}
		for _, inner := range value {
			if !fits(inner, room) {
				return false
			}
		}
	case []any:
		if *room -= len(value); *room < 0 {
			return false
		}
		for _, item := range value {
			if !fits(item, room) {
				return false
			}
		}
	}
	return true
}
