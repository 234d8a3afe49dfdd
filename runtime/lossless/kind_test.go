package lossless

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
)

type hub struct {
	metav1.ObjectMeta
	Words []string
	Extra map[string]*int
}

type version struct {
	metav1.ObjectMeta
	Text string
}

// kind shows all words of the hub as one text. Up, the text is one word: nothing else could be
// guessed. A text with "!" is refused there.
var kind = &Kind[hub, version]{
	Down: func(in *hub, out *version, _ conversion.Scope) error {
		out.ObjectMeta, out.Text = in.ObjectMeta, strings.Join(in.Words, " ")
		if in.Extra["forbidden"] != nil {
			return errors.New("forbidden")
		}
		return nil
	},
	Up: func(in *version, out *hub, _ conversion.Scope) error {
		out.ObjectMeta = in.ObjectMeta
		if strings.Contains(in.Text, "!") {
			return errors.New("no shouting")
		}
		if in.Text != "" {
			out.Words = []string{in.Text}
		}
		return nil
	},
	Meta: func(v *version) *metav1.ObjectMeta { return &v.ObjectMeta },
	Fields: []Field[hub]{
		{
			Path:  "Words",
			At:    func(h *hub) any { return &h.Words },
			Same:  func(a, b *hub) bool { return SameSlice(a.Words, b.Words, Equal[string]) },
			Take:  func(to, from *hub) { to.Words = from.Words },
			Shape: &Shape{IsList: true},
		},
		{
			Path: "Extra",
			At:   func(h *hub) any { return &h.Extra },
			Same: func(a, b *hub) bool {
				return SameMap(a.Extra, b.Extra, func(a, b **int) bool { return SamePointer(*a, *b, Equal[int]) })
			},
			Take:  func(to, from *hub) { to.Extra = from.Extra },
			Shape: &Shape{IsMap: true},
		},
	},
}

func TestKind(t *testing.T) {
	h := &hub{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Words: []string{"a", "b"}, Extra: map[string]*int{"x": new(int)}}
	v := down(t, h)
	if diff := cmp.Diff(h, up(t, v)); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
	// The words contradict the new text and go, the rest stays.
	v.Text = "c d"
	if diff := cmp.Diff(&hub{ObjectMeta: h.ObjectMeta, Words: []string{"c d"}, Extra: h.Extra}, up(t, v)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, kept := down(t, &hub{Words: []string{"a"}}).Annotations[annotation]; kept {
		t.Error("nothing would be lost, and there is an annotation")
	}
}

func TestWhatIsRefused(t *testing.T) {
	if err := kind.FromHub(&hub{Extra: map[string]*int{"forbidden": new(int)}}, new(version), nil); err == nil {
		t.Error("the plain conversion's error is lost on the way down")
	}
	// What the version can't say to the hub is kept too, for whoever corrects the text.
	h := &hub{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Words: []string{"a!"}, Extra: map[string]*int{"x": new(int)}}
	v := down(t, h)
	if err := kind.ToHub(v, new(hub), nil); err == nil {
		t.Error("the plain conversion's error is lost on the way up")
	}
	v.Text = "a"
	if diff := cmp.Diff(h.Extra, up(t, v).Extra); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// An annotation may make an object that the version can't show.
	v = down(t, h)
	v.Text = "a"
	v.Annotations[annotation] = `{"name":"n","fields":{"Extra":{"fields":{"forbidden":{"kept":1},"y":{"kept":2}}}}}`
	if diff := cmp.Diff(map[string]*int{"y": ptr(2)}, up(t, v).Extra); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestTrials sends thousands of parts of which none fits: they are not all tried.
func TestTrials(t *testing.T) {
	record := record{Name: "n", Fields: map[string]*delta{"Words": {}}}
	for i := range 5000 {
		record.Fields["Words"].Items = append(record.Fields["Words"].Items, itemDelta{delta: delta{Kept: fmt.Sprint(i)}})
	}
	text, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	counting := Kind[hub, version]{Up: kind.Up, Meta: kind.Meta, Fields: kind.Fields, Down: func(in *hub, out *version, s conversion.Scope) error {
		calls++
		return kind.Down(in, out, s)
	}}
	v := &version{ObjectMeta: metav1.ObjectMeta{Name: "n", Annotations: map[string]string{annotation: string(text)}}, Text: "a"}
	var got hub
	if err := counting.ToHub(v, &got, nil); err != nil {
		t.Fatal(err)
	}
	if calls != trials+1 || len(got.Words) != 1 {
		t.Errorf("%d calls, words %v", calls, got.Words)
	}
}

func TestSame(t *testing.T) {
	type odd struct{ F json.RawMessage }
	for _, tc := range []struct {
		name      string
		got, want bool
	}{
		{"nil and nothing", SameSlice(nil, []int{}, Equal[int]), true},
		{"shorter", SameSlice([]int{1, 2}, []int{1}, Equal[int]), false},
		{"another item", SameSlice([]int{1, 2}, []int{1, 3}, Equal[int]), false},
		{"nil and a pointer", SamePointer(nil, new(int), Equal[int]), false},
		{"two pointers", SamePointer(ptr(1), ptr(1), Equal[int]), true},
		{"two values", SamePointer(ptr(1), ptr(2), Equal[int]), false},
		{"another key", SameMap(map[string]int{"a": 1}, map[string]int{"b": 1}, Equal[int]), false},
		{"another value", SameMap(map[string]int{"a": 1}, map[string]int{"a": 2}, Equal[int]), false},
		{"equal maps", SameMap(map[string]int{"a": 1}, map[string]int{"a": 1}, Equal[int]), true},
		{"JSON", SameJSON(&odd{json.RawMessage(`{"a": 1}`)}, &odd{json.RawMessage(`{"a":1}`)}), true},
		{"other JSON", SameJSON(&odd{json.RawMessage(`1`)}, &odd{json.RawMessage(`2`)}), false},
		{"no JSON", SameJSON(&odd{json.RawMessage(`{`)}, &odd{json.RawMessage(`{`)}), false},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: got %v", tc.name, tc.got)
		}
	}
}

func down(t *testing.T, h *hub) *version {
	t.Helper()
	out := new(version)
	if err := kind.FromHub(h, out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

func up(t *testing.T, v *version) *hub {
	t.Helper()
	out := new(hub)
	if err := kind.ToHub(v, out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

func ptr(i int) *int { return &i }
