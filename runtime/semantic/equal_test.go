package semantic

import (
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

type word string

// everything has a field of every form.
type everything struct {
	Bool        bool
	Int         int
	Int8        int8
	Int16       int16
	Int32       int32
	Int64       int64
	Uint        uint
	Uint8       uint8
	Uint16      uint16
	Uint32      uint32
	Uint64      uint64
	Float32     float32
	Float64     float64
	Complex64   complex64
	Complex128  complex128
	String      string
	Named       word
	Pointer     *int32
	Twice       **string
	Bytes       []byte
	Words       []word
	Lists       [][]string
	Structs     []Small
	Pointers    []*Small
	Array       [3]word
	Any         any
	Labels      map[string]string
	Named2      map[word]word
	Amounts     map[word]resource.Quantity
	ByNumber    map[int32]Small
	ByStruct    map[Small]bool
	Recursive   *everything
	Children    map[string]everything
	Quantity    resource.Quantity
	Time        metav1.Time
	MicroTime   metav1.MicroTime
	Duration    metav1.Duration
	IntOrString intstr.IntOrString
	Selector    *metav1.LabelSelector
	Meta        metav1.ObjectMeta
	Empty       struct{}
	Small
}

type Small struct {
	A string
	B int16
}

// filler makes few different values, so that two of them are often the same.
func filler(seed int64) *randfill.Filler {
	few := func(s *string, c randfill.Continue) { *s = []string{"", "a", "b"}[c.Intn(3)] }
	return randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 2).MaxDepth(6).Funcs(
		few,
		func(w *word, c randfill.Continue) { few((*string)(w), c) },
		func(i *int32, c randfill.Continue) { *i = c.Int31n(2) },
		func(a *any, c randfill.Continue) {
			*a = []any{nil, int64(1), "a", []any{"a"}, map[string]any{"a": "b"}, Small{}, &Small{A: "a"}, 1.5}[c.Intn(8)]
		},
		func(q *resource.Quantity, c randfill.Continue) {
			*q = resource.MustParse([]string{"1", "1000m", "1k", "1Ki", "0"}[c.Intn(5)])
		},
		func(t *metav1.Time, c randfill.Continue) { *t = instant(c) },
		func(t *metav1.MicroTime, c randfill.Continue) { t.Time = instant(c).Time },
		func(f *metav1.FieldsV1, c randfill.Continue) {
			f.SetRawBytes([]byte([]string{"", `{"f:a":{}}`, `{"f:b":{}}`}[c.Intn(3)]))
		},
	)
}

func instant(c randfill.Continue) metav1.Time {
	t := time.Unix(c.Int63n(2), 0)
	return metav1.Time{Time: []time.Time{t, t.UTC(), t.In(time.FixedZone("x", 3600)), {}}[c.Intn(4)]}
}

// TestEqual: of values with every form of field it says what equality.Semantic says. They are a
// random one, the same one made again, and that with one field of another.
func TestEqual(t *testing.T) {
	alike := 0
	for seed := range int64(150) {
		var a, b, other everything
		filler(seed).Fill(&a)
		filler(seed).Fill(&b)
		filler(-seed - 1).Fill(&other)
		fields := reflect.ValueOf(&b).Elem()
		agree(t, &a, &b)
		for i := range fields.NumField() {
			before := reflect.New(fields.Field(i).Type()).Elem()
			before.Set(fields.Field(i))
			fields.Field(i).Set(reflect.ValueOf(other).Field(i))
			if agree(t, &a, &b) {
				alike++
			}
			fields.Field(i).Set(before)
		}
	}
	t.Logf("%d of %d changed values meant the same", alike, 150*reflect.TypeFor[everything]().NumField())
}

func agree(t *testing.T, a, b *everything) bool {
	t.Helper()
	got, want := Equal(a, b), equality.Semantic.DeepEqual(a, b)
	if got != want {
		t.Fatalf("it says %v, and the library %v, of\n%+v\n%+v", got, want, a, b)
	}
	if Equal(*b, *a) != want {
		t.Fatalf("values are not what pointers to them are:\n%+v\n%+v", a, b)
	}
	return got
}

// TestEqualSmall: what random values hardly meet.
func TestEqualSmall(t *testing.T) {
	nan := math.NaN()
	zero := new(int)
	for i, pair := range [][2]any{
		{nil, nil}, {nil, 1}, {1, int64(1)}, {nan, nan}, {&nan, &nan}, {[]float64{nan}, []float64{nan}}, {0.0, math.Copysign(0, -1)},
		{[]string(nil), []string{}}, {map[string]string(nil), map[string]string{}}, {map[string]any{"a": nil}, map[string]any{"b": nil}},
		{[]any{}, []any(nil)}, {any([]any{}), any(map[string]any{})}, {zero, new(int)}, {(*int)(nil), zero}, {(*int)(nil), (*int)(nil)},
		{func() {}, func() {}}, {(func())(nil), (func())(nil)}, {make(chan int), make(chan int)},
		{resource.MustParse("0"), resource.Quantity{}}, {resource.MustParse("1.0"), resource.MustParse("1")},
		{map[word]resource.Quantity{"a": resource.MustParse("1")}, map[word]resource.Quantity{"a": resource.MustParse("1000m")}},
		{map[string]string{"a": ""}, map[string]string{"b": ""}}, {[]struct{}{{}}, []struct{}{{}}}, {[2]int{1, 2}, [2]int{1, 3}},
	} {
		if got, want := Equal(pair[0], pair[1]), equality.Semantic.DeepEqual(pair[0], pair[1]); got != want {
			t.Errorf("%d: it says %v, and the library %v, of %#v and %#v", i, got, want, pair[0], pair[1])
		}
	}
}

// TestEqualHidden: of a struct that hides something counts what its JSON says.
func TestEqualHidden(t *testing.T) {
	type closed struct {
		Seen   string
		hidden int
	}
	instant := time.Unix(1, 0)
	for i, test := range []struct {
		a, b any
		want bool
	}{
		{closed{"a", 1}, closed{"a", 2}, true},
		{closed{"a", 1}, closed{"b", 1}, false},
		{[]*closed{{"a", 1}}, []*closed{{"a", 1}}, true},
		{instant.UTC(), instant.In(time.FixedZone("x", 3600)), false},
		{instant.UTC(), instant.In(time.FixedZone("UTC", 0)), true},
		{instant, instant.Add(1), false},
		{struct{ At time.Time }{instant}, struct{ At time.Time }{instant.Round(0)}, true},
		{netip.MustParseAddr("1.2.3.4"), netip.MustParseAddr("1.2.3.4"), true},
		{netip.MustParseAddr("::1"), netip.MustParseAddr("::2"), false},
		{map[string]netip.Addr{"a": {}}, map[string]netip.Addr{"a": netip.MustParseAddr("::2")}, false},
		{*big.NewInt(7), *big.NewInt(7), true},
	} {
		if got := Equal(test.a, test.b); got != test.want {
			t.Errorf("%d: it says %v of %v and %v", i, got, test.a, test.b)
		}
	}
}

type twice[T any] struct{ A, B []T }

type fourTimes[T any] = twice[twice[twice[twice[T]]]]

// TestEqualPlans: a type that is met many times is looked at once. Of this one there are 2^32 ways
// to the innermost type.
func TestEqualPlans(t *testing.T) {
	type wide = fourTimes[fourTimes[fourTimes[fourTimes[fourTimes[fourTimes[fourTimes[fourTimes[string]]]]]]]]
	var a, b wide
	if !Equal(a, b) {
		t.Error("empty values differ")
	}
	b.B = make([]twice[twice[twice[fourTimes[fourTimes[fourTimes[fourTimes[fourTimes[fourTimes[fourTimes[string]]]]]]]]]], 1)
	if Equal(a, b) {
		t.Error("values that differ are the same")
	}
}

// BenchmarkEqual compares a value with every form of field, beside the library.
func BenchmarkEqual(b *testing.B) {
	var x, y everything
	filler(7).Fill(&x)
	filler(7).Fill(&y)
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			Equal(&x, &y)
		}
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			equality.Semantic.DeepEqual(&x, &y)
		}
	})
}
