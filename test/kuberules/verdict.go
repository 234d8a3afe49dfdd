package kuberules

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// verdict is what somebody says of an object.
type verdict struct {
	accepted bool
	unread   bool     // it could not be decoded
	causes   []string // like "spec.replicas: FieldValueInvalid"
	message  string   // for people
}

// verdictOf reads the answer to a write.
func verdictOf(s *metav1.Status) verdict {
	v := verdict{message: s.Message, unread: s.Reason == metav1.StatusReasonBadRequest}
	if s.Details != nil {
		for _, c := range s.Details.Causes {
			v.causes = append(v.causes, fmt.Sprintf("%s: %s", c.Field, c.Type))
		}
	}
	return v
}

// named is a verdict in the words of a kube-apiserver.
func (v verdict) named(kind string) verdict {
	causes := make([]string, len(v.causes))
	for i, c := range v.causes {
		causes[i] = inTheirWords(kind, c)
	}
	v.causes = causes
	return v
}

// repeated is a cause that another verdict has, too, less often; "" for none. Two of our rules say
// it.
func (v verdict) repeated(other verdict) string {
	for _, cause := range v.causes {
		if n := count(other.causes, cause); n > 0 && count(v.causes, cause) > n {
			return cause
		}
	}
	return ""
}

func count(all []string, one string) (n int) {
	for _, s := range all {
		if s == one {
			n++
		}
	}
	return n
}

func eachOnce(causes []string) []string { return slices.Compact(slices.Sorted(slices.Values(causes))) }

// same says whether two verdicts are one: what can't be read has no fields to compare.
func (v verdict) same(o verdict) bool {
	if v.accepted || o.accepted || v.unread || o.unread {
		return v.accepted == o.accepted
	}
	return slices.Equal(eachOnce(v.causes), eachOnce(o.causes))
}

func (v verdict) String() string {
	switch {
	case v.accepted:
		return "accepted"
	case len(v.causes) == 0:
		return "refused: " + v.message
	}
	return "refused: " + strings.Join(eachOnce(v.causes), ", ")
}
