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

// kind shows all words of the hub as one text. Up, the text is one word: nothing else could be guessed. A text with
// "!" is refused there.
var kind = &losslessKind[hub, version]{
	down: func(in *hub, out *version, _ conversion.Scope) error {
		out.ObjectMeta, out.Text = in.ObjectMeta, strings.Join(in.Words, " ")
		if in.Extra["forbidden"] != nil {
			return errors.New("forbidden")
		}
		return nil
	},
	up: func(in *version, out *hub, _ conversion.Scope) error {
		out.ObjectMeta = in.ObjectMeta
		if strings.Contains(in.Text, "!") {
			return errors.New("no shouting")
		}
		if in.Text != "" {
			out.Words = []string{in.Text}
		}
		return nil
	},
	meta: func(v *version) *metav1.ObjectMeta { return &v.ObjectMeta },
	fields: []losslessField[hub]{
		{
			path:  "Words",
			at:    func(h *hub) any { return &h.Words },
			same:  func(a, b *hub) bool { return losslessSameSlice(a.Words, b.Words, losslessEqual[string]) },
			take:  func(to, from *hub) { to.Words = from.Words },
			shape: &losslessShape{isList: true},
		},
		{
			path: "Extra",
			at:   func(h *hub) any { return &h.Extra },
			same: func(a, b *hub) bool {
				return losslessSameMap(a.Extra, b.Extra, func(a, b **int) bool { return losslessSamePointer(*a, *b, losslessEqual[int]) })
			},
			take:  func(to, from *hub) { to.Extra = from.Extra },
			shape: &losslessShape{isMap: true},
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
	if _, kept := down(t, &hub{Words: []string{"a"}}).Annotations[losslessKey]; kept {
		t.Error("nothing would be lost, and there is an annotation")
	}
}

func TestWhatIsRefused(t *testing.T) {
	if err := kind.fromHub(&hub{Extra: map[string]*int{"forbidden": new(int)}}, new(version), nil); err == nil {
		t.Error("the plain conversion's error is lost on the way down")
	}
	// What the version can't say to the hub is kept too, for whoever corrects the text.
	h := &hub{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Words: []string{"a!"}, Extra: map[string]*int{"x": new(int)}}
	v := down(t, h)
	if err := kind.toHub(v, new(hub), nil); err == nil {
		t.Error("the plain conversion's error is lost on the way up")
	}
	v.Text = "a"
	if diff := cmp.Diff(h.Extra, up(t, v).Extra); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// An annotation may make an object that the version can't show.
	v = down(t, h)
	v.Text = "a"
	v.Annotations[losslessKey] = `{"name":"n","fields":{"Extra":{"fields":{"forbidden":{"kept":1},"y":{"kept":2}}}}}`
	if diff := cmp.Diff(map[string]*int{"y": ptr(2)}, up(t, v).Extra); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestTrials sends thousands of parts of which none fits: they are not all tried.
func TestTrials(t *testing.T) {
	record := losslessRecord{Name: "n", Fields: map[string]*losslessDelta{"Words": {}}}
	for i := range 5000 {
		record.Fields["Words"].Items = append(record.Fields["Words"].Items, losslessItem{losslessDelta: losslessDelta{Kept: fmt.Sprint(i)}})
	}
	text, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	counting := *kind
	counting.down = func(in *hub, out *version, s conversion.Scope) error {
		calls++
		return kind.down(in, out, s)
	}
	v := &version{ObjectMeta: metav1.ObjectMeta{Name: "n", Annotations: map[string]string{losslessKey: string(text)}}, Text: "a"}
	var got hub
	if err := counting.toHub(v, &got, nil); err != nil {
		t.Fatal(err)
	}
	if calls != losslessTrials+1 || len(got.Words) != 1 {
		t.Errorf("%d calls, words %v", calls, got.Words)
	}
}

func TestSame(t *testing.T) {
	type odd struct{ F json.RawMessage }
	for _, tc := range []struct {
		name      string
		got, want bool
	}{
		{"nil and nothing", losslessSameSlice(nil, []int{}, losslessEqual[int]), true},
		{"shorter", losslessSameSlice([]int{1, 2}, []int{1}, losslessEqual[int]), false},
		{"another item", losslessSameSlice([]int{1, 2}, []int{1, 3}, losslessEqual[int]), false},
		{"nil and a pointer", losslessSamePointer(nil, new(int), losslessEqual[int]), false},
		{"two pointers", losslessSamePointer(ptr(1), ptr(1), losslessEqual[int]), true},
		{"two values", losslessSamePointer(ptr(1), ptr(2), losslessEqual[int]), false},
		{"another key", losslessSameMap(map[string]int{"a": 1}, map[string]int{"b": 1}, losslessEqual[int]), false},
		{"another value", losslessSameMap(map[string]int{"a": 1}, map[string]int{"a": 2}, losslessEqual[int]), false},
		{"equal maps", losslessSameMap(map[string]int{"a": 1}, map[string]int{"a": 1}, losslessEqual[int]), true},
		{"JSON", losslessSameJSON(&odd{json.RawMessage(`{"a": 1}`)}, &odd{json.RawMessage(`{"a":1}`)}), true},
		{"other JSON", losslessSameJSON(&odd{json.RawMessage(`1`)}, &odd{json.RawMessage(`2`)}), false},
		{"no JSON", losslessSameJSON(&odd{json.RawMessage(`{`)}, &odd{json.RawMessage(`{`)}), false},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: got %v", tc.name, tc.got)
		}
	}
}

func down(t *testing.T, h *hub) *version {
	t.Helper()
	out := new(version)
	if err := kind.fromHub(h, out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

func up(t *testing.T, v *version) *hub {
	t.Helper()
	out := new(hub)
	if err := kind.toHub(v, out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

func ptr(i int) *int { return &i }
