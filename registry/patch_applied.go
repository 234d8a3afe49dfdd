package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/typeplane/typeplane/registry/internal/patch"
	runtimejson "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/quantity"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// appliedPatch is the content of an apply patch: a part of an object. It is not modified.
type appliedPatch struct{ content map[string]any }

// toCreate is the patch without what nobody may set of a new object, so that nobody owns it.
func (p appliedPatch) toCreate() appliedPatch {
	meta, _ := p.content["metadata"].(map[string]any)
	wiped := maps.Clone(meta)
	delete(wiped, "deletionTimestamp")
	delete(wiped, "deletionGracePeriodSeconds")
	if len(wiped) == len(meta) {
		return p
	}
	content := maps.Clone(p.content)
	content["metadata"] = wiped
	return appliedPatch{content}
}

// readContent makes an applied patch of JSON. strict are the fields that are there twice. The error
// is an API status.
func (e *endpoint) readContent(data []byte) (applied appliedPatch, strict []error, err error) {
	if strict, err = patch.ReadObject(data, &applied.content); err != nil {
		return applied, nil, err
	}
	if err := checkApplied(applied.content, e.Kind.GroupVersionKind()); err != nil {
		return applied, nil, err
	}
	if number := inexact(data); number != "" {
		return applied, nil, patch.Bad(fmt.Errorf("%s is too large for an apply patch, which keeps integers up to %d: use an update or another type of patch", number, int64(math.MaxInt64)))
	}
	// The Go type finds values of a wrong type, the schema finds unknown fields, and list items
	// that are there twice.
	if err := e.fits(data, applied.content); err != nil {
		return applied, nil, err
	}
	if err := e.owners.Check(applied.content); err != nil {
		return applied, nil, err
	}
	return applied, strict, nil
}

// fits says why data is no object of the kind; content is what it says. The error is an API status.
// An apply patch is YAML, which knows no kinds of numbers: 1.0 and 1e0 are integers, too.
func (e *endpoint) fits(data []byte, content map[string]any) error {
	read := func(data []byte) error {
		_, err := e.Kind.ReadJSONWithin(data, e.Kind.New(), serializer.MaxMemory)
		return err
	}
	switch err := read(data); {
	case err == nil:
		return nil
	case errors.Is(err, runtimejson.ErrTooLarge), errors.Is(err, quantity.ErrTooLarge):
		return patch.Unreadable(err)
	}
	if again, err := runtimejson.AppendAny(nil, content); err == nil && read(again) == nil {
		return nil
	}
	// The words are those of the library.
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, e.Kind.New()); err != nil {
		return patch.Bad(err)
	}
	return nil
}

// inexact returns an integer of valid JSON that fits neither into an int64 nor, exactly, into a
// float64, which the library takes it for. "" says that there is none.
func inexact(data []byte) string {
	if !hasDigits(data, len("9223372036854775808")) {
		return "" // as nearly always
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return ""
		}
		number, ok := token.(json.Number)
		if !ok || len(number) < len("9223372036854775808") || strings.ContainsAny(string(number), ".eE") {
			continue
		}
		if _, err := number.Int64(); err == nil {
			continue
		}
		if f, err := number.Float64(); err != nil || strconv.FormatFloat(f, 'f', 0, 64) != string(number) {
			return string(number)
		}
	}
}

// hasDigits says whether there are so many digits side by side.
func hasDigits(data []byte, n int) bool {
	run := 0
	for _, c := range data {
		if c < '0' || c > '9' {
			run = 0
		} else if run++; run == n {
			return true
		}
	}
	return false
}

// checkApplied refuses the content of an apply patch that is of another kind, or says who owns
// what.
func checkApplied(content map[string]any, want schema.GroupVersionKind) error {
	apiVersion, _ := content["apiVersion"].(string)
	kind, _ := content["kind"].(string)
	if apiVersion != want.GroupVersion().String() || kind != want.Kind {
		return patch.Bad(fmt.Errorf("it says that it is a %s, Kind=%s; want apiVersion %s and kind %s", apiVersion, kind, want.GroupVersion(), want.Kind))
	}
	if meta, ok := content["metadata"].(map[string]any); ok && meta["managedFields"] != nil {
		return apierrors.NewBadRequest("metadata.managedFields must be nil: an apply patch can't say who owns what")
	}
	return nil
}
