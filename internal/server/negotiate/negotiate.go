// Package negotiate reads what a client accepts: the clauses of Accept, with what the answer is to
// be turned into. Start reading at Find.
package negotiate

import (
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/writesteps"
	"github.com/typeplane/typeplane/registry/rest"
)

// The media types of answers and bodies, and of watch streams; the first is what a client gets that
// asks for nothing.
var (
	MediaTypes  = []rest.MediaType{rest.JSON, rest.YAML, rest.Protobuf}
	StreamTypes = []rest.MediaType{rest.JSON, rest.Protobuf}
)

// Wish is what the parameters of one clause ask for; those that we don't know mean nothing.
type Wish struct {
	Transform Transform
	Stream    string
	Pretty    bool
}

// Plain accepts clauses that ask for the object itself. Others are skipped: a client that would
// like a Table lists JSON behind it.
func Plain(_ rest.MediaType, w Wish) bool {
	return w.Transform == (Transform{}) && (w.Stream == "" || w.Stream == "watch")
}

// Transformable also accepts clauses that ask for something that objects can be turned into, in
// this media type.
func Transformable(offer rest.MediaType, w Wish) bool {
	if Plain(offer, w) {
		return true
	}
	return w.Transform.Fits(offer) && (w.Stream == "" || w.Stream == "watch")
}

// ObjectTypes are those of some media types that the objects of a resource have.
func ObjectTypes(r *rest.Resource, types []rest.MediaType) []rest.MediaType {
	if !r.Documents {
		return types
	}
	return slices.DeleteFunc(slices.Clone(types), func(t rest.MediaType) bool { return t == rest.Protobuf })
}

// Find returns the first clause of Accept, best first, for which there is an offer that accept
// agrees to. A client that accepts nothing in particular gets the first offer.
func Find(header []string, offers []rest.MediaType, accept func(rest.MediaType, Wish) bool) (rest.MediaType, Wish, bool) {
	if len(header) == 0 || len(header) == 1 && header[0] == "" {
		return offers[0], Wish{}, true
	}
	if len(header) == 1 && slices.Contains(offers, rest.MediaType(header[0])) && accept(rest.MediaType(header[0]), Wish{}) {
		return rest.MediaType(header[0]), Wish{}, true
	}
	for _, clause := range parseAccept(strings.Join(header, ",")) {
		for _, offer := range offers {
			if clause.matches(offer) && accept(offer, clause.wish) {
				return offer, clause.wish, true
			}
		}
	}
	return "", Wish{}, false
}

// clause is one element of an Accept header.
type clause struct {
	mediaRange string
	quality    float64
	wish       Wish
}

func (c clause) matches(offer rest.MediaType) bool {
	return c.mediaRange == "*/*" || c.mediaRange == "*" || c.mediaRange == string(offer) ||
		strings.HasSuffix(c.mediaRange, "/*") && strings.HasPrefix(string(offer), strings.TrimSuffix(c.mediaRange, "*"))
}

// specificity orders clauses of the same quality: what is named comes before what is not.
func (c clause) specificity() int {
	switch {
	case c.mediaRange == "*/*" || c.mediaRange == "*":
		return 0
	case strings.HasSuffix(c.mediaRange, "/*"):
		return 1
	}
	return 2
}

// parseAccept gives the clauses, best first. It forgives what it can't read; a quality of 0 means
// never.
func parseAccept(header string) []clause {
	var clauses []clause
	for element := range strings.SplitSeq(header, ",") {
		mediaRange, parameters, _ := strings.Cut(element, ";")
		c := clause{mediaRange: strings.ToLower(strings.TrimSpace(mediaRange)), quality: 1}
		for parameter := range strings.SplitSeq(parameters, ";") {
			key, value, ok := strings.Cut(parameter, "=")
			if !ok {
				continue
			}
			c.set(strings.ToLower(strings.TrimSpace(key)), strings.Trim(strings.TrimSpace(value), `"`))
		}
		if c.mediaRange != "" && c.quality > 0 {
			clauses = append(clauses, c)
		}
	}
	slices.SortStableFunc(clauses, func(a, b clause) int {
		switch {
		case a.quality > b.quality:
			return -1
		case a.quality < b.quality:
			return 1
		}
		return b.specificity() - a.specificity()
	})
	return clauses
}

func (c *clause) set(key, value string) {
	switch key {
	case "q":
		quality, err := strconv.ParseFloat(value, 64)
		if err == nil {
			c.quality = quality
		}
	case "as":
		c.wish.Transform.Kind = value
	case "g":
		c.wish.Transform.Group = value
	case "v":
		c.wish.Transform.Version = value
	case "stream":
		c.wish.Stream = value
	case "pretty":
		c.wish.Pretty = value == "1"
	}
}

// Transform is the kind into which a clause of Accept wants the answer changed
// ("as=Table;v=v1;g=meta.k8s.io").
type Transform struct{ Kind, Group, Version string }

// The kinds that objects and lists can be turned into. The list of metadata is one that clients
// have to ask for by name.
const (
	Table       = "Table"
	Partial     = "PartialObjectMetadata"
	PartialList = "PartialObjectMetadataList"
)

// Steps has an answer to the try of a write turned into what becomes of the object on the way.
var Steps = Transform{writesteps.Kind, writesteps.Group, writesteps.Version}

// Fits says whether objects can be turned into this kind, and the kind be written as mediaType.
func (t Transform) Fits(mediaType rest.MediaType) bool {
	if t == Steps {
		return mediaType == rest.JSON
	}
	if t.Group != metav1.GroupName {
		return false
	}
	if t.Version != "v1" && t.Version != "v1beta1" {
		return false
	}
	switch t.Kind {
	case Table:
		// Cells are of any type, for which protobuf has no form.
		return mediaType != rest.Protobuf
	case Partial, PartialList:
		return true
	}
	return false
}

// Join lists names in a message.
func Join[T ~string](types []T) string {
	var b strings.Builder
	for i, t := range types {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(t))
	}
	return b.String()
}
