package rules

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/cel/library"
)

// TestRules makes objects of a few values each, and compares what the compiled rules and cel-go say
// of them.
func TestRules(t *testing.T) {
	rules := compiled(t)
	r := rand.New(rand.NewPCG(1, 2))
	holds, fails := map[string]int{}, map[string]int{}
	var old *Thing
	for range 400 {
		obj := &Thing{Spec: random(r)}
		op := operation.Operation{Type: operation.Create}
		if old != nil {
			op.Type = operation.Update
		}
		if old != nil && equality.Semantic.DeepEqual(obj, old) {
			continue // which nobody judges again
		}
		refused := map[string]bool{}
		for _, err := range Validate_Thing(t.Context(), op, nil, obj, old) {
			refused[strings.TrimPrefix(err.Detail, "failed rule: ")] = true
		}
		vars := map[string]any{"self": asCEL(t, obj)}
		if old != nil {
			vars["oldSelf"] = asCEL(t, old)
		}
		for text, rule := range rules {
			if old == nil && strings.Contains(text, "oldSelf") {
				continue
			}
			result, _, err := rule.Eval(vars)
			if want := err == nil && result == types.True; refused[text] == want {
				data, _ := json.Marshal(obj)
				t.Errorf("%s\nrefused: %v, and CEL says %v, %v, of\n%s", text, refused[text], result, err, data)
			}
			if refused[text] {
				fails[text]++
			} else {
				holds[text]++
			}
		}
		if old = obj; r.IntN(4) == 0 {
			old = nil
		}
	}
	for text := range rules {
		if holds[text] == 0 || fails[text] == 0 {
			t.Errorf("%s\nheld %d times, and failed %d times: the objects are no test of it", text, holds[text], fails[text])
		}
	}
}

// compiled are the rules above Spec, by cel-go.
func compiled(t *testing.T) map[string]cel.Program {
	t.Helper()
	env, err := cel.NewEnv(cel.OptionalTypes(), cel.CrossTypeNumericComparisons(true), cel.DefaultUTCTimeZone(true), library.Quantity(), ext.Strings(ext.StringsVersion(2)),
		cel.Variable("self", cel.DynType), cel.Variable("oldSelf", cel.DynType))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("types.go")
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]cel.Program{}
	for _, match := range regexp.MustCompile(`XValidation:rule="(.*)"\n`).FindAllStringSubmatch(string(source), -1) {
		ast, issues := env.Compile(match[1])
		if err := issues.Err(); err != nil {
			t.Fatal(err)
		}
		if rules[match[1]], err = env.Program(ast); err != nil {
			t.Fatal(err)
		}
	}
	if len(rules) < 100 {
		t.Fatalf("%d rules", len(rules))
	}
	return rules
}

// asCEL is what a server that has the schema hands to CEL.
func asCEL(t *testing.T, obj *Thing) map[string]any {
	t.Helper()
	data, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	var thing struct {
		Spec map[string]any `json:"spec"`
	}
	if err := kjson.Unmarshal(data, &thing); err != nil {
		t.Fatal(err)
	}
	thing.Spec["ratio"] = obj.Spec.Ratio
	for _, name := range []string{"start", "end"} {
		if text, ok := thing.Spec[name].(string); ok {
			if thing.Spec[name], err = time.Parse(time.RFC3339, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	return thing.Spec
}

// one chooses.
func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func random(r *rand.Rand) Spec {
	number := func() *int64 { return one(r, nil, new(int64), ptr(int64(1)), ptr(int64(3))) }
	at := func(day int) metav1.Time {
		return metav1.Date(2026, time.January, 1+day, 0, 0, 30*r.IntN(2), 0, time.UTC)
	}
	s := Spec{
		Kind: one(r, "a", "x", "1500m", "2Gi", "500m", "2027-01-01T00:00:00Z", "2025-01-01T00:00:00+02:00"), Count: one[int32](r, 0, 1, 5, -3), Big: one[int64](r, 0, 1, 2, -2), Ratio: one(r, 0, 0.5, 2.5, -1), On: one(r, true, false),
		List: one(r, []string{}, []string{"a"}, []string{"a", "b"}, []string{"b", "a"}), Items: []Item{},
		Labels: one(r, map[string]string{}, map[string]string{"a": "x"}, map[string]string{"a": "", "b": "x"}, map[string]string{"b": "y"}),
		Maybe:  one(r, nil, ptr("x"), ptr("y")), Timeout: metav1.Duration{Duration: one(r, 0, 30*time.Second, time.Minute, 90*time.Minute)}, Period: one(r, "1m", "2h", "soon"),
		Start: one(r, metav1.Time{}, at(31), at(45)), Size: resource.MustParse(one(r, "1Gi", "1024Mi", "1500m", "2", "0", "3Gi")),
	}
	for range r.IntN(4) {
		s.Items = append(s.Items, Item{one(r, "a", "b"), one(r, nil, ptr(int32(0)), ptr(int32(2)), ptr(int32(3)))})
	}
	if r.IntN(3) > 0 {
		s.Limits = &Limits{number(), number()}
	}
	if r.IntN(3) > 0 {
		s.End = ptr(at(one(r, 31, 32, 200)))
	}
	if r.IntN(2) > 0 {
		s.Cap = ptr(resource.MustParse(one(r, "1", "1Gi", "3Gi")))
	}
	return s
}

func ptr[T any](v T) *T { return &v }
