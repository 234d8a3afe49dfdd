package ownership

import (
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/typeplane/typeplane/runtime/fieldset"
)

// conflict is a field that an apply patch would take from another manager.
type conflict struct {
	with *metav1.ManagedFieldsEntry
	text string // identityText of it
	path fieldpath.Path
}

// conflicts are those with one manager after those with another.
type conflicts []conflict

func (c conflicts) Error() string { return c.status().Error() }

// conflictsWith are those of the fields that are the owner's.
func conflictsWith(o *owner, fields *fieldset.Set) (found conflicts, err error) {
	if n, err := o.has(fields); n == 0 || err != nil {
		return nil, err
	}
	text, err := fieldset.Without(nil, o.FieldsV1.GetRawBytes(), fields)
	if err != nil {
		return nil, err
	}
	others, err := fieldset.Read(text)
	if err != nil {
		return nil, err
	}
	set, err := o.fields()
	if err != nil {
		return nil, err
	}
	with := o.ManagedFieldsEntry
	name := identityText(with)
	set.Difference(others).Iterate(func(path fieldpath.Path) {
		found = append(found, conflict{&with, name, path.Copy()})
	})
	return found, nil
}

// maxNamed is about how many bytes of paths a client is told of. A name that is on the way to many
// fields would stand before each of them.
const maxNamed = 512 << 10

// status is the API status of conflicts, in the words of Kubernetes. Of very many only the first
// are named.
func (c conflicts) status() error {
	slices.SortStableFunc(c, func(a, b conflict) int { return strings.Compare(a.text, b.text) })
	var causes []metav1.StatusCause
	for room := maxNamed; len(causes) < len(c) && room > 0; {
		one := c[len(causes)]
		causes = append(causes, metav1.StatusCause{
			Type: metav1.CauseTypeFieldManagerConflict, Message: "conflict with " + described(one.with), Field: one.path.String(),
		})
		room -= len(causes[len(causes)-1].Field)
	}
	return apierrors.NewApplyConflict(causes, c.message(causes))
}

// message names the conflicts that are causes.
func (c conflicts) message(causes []metav1.StatusCause) string {
	if len(c) == 1 {
		return fmt.Sprintf("Apply failed with 1 conflict: %s: %s", causes[0].Message, causes[0].Field)
	}
	var lines []string
	for i, cause := range causes {
		if i == 0 || !sameIdentity(c[i].with, c[i-1].with) {
			lines = append(lines, fmt.Sprintf("conflicts with %s:", described(c[i].with)))
		}
		lines = append(lines, "- "+cause.Field)
	}
	if more := len(c) - len(causes); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("Apply failed with %d conflicts: %s", len(c), strings.Join(lines, "\n"))
}

// described is an owner for messages.
func described(e *metav1.ManagedFieldsEntry) string {
	text := fmt.Sprintf("%q", e.Manager)
	if e.Subresource != "" {
		text += fmt.Sprintf(" with subresource %q", e.Subresource)
	}
	if e.Operation == metav1.ManagedFieldsOperationUpdate {
		text += " using " + e.APIVersion
	}
	return text
}
