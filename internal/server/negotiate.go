package server

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// The media types of answers and bodies, and of watch streams; the first is what a client gets that
// asks for nothing.
var (
	mediaTypes  = []rest.MediaType{rest.JSON, rest.YAML, rest.Protobuf}
	streamTypes = []rest.MediaType{rest.JSON, rest.Protobuf}
)

// form is how the client wants its answer: one of the types on offer, or a 406. Only objects and
// lists of them are turned into something else, see transformed.
func (c *call) form(offers []rest.MediaType) (rest.Form, error) {
	if c.resource == nil {
		return c.plainForm(offers)
	}
	mediaType, w, ok := negotiate(c.req.Header["Accept"], offers, c.writable)
	if !ok {
		return rest.Form{}, notAcceptable(objectTypes(c.resource, offers))
	}
	return c.transformed(rest.Form{MediaType: mediaType, Pretty: c.pretty(w)}, w.transform)
}

// plainForm is form for what is never turned into something else, like an error.
func (c *call) plainForm(offers []rest.MediaType) (rest.Form, error) {
	mediaType, w, ok := negotiate(c.req.Header["Accept"], offers, plain)
	if !ok {
		return rest.Form{}, notAcceptable(offers)
	}
	return rest.Form{MediaType: mediaType, Pretty: c.pretty(w)}, nil
}

// streamForm is form for a watch, which is never indented.
func (c *call) streamForm() (rest.Form, error) {
	mediaType, w, ok := negotiate(c.req.Header["Accept"], streamTypes, c.writable)
	if !ok {
		var offers []rest.MediaType
		for _, t := range objectTypes(c.resource, streamTypes) {
			offers = append(offers, t+";stream=watch")
		}
		return rest.Form{}, notAcceptable(offers)
	}
	return c.transformed(rest.Form{MediaType: mediaType}, w.transform)
}

// wish is what the parameters of one clause ask for; those that we don't know mean nothing.
type wish struct {
	transform transform
	stream    string
	pretty    bool
}

// plain accepts clauses that ask for the object itself. Others are skipped: a client that would
// like a Table lists JSON behind it.
func plain(_ rest.MediaType, w wish) bool {
	return w.transform == (transform{}) && (w.stream == "" || w.stream == "watch")
}

// transformable also accepts clauses that ask for something that objects can be turned into, in
// this media type.
func transformable(offer rest.MediaType, w wish) bool {
	if plain(offer, w) {
		return true
	}
	return w.transform.fits(offer) && (w.stream == "" || w.stream == "watch")
}

// writable is transformable for the objects of the resource, which may have no protobuf, while
// their metadata always has, and the Status of a deletion.
func (c *call) writable(offer rest.MediaType, w wish) bool {
	if c.resource.Documents && offer == rest.Protobuf && w.transform == (transform{}) && c.info.Verb != "delete" {
		return false
	}
	return transformable(offer, w)
}

// objectTypes are those of some media types that the objects of a resource have.
func objectTypes(r *rest.Resource, types []rest.MediaType) []rest.MediaType {
	if !r.Documents {
		return types
	}
	return slices.DeleteFunc(slices.Clone(types), func(t rest.MediaType) bool { return t == rest.Protobuf })
}

// negotiate finds the first clause, best first, for which there is an offer that accept agrees to.
func negotiate(header []string, offers []rest.MediaType, accept func(rest.MediaType, wish) bool) (rest.MediaType, wish, bool) {
	if len(header) == 0 || len(header) == 1 && header[0] == "" {
		return offers[0], wish{}, true
	}
	if len(header) == 1 && slices.Contains(offers, rest.MediaType(header[0])) && accept(rest.MediaType(header[0]), wish{}) {
		return rest.MediaType(header[0]), wish{}, true
	}
	for _, clause := range parseAccept(strings.Join(header, ",")) {
		for _, offer := range offers {
			if clause.matches(offer) && accept(offer, clause.wish) {
				return offer, clause.wish, true
			}
		}
	}
	return "", wish{}, false
}

// clause is one element of an Accept header.
type clause struct {
	mediaRange string
	quality    float64
	wish       wish
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
		c.wish.transform.kind = value
	case "g":
		c.wish.transform.group = value
	case "v":
		c.wish.transform.version = value
	case "stream":
		c.wish.stream = value
	case "pretty":
		c.wish.pretty = value == "1"
	}
}

// pretty says whether a person reads the answer. An explicit ?pretty= has the last word.
func (c *call) pretty(w wish) bool {
	if text := c.query.Get("pretty"); text != "" {
		wanted, _ := strconv.ParseBool(text)
		return wanted
	}
	agent := c.req.UserAgent()
	return w.pretty || strings.HasPrefix(agent, "curl") || strings.HasPrefix(agent, "Wget") || strings.HasPrefix(agent, "Mozilla/5.0")
}

// bodyType is the form of the body. A body without a type is JSON: kubectl scale sends such.
func (c *call) bodyType() (rest.MediaType, error) {
	if t, ok := serializer.TypeOf(c.req.Header.Get("Content-Type")); ok {
		return rest.MediaType(t.MediaType), nil
	}
	return "", unsupportedMediaType(joinTypes(mediaTypes))
}

// objectType is bodyType for an object of the resource.
func (c *call) objectType() (rest.MediaType, error) {
	mediaType, err := c.bodyType()
	if types := objectTypes(c.resource, mediaTypes); err == nil && !slices.Contains(types, mediaType) {
		err = unsupportedMediaType(joinTypes(types))
	}
	return mediaType, err
}

func unsupportedMediaType(accepted string) error {
	return statusError(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
		"the body of the request was in an unknown format - accepted media types include: "+accepted)
}

func notAcceptable(offers []rest.MediaType) error {
	return statusError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
		"only the following media types are accepted: "+joinTypes(offers))
}

func statusError(code int32, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message}}
}

func joinTypes[T ~string](types []T) string {
	var b strings.Builder
	for i, t := range types {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(t))
	}
	return b.String()
}
