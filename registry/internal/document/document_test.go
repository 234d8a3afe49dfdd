package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	runtimejson "github.com/typeplane/typeplane/runtime/json"
)

type thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Inner    `json:",inline"`
		*Pointed `json:",inline"`
		Named    Inner                      `json:"named"`
		Untagged string                     //
		Skipped  string                     `json:"-"`
		hidden   string                     //
		Map      map[string]Inner           `json:"map"`
		Lists    [][]Inner                  `json:"lists"`
		Any      map[string]any             `json:"any"`
		Raw      apiruntime.RawExtension    `json:"raw"`
		Delay    metav1.Duration            `json:"delay"`
		Own      map[string]json.RawMessage `json:"own"`
		Self     *thing                     `json:"self"`
		Bytes    []byte                     `json:"bytes"`
	} `json:"spec"`
}

// Inner is embedded.
type Inner struct {
	A string `json:"a"`
	B int    `json:"b"`
}

// Pointed is embedded by a pointer. Its A is hidden by that of Inner.
type Pointed struct {
	C string `json:"c"`
	D struct {
		E string `json:"e"`
	} `json:"d"`
}

func TestRead(t *testing.T) {
	shape := ShapeOf(reflect.TypeFor[*thing](), Said{})
	for name, tc := range map[string]struct {
		text, want string
		whole      bool
	}{
		"all of it":    {`{"kind":"k","metadata":{"x":1},"spec":{"a":"x","b":0,"c":"","d":{"e":"f"},"Untagged":"u"}}`, `{"spec":{"Untagged":"u","a":"x","b":0,"c":"","d":{"e":"f"}}}`, true},
		"unknown":      {`{"spec":{"A":1,"named":{"c":1,"a":"x"},"d":{"f":1},"Skipped":1,"hidden":1,"untagged":1},"more":{}}`, `{"spec":{"d":{},"named":{"a":"x"}}}`, false},
		"in maps":      {`{"spec":{"map":{"x":{"a":"y","z":1}},"lists":[[{"a":"y","z":1}],[]]}}`, `{"spec":{"lists":[[{"a":"y"}],[]],"map":{"x":{"a":"y"}}}}`, false},
		"kept":         {`{"spec":{"any":{"x":null,"y":[{"z":null}]},"raw":{"x":null},"delay":"60s","own":{"x":{"y":1}},"bytes":"AQI="}}`, `{"spec":{"any":{"x":null,"y":[{"z":null}]},"bytes":"AQI=","delay":"60s","own":{"x":{"y":1}},"raw":{"x":null}}}`, true},
		"itself":       {`{"spec":{"self":{"spec":{"a":"x","z":1},"metadata":{"name":"n","z":1}}}}`, `{"spec":{"self":{"metadata":{"name":"n"},"spec":{"a":"x"}}}}`, false},
		"null":         {`{"spec":{"a":null,"map":{"x":null,"y":{}},"named":null}}`, `{"spec":{"map":{"y":{}}}}`, false},
		"null in list": {`{"spec":{"lists":[null,[null]]}}`, `{"spec":{"lists":[null,[null]]}}`, true},
		"twice":        {`{"spec":{"a":"x","a":"y"},"spec":{"b":1}}`, `{"spec":{"b":1}}`, true},
		"numbers":      {`{"spec":{"any":[1.0,-0.0,1e2,18446744073709551615,-9223372036854775808,18446744073709551616,0.1]}}`, `{"spec":{"any":[1,0,100,18446744073709551615,-9223372036854775808,18446744073709552000,0.1]}}`, true},
		"signs":        {`{"spec":{"a":"\u003c<\"\u2028é\ud83d\ude00"}}`, `{"spec":{"a":"\u003c\u003c\"\u2028é😀"}}`, true},
		"status":       {`{"status":{"x":1},"spec":{}}`, `{"spec":{}}`, false},
		"nothing":      {`{}`, `{}`, true},
	} {
		d, whole, err := Read([]byte(tc.text), shape)
		if got := string(d.AppendObject(nil)); err != nil || got != tc.want || whole != tc.whole {
			t.Errorf("%s: %v, whole %v\n%s, want\n%s", name, err, whole, got, tc.want)
		}
	}
	if d, _, err := Read([]byte(`{"status":{"x":1},"spec":{"a":1}}`), nil); err != nil || string(d.Status) != `{"x":1}` || string(d.Members) != `"spec":{"a":1}` {
		t.Errorf("%v: %s and %s", err, d.Members, d.Status)
	}
	for _, text := range []string{`{`, `[]`, `{"spec":1e999}`, `{"spec":{}} x`, ``} {
		if d, _, err := Read([]byte(text), shape); err == nil {
			t.Errorf("%s: %s", text, d.Members)
		}
	}
	if _, _, err := Read([]byte(`{"spec":{"any":[`+strings.Repeat(`{},`, 3<<20/3)+`{}]}}`), shape); !errors.Is(err, runtimejson.ErrTooLarge) {
		t.Errorf("a million empty maps: %v", err)
	}
}

// Members that may be null stay so: defaults leave them alone, and changes don't.
func TestNullableMembers(t *testing.T) {
	type part struct {
		May    *string         `json:"may"`
		Not    *string         `json:"not"`
		Object map[string]part `json:"object"`
	}
	in := reflect.TypeFor[part]().PkgPath() + ".part."
	shape := ShapeOf(reflect.TypeFor[part](), Said{Defaults: map[string]string{in + "may": `"x"`, in + "not": `"x"`}, Nullable: map[string]bool{in + "may": true, in + "object": true}})
	for text, want := range map[string]string{
		`{"may":null,"not":null,"object":null}`:                            `{"may":null,"not":"x","object":null}`,
		`{"object":{"a":{"may":null,"not":null},"b":null},"unknown":null}`: `{"may":"x","not":"x","object":{"a":{"may":null,"not":"x"}}}`,
	} {
		d, _, err := Read([]byte(text), shape)
		if got := string(d.AppendObject(nil)); err != nil || got != want {
			t.Errorf("%s: %v, %s", text, err, got)
		}
	}
	for _, tc := range []struct {
		how                 manner
		before, after, want string
	}{
		{defaults, `{}`, `{"may":"x","object":{}}`, `{"may":null,"object":{}}`},
		{defaults, `{"may":null}`, `{"may":"x"}`, `{"may":null}`},
		{changes, `{}`, `{"may":"x"}`, `{"may":"x"}`},
		{changes, `{"may":"x"}`, `{"may":null,"not":null}`, `{"may":null}`},
		{changes, `{"may":null}`, `{"may":null}`, `{"may":null}`},
	} {
		d, err := Document{Members: []byte(`"may":null`)}.follow(printed(t, tc.before), printed(t, tc.after), shape, tc.how)
		if got := string(d.AppendObject(nil)); err != nil || got != tc.want {
			t.Errorf("%+v: %v, %s", tc, err, got)
		}
	}
}

// What was done to the Go value is done to the document.
func TestFollow(t *testing.T) {
	for name, tc := range map[string]struct {
		how                      manner
		doc, before, after, want string
	}{
		"nothing":                        {changes, `{"a":"5m","f":false}`, `{"a":"5m0s"}`, `{"a":"5m0s"}`, `{"a":"5m","f":false}`},
		"another value":                  {changes, `{"a":"5m","b":"60s","f":false}`, `{"a":"5m0s","b":"1m0s"}`, `{"a":"6m0s","b":"1m0s"}`, `{"a":"6m0s","b":"60s","f":false}`},
		"a value where zero was":         {changes, `{"f":false}`, `{}`, `{"f":true}`, `{"f":true}`},
		"gone":                           {changes, `{"a":{"b":1}}`, `{"a":{"b":1}}`, `{}`, `{}`},
		"inside an object":               {changes, `{"a":{"b":"60s","e":[]}}`, `{"a":{"b":"1m0s"}}`, `{"a":{"b":"1m0s","c":1}}`, `{"a":{"b":"60s","c":1,"e":[]}}`},
		"an object that is always there": {changes, `{}`, `{"a":{"n":"","z":0}}`, `{"a":{"n":"x","z":0}}`, `{"a":{"n":"x"}}`},
		"still not there":                {changes, `{}`, `{"a":{"b":1}}`, `{"a":{}}`, `{}`},
		"an item before others":          {changes, `{"l":[{"n":"a","t":"60s"},{"n":"b","f":false}]}`, `{"l":[{"n":"a","t":"1m0s"},{"n":"b"}]}`, `{"l":[{"n":"new"},{"n":"a","t":"1m0s"},{"n":"b"}]}`, `{"l":[{"n":"new"},{"n":"a","t":"60s"},{"f":false,"n":"b"}]}`},
		"an item and another change":     {changes, `{"l":[{"n":"a","t":"60s"},{"n":"b","f":false}]}`, `{"l":[{"n":"a","t":"1m0s"},{"n":"b"}]}`, `{"l":[{"n":"new"},{"n":"a","t":"1m0s","v":1},{"n":"b","v":1}]}`, `{"l":[{"n":"new"},{"n":"a","t":"60s","v":1},{"f":false,"n":"b","v":1}]}`},
		"an item gone":                   {changes, `{"l":[{"n":"a","t":"60s"},{"n":"b","f":false}]}`, `{"l":[{"n":"a","t":"1m0s"},{"n":"b"}]}`, `{"l":[{"n":"b"}]}`, `{"l":[{"f":false,"n":"b"}]}`},
		"another order":                  {changes, `{"l":["60s","2m"]}`, `{"l":["1m0s","2m0s"]}`, `{"l":["2m0s","1m0s"]}`, `{"l":["2m","60s"]}`},
		"equal items":                    {changes, `{"l":["60s","1m"]}`, `{"l":["1m0s","1m0s"]}`, `{"l":["1m0s","1m0s","1m0s"]}`, `{"l":["60s","1m","1m0s"]}`},
		"a list of another length":       {changes, `{"l":["60s"]}`, `{"l":["1m0s","x"]}`, `{"l":["1m0s","y"]}`, `{"l":["1m0s","y"]}`},
		"another kind of value":          {changes, `{"a":"x"}`, `{"a":{"b":1}}`, `{"a":{"b":2}}`, `{"a":{"b":2}}`},
		"null":                           {changes, `{}`, `{"a":"x"}`, `{"a":null}`, `{"a":null}`},

		"a default":                {defaults, `{"a":{}}`, `{"a":{}}`, `{"a":{"b":1}}`, `{"a":{"b":1}}`},
		"a default where zero was": {defaults, `{"a":0}`, `{}`, `{"a":1}`, `{"a":0}`},
		"not where nothing is":     {defaults, `{}`, `{"a":{}}`, `{"a":{"b":1}}`, `{}`},
		"a pointer":                {defaults, `{}`, `{}`, `{"a":{"b":1}}`, `{"a":{"b":1}}`},
		"a scalar always written":  {defaults, `{}`, `{"a":"0s"}`, `{"a":"1m0s"}`, `{"a":"1m0s"}`},
		"items":                    {defaults, `{"l":[{"a":1},{}]}`, `{"l":[{"a":1},{}]}`, `{"l":[{"a":1,"b":2},{"b":2}]}`, `{"l":[{"a":1,"b":2},{"b":2}]}`},
		"another spelling":         {defaults, `{"a":"tcp"}`, `{"a":"tcp"}`, `{"a":"TCP"}`, `{"a":"TCP"}`},
	} {
		d, _, err := Read([]byte(tc.doc), nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.follow(printed(t, tc.before), printed(t, tc.after), nil, tc.how)
		if text := string(got.AppendObject(nil)); err != nil || text != tc.want {
			t.Errorf("%s: %v\n%s, want\n%s", name, err, text, tc.want)
		}
	}
}

func printed(t *testing.T, text string) Document {
	t.Helper()
	d, err := Split([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestMessage(t *testing.T) {
	for _, want := range []Document{{}, {Members: []byte(`"spec":{}`)}, {Status: []byte(`{}`)}, {Members: []byte(`"spec":{}`), Status: []byte(`{"a":1}`)}} {
		meta, got, err := ReadMessage(want.AppendMessage(nil, []byte("m")))
		if err != nil || string(meta) != "m" || !got.Equal(want) || (got.Status == nil) != (want.Status == nil) {
			t.Errorf("%v: %q %+v, want %+v", err, meta, got, want)
		}
	}
	if _, _, err := ReadMessage(nil); err == nil {
		t.Error("nothing was read")
	}
}

// What is taken as it is would come out so, too.
func TestSettled(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`: true,
		`{"kind":"k","apiVersion":"v","metadata":{"z":1, "a":null},"a":1,"spec":{"a":[],"b":{"c":"é\u003c","d":-1,"e":1.5,"f":true,"g":[{"x":1,"y":false},{}]}},"x":0,"status":{}}`: true,
		`{"b":1,"a":2}`: false, `{"a":{"c":1,"b":2}}`: false, `{"a":1,"a":2}`: false, `{"a": 1}`: true, `{"a":{"b": 1}}`: false, `{"a":null}`: false, `{"a":"<"}`: false,
		`{"a":"\u0041"}`: false, `{"a":1.0}`: false, `{"a":-0}`: false, `{"a":1e2}`: false, `{"a":18446744073709551615}`: true, `{"a":18446744073709551616}`: false,
		`{"a":"\"","b":"\\"}`: true, `{"a":{"status":1,"b":2}}`: false, `{"a":[1,[2,{"b":1,"a":1}]]}`: false, `{"status":{"b":1,"a":1}}`: false,
	} {
		d, ok := Settled([]byte(text))
		if ok != want {
			t.Errorf("%s: %v, want %v", text, ok, want)
		}
		if slow, _, err := Read([]byte(text), nil); ok && (err != nil || !d.Equal(slow)) {
			t.Errorf("%s: %v\n%s %s, want\n%s %s", text, err, d.Members, d.Status, slow.Members, slow.Status)
		}
	}
}

// Defaults inside of an item leave it what it is, also where nothing else in it is as it was.
func TestDefaultsOfItems(t *testing.T) {
	shape := ShapeOf(reflect.TypeFor[*thing](), Said{})
	read := func(text string) Document {
		d, _, err := Read([]byte(text), shape)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	doc, before, after := read(`{"spec":{"lists":[[{"b":0}]]}}`), read(`{"spec":{"lists":[[{}]]}}`), read(`{"spec":{"lists":[[{"a":"y"}]]}}`)
	got, err := doc.Default(before, after, shape)
	if want := `{"spec":{"lists":[[{"a":"y","b":0}]]}}`; err != nil || string(got.AppendObject(nil)) != want {
		t.Errorf("%s, %v", got.AppendObject(nil), err)
	}
}

type filled struct {
	Name  string `json:"name,omitempty"`
	Inner struct {
		Port int `json:"port,omitempty"`
	} `json:"inner"`
	Part  filledPart            `json:"part"`
	Items []filledPart          `json:"items"`
	Named map[string]filledPart `json:"named"`
}

type filledPart struct {
	Key   string `json:"key,omitempty"`
	Value string `json:"value,omitempty"`
}

// Defaults that a Go value does not tell are in a document wherever there is the object around
// them, also where that is a default.
// absent has structs that are not printed while they are zero.
type absent struct {
	Gone  inAbsent            `json:"gone,omitzero"`
	There inAbsent            `json:"there,omitzero"`
	Made  *inAbsent           `json:"made,omitempty"`
	Map   map[string]inAbsent `json:"map,omitempty"`
}

type inAbsent struct {
	Value int      `json:"value,omitempty"`
	Inner inInside `json:"inner,omitzero"`
}

type inInside struct {
	Value int `json:"value,omitempty"`
}

// A struct that nobody sent gets no defaults inside, also where it is not printed without them. One
// behind a pointer has a default of its own.
func TestNoDefaultsInWhatIsAbsent(t *testing.T) {
	shape := ShapeOf(reflect.TypeFor[*absent](), Said{})
	doc, _ := Split([]byte(`{"map":{"a":{}},"there":{"value":1}}`))
	after, _ := Split([]byte(`{"gone":{"value":7,"inner":{"value":7}},"made":{"value":7},"map":{"a":{"value":7,"inner":{"value":7}}},"there":{"value":1,"inner":{"value":7}}}`))
	got, err := doc.Default(doc, after, shape)
	if want := `{"made":{"value":7},"map":{"a":{"value":7}},"there":{"value":1}}`; err != nil || string(got.AppendObject(nil)) != want {
		t.Errorf("got %s (%v), want %s", got.AppendObject(nil), err, want)
	}
}

func TestReadFillsDefaults(t *testing.T) {
	const in = "github.com/typeplane/typeplane/registry/internal/document."
	shape := ShapeOf(reflect.TypeFor[*filled](), Said{Defaults: map[string]string{in + "filled.name": `""`, in + "filled.part": `{"value":"b"}`, in + "filledPart.key": `"a"`, in + "other.name": "1"}})
	if !shape.Fills() {
		t.Error("it has no defaults")
	}
	for text, want := range map[string]string{
		`{}`:                     `{"name":"","part":{"key":"a","value":"b"}}`,
		`{"name":"x","part":{}}`: `{"name":"x","part":{"key":"a"}}`,
		`{"name":null,"part":{"key":""},"inner":{},"items":[{},{"key":"c"}],"named":{"d":{}}}`: `{"inner":{},"items":[{"key":"a"},{"key":"c"}],"name":"","named":{"d":{"key":"a"}},"part":{"key":""}}`,
	} {
		doc, _, err := Read([]byte(text), shape)
		if got := string(doc.AppendObject(nil)); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestText(t *testing.T) {
	doc, _, err := Read([]byte(`{"spec":{"a":{"s":"x\"y","n":5,"b":false,"f":1.5,"z":null,"l":["s"]},"every":"5m"},"status":{"phase":"Done"},"top":"t"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"spec.a.s": `x"y`, "spec.a.n": "5", "spec.a.b": "false", "spec.a.f": "1.5", "spec.a.l": "", "spec.a": "", "spec.every": "5m", "status.phase": "Done", "top": "t",
		"spec.every.x": "", "none": "", "spec.a.none": "", "": "",
	} {
		if got := doc.Text(path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if got := (Document{}).Text("spec"); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

// TestMembersAreCalledAsInJSON: whatever a tag says, a document keeps what encoding/json writes.
func TestMembersAreCalledAsInJSON(t *testing.T) {
	var fields []reflect.StructField
	for i, tag := range []string{
		"", `json:"named,omitempty"`, `json:"-,"`, `json:"-"`, `json:"a b\"c"`, `json:"a.b/c~d"`, `json:",omitempty"`, `json:"größe"`,
	} {
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("Field", i), Type: reflect.TypeFor[string](), Tag: reflect.StructTag(tag)})
	}
	odd := reflect.StructOf(fields)
	filled := reflect.New(odd)
	for i := range fields {
		filled.Elem().Field(i).SetString(fmt.Sprint("value ", i))
	}
	value := filled.Interface()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	doc, whole, err := Read(text, ShapeOf(odd, Said{}))
	if err != nil || !whole {
		t.Fatalf("whole %v, %v", whole, err)
	}
	var want, got map[string]any
	if err := errors.Join(json.Unmarshal(text, &want), json.Unmarshal(doc.AppendObject(nil), &got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a document is not what was sent (-sent +kept)\n%s", diff)
	}
}
