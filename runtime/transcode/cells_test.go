package transcode_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/transcode"
)

// columns are paths into an ObjectMeta, and what they lead to.
var columns = []struct {
	path, typ string
	cell      func(in *metav1.ObjectMeta) any
}{
	{".name", "string", func(in *metav1.ObjectMeta) any { return in.Name }},
	{"", "string", func(*metav1.ObjectMeta) any { return nil }},
	{".generation", "integer", func(in *metav1.ObjectMeta) any { return in.Generation }},
	{".generation", "number", func(in *metav1.ObjectMeta) any { return float64(in.Generation) }},
	{".generation", "string", func(in *metav1.ObjectMeta) any { return strconv.FormatInt(in.Generation, 10) }},
	{".creationTimestamp", "date", func(in *metav1.ObjectMeta) any { return in.CreationTimestamp }},
	{".creationTimestamp", "string", func(in *metav1.ObjectMeta) any { return in.CreationTimestamp.UTC().Format(time.RFC3339) }},
	{".deletionTimestamp", "date", func(in *metav1.ObjectMeta) any {
		if in.DeletionTimestamp == nil {
			return nil
		}
		return *in.DeletionTimestamp
	}},
	{".deletionGracePeriodSeconds", "integer", func(in *metav1.ObjectMeta) any {
		if in.DeletionGracePeriodSeconds == nil {
			return nil
		}
		return *in.DeletionGracePeriodSeconds
	}},
	{".finalizers[*]", "string", func(in *metav1.ObjectMeta) any {
		if len(in.Finalizers) == 0 {
			return nil
		}
		return strings.Join(in.Finalizers, ",")
	}},
	{".finalizers[1]", "string", func(in *metav1.ObjectMeta) any {
		if len(in.Finalizers) < 2 {
			return nil
		}
		return in.Finalizers[1]
	}},
	{".ownerReferences[-1].uid", "string", func(in *metav1.ObjectMeta) any {
		if len(in.OwnerReferences) == 0 {
			return nil
		}
		return string(in.OwnerReferences[len(in.OwnerReferences)-1].UID)
	}},
	{".ownerReferences[-3].kind", "string", func(in *metav1.ObjectMeta) any {
		if len(in.OwnerReferences) < 3 {
			return nil
		}
		return in.OwnerReferences[len(in.OwnerReferences)-3].Kind
	}},
	{".ownerReferences[?(@.controller==true)].name", "string", func(in *metav1.ObjectMeta) any {
		for _, o := range in.OwnerReferences {
			if o.Controller != nil && *o.Controller {
				return o.Name
			}
		}
		return nil
	}},
	{".ownerReferences[?(@.blockOwnerDeletion!=true)].controller", "boolean", func(in *metav1.ObjectMeta) any {
		for _, o := range in.OwnerReferences {
			if o.BlockOwnerDeletion != nil && !*o.BlockOwnerDeletion && o.Controller != nil {
				return *o.Controller
			}
		}
		return nil
	}},
	{`.managedFields[?(@.manager=="plain-name1")].time`, "date", func(in *metav1.ObjectMeta) any {
		for _, m := range in.ManagedFields {
			if m.Manager == "plain-name1" && m.Time != nil {
				return *m.Time
			}
		}
		return nil
	}},
	{".managedFields[*].operation", "string", func(in *metav1.ObjectMeta) any {
		var all []string
		for _, m := range in.ManagedFields {
			all = append(all, string(m.Operation))
		}
		if all == nil {
			return nil
		}
		return strings.Join(all, ",")
	}},
	{".labels.plain-name1", "string", func(in *metav1.ObjectMeta) any {
		if value, ok := in.Labels["plain-name1"]; ok {
			return value
		}
		return nil
	}},
	{".finalizers", "string", func(in *metav1.ObjectMeta) any { return asJSON(in.Finalizers, len(in.Finalizers)) }},
	{".labels", "string", func(in *metav1.ObjectMeta) any { return asJSON(in.Labels, len(in.Labels)) }},
	{".ownerReferences", "string", func(in *metav1.ObjectMeta) any { return asJSON(in.OwnerReferences, len(in.OwnerReferences)) }},
}

func asJSON(value any, n int) any {
	if n == 0 {
		return nil
	}
	data, _ := json.AppendAny(nil, value)
	return string(data)
}

// TestCells reads columns of random metadata: from its bytes, and from the Go value that is decoded
// of them.
func TestCells(t *testing.T) {
	date := func(dst []byte, at time.Time) []byte { return strconv.AppendInt(dst, at.UnixNano(), 10) }
	found := make([]int, len(columns))
	for seed := range int64(2000) {
		fields, err := randomMeta(seed).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		meta := new(metav1.ObjectMeta)
		if err := meta.Unmarshal(fields); err != nil {
			t.Fatal(err)
		}
		for i, column := range columns {
			cells, err := transcode.NewCells(&transcode.ObjectMeta, []transcode.Column{{Path: column.path, Type: column.typ}})
			if err != nil {
				t.Fatal(err)
			}
			cell := column.cell(meta)
			want, err := json.AppendAny(nil, cell)
			if at, ok := cell.(metav1.Time); ok {
				want = date(nil, at.Time)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, err := cells.Append([]byte("x"), fields, date); err != nil || string(got) != "x"+string(want) {
				t.Fatalf("seed %d: %s as %s is %s, want %s (%v)", seed, column.path, column.typ, got, want, err)
			}
			if cell != nil {
				found[i]++
			}
		}
	}
	for i, column := range columns {
		if column.path != "" && found[i] < 20 {
			t.Errorf("%s has led to something only %d times", column.path, found[i])
		}
	}
}

// TestNoWord: what can't be read from bytes as Go values show it is decoded; a path that is none is
// a mistake.
func TestNoWord(t *testing.T) {
	for _, column := range []transcode.Column{
		{Path: ".resourceVersion", Type: "string"},
		{Path: ".nothing", Type: "string"},
		{Path: ".name.more", Type: "string"},
		{Path: ".name", Type: "integer"},
		{Path: ".name[0]", Type: "string"},
		{Path: ".labels[0]", Type: "string"},
		{Path: ".finalizers.first", Type: "string"},
		{Path: ".finalizers", Type: "integer"},
		{Path: ".managedFields[*].fieldsV1", Type: "string"},
		{Path: ".ownerReferences[?(@.nothing==true)].name", Type: "string"},
		{Path: ".ownerReferences[?(@.name==1)].name", Type: "string"},
	} {
		if _, err := transcode.NewCells(&transcode.ObjectMeta, []transcode.Column{column}); !errors.Is(err, transcode.ErrNoWord) {
			t.Errorf("%s as %s: %v, want ErrNoWord", column.Path, column.Type, err)
		}
	}
	if _, err := transcode.NewCells(&transcode.ObjectMeta, []transcode.Column{{Path: "name", Type: "string"}}); err == nil || errors.Is(err, transcode.ErrNoWord) {
		t.Errorf("a path without a dot: %v, want a mistake", err)
	}
}

func BenchmarkCells(b *testing.B) {
	cells, err := transcode.NewCells(&transcode.ObjectMeta, []transcode.Column{
		{Path: ".name", Type: "string"}, {Path: ".creationTimestamp", Type: "date"}, {Path: ".labels.app", Type: "string"}, {Path: ".ownerReferences[0].name", Type: "string"},
	})
	if err != nil {
		b.Fatal(err)
	}
	fields, err := randomMeta(7).Marshal()
	if err != nil {
		b.Fatal(err)
	}
	date := func(dst []byte, at time.Time) []byte { return strconv.AppendInt(dst, at.Unix(), 10) }
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		if dst, err = cells.Append(dst[:0], fields, date); err != nil {
			b.Fatal(err)
		}
	}
}
