// Package documents compares what two servers make of objects, field by field, and knows for which
// differences there is a reason. Start reading at Comparison.
package documents

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Reason is why some fields may differ. A place is kinds, a space, and the path of a field, without
// the indexes of items, like "Pod spec.containers.image": a regular expression that matches the
// whole.
type Reason struct {
	Why    string
	Places []string
}

// Reasons are those of a test, and count for how many differences each was the reason.
type Reasons struct {
	known []Reason
	used  map[string]int
}

// Known makes Reasons.
func Known(known []Reason) *Reasons { return &Reasons{known, map[string]int{}} }

// why is the reason for a difference, "" if there is none.
func (r *Reasons) why(kind, path string) string {
	for _, k := range r.known {
		if slices.ContainsFunc(k.Places, func(place string) bool { return whole(place, kind+" "+path) }) {
			return k.Why
		}
	}
	return ""
}

func whole(pattern, s string) bool { return regexp.MustCompile("^(?:" + pattern + ")$").MatchString(s) }

// Needed fails for each reason that no difference had.
func (r *Reasons) Needed(t testing.TB) {
	t.Helper()
	for _, k := range r.known {
		t.Logf("%4d: %s", r.used[k.Why], k.Why)
		if r.used[k.Why] == 0 {
			t.Errorf("no difference has this reason any more: %s", k.Why)
		}
	}
}

// Comparison is of what two servers answer for objects of one kind. The zero value but for the kind
// is ready.
type Comparison struct {
	Kind     string
	Compared int
	found    map[string]difference // by the path of the field
}

// difference is a field in which the two differ.
type difference struct {
	times        int
	theirs, ours any      // in the first object
	of           []string // that object, and a few others
}

// fewObjects is how many objects are shown for a difference.
const fewObjects = 4

// Compare compares two documents that were made of one object.
func (c *Comparison) Compare(theirs, ours []byte, of string) error {
	var a, b any
	if err := json.Unmarshal(theirs, &a); err != nil {
		return fmt.Errorf("theirs: %w", err)
	}
	if err := json.Unmarshal(ours, &b); err != nil {
		return fmt.Errorf("ours: %w", err)
	}
	c.Compared++
	differ("", a, b, func(path string, theirs, ours any) {
		d, ok := c.found[path]
		if !ok {
			d = difference{theirs: theirs, ours: ours}
		}
		if d.times++; d.times <= fewObjects {
			d.of = append(d.of, fmt.Sprintf("%.2000s", of))
		}
		if c.found == nil {
			c.found = map[string]difference{}
		}
		c.found[path] = d
	})
	return nil
}

// differ calls found for each field in which two documents differ.
func differ(path string, theirs, ours any, found func(path string, theirs, ours any)) {
	switch theirs := theirs.(type) {
	case map[string]any:
		ours, ok := ours.(map[string]any)
		if !ok {
			break
		}
		all := maps.Clone(theirs)
		maps.Copy(all, ours)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			below := name
			if path != "" {
				below = path + "." + name
			}
			differ(below, theirs[name], ours[name], found)
		}
		return
	case []any:
		ours, ok := ours.([]any)
		if !ok || len(theirs) != len(ours) {
			break
		}
		for i := range theirs {
			differ(path, theirs[i], ours[i], found)
		}
		return
	}
	if !reflect.DeepEqual(theirs, ours) && (!isNow(theirs) || !isNow(ours)) {
		found(path, theirs, ours)
	}
}

// isNow says whether a value is the time at which a server has answered.
func isNow(v any) bool {
	s, _ := v.(string)
	at, err := time.Parse(time.RFC3339, s)
	return err == nil && time.Since(at).Abs() < time.Hour
}

// Report fails for each difference without a reason.
func (c *Comparison) Report(t testing.TB, reasons *Reasons) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(c.found)) {
		d := c.found[path]
		why := reasons.why(c.Kind, path)
		if reasons.used[why] += d.times; why == "" {
			t.Errorf("%s: %s differs in %d of %d answers\n\tkube-apiserver: %s\n\tours:           %s\n\tof %s",
				c.Kind, path, d.times, c.Compared, text(d.theirs), text(d.ours), strings.Join(d.of, "\n\tand of "))
		}
	}
}

func text(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%.300s", out)
}
