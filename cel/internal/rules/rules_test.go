package rules

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/cel/language"
	"github.com/typeplane/typeplane/runtime/rules"
)

// TestRules makes documents of a few values each, in which what is zero is there or not, and
// compares what the rules and cel-go say of them.
func TestRules(t *testing.T) {
	programs := compiled(t)
	r := rand.New(rand.NewPCG(1, 2))
	holds, fails := map[string]int{}, map[string]int{}
	var old *Thing
	for range 600 {
		doc := document(t, r)
		obj := read(t, doc)
		op := operation.Operation{Type: operation.Create}
		if old != nil {
			op.Type = operation.Update
		}
		if old != nil && equality.Semantic.DeepEqual(obj, old) {
			continue // which nobody judges again
		}
		refused := map[string]bool{}
		for _, err := range Validate_Thing(informed(t.Context(), doc), op, nil, obj, old) {
			refused[ruleIn(err.Detail)] = true
		}
		vars := map[string]any{"self": asCEL(t, doc)}
		if old != nil {
			vars["oldSelf"] = asCEL(t, printed(t, old))
		}
		for text, rule := range programs {
			if old == nil && strings.Contains(text, "oldSelf") {
				continue
			}
			result, _, err := rule.Eval(vars)
			if want := err == nil && result == types.True; refused[text] == want {
				data, _ := json.Marshal(doc)
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
	for text := range programs {
		if holds[text] == 0 || fails[text] == 0 {
			t.Errorf("%s\nheld %d times, and failed %d times: the objects are no test of it", text, holds[text], fails[text])
		}
	}
}

// ruleIn is the rule that an error is about, which it names.
func ruleIn(detail string) string {
	for _, before := range []string{"failed rule: ", " evaluating rule: ", " for rule: "} {
		if _, rule, ok := strings.Cut(detail, before); ok {
			return rule
		}
	}
	return detail
}

// informed is a context in which rules can ask what was sent.
func informed(ctx context.Context, doc map[string]any) context.Context {
	value := func(path *field.Path) (any, bool) {
		v := at(doc, path.String())
		return v, v != nil
	}
	return rules.WithDocument(rules.WithSent(ctx, func(path *field.Path) bool { return at(doc, path.String()) != nil }), value)
}

// at is what a path leads to.
func at(tree any, path string) any {
	for step := range strings.FieldsFuncSeq(path, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		switch in := tree.(type) {
		case map[string]any:
			tree = in[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(in) {
				return nil
			}
			tree = in[i]
		default:
			return nil
		}
	}
	return tree
}

// document is what somebody may send: the JSON of a random value, with some zeros that Go leaves
// out, and without a struct that it writes.
func document(t *testing.T, r *rand.Rand) map[string]any {
	t.Helper()
	doc := printed(t, &Thing{Spec: random(r)})
	spec := doc["spec"].(map[string]any)
	for name, zero := range map[string]any{"word": "", "level": int64(0), "tags": []any{}, "flag": false} {
		if spec[name] == nil && r.IntN(2) == 0 {
			spec[name] = zero
		}
	}
	if inner := spec["inner"].(map[string]any); len(inner) == 0 {
		switch r.IntN(3) {
		case 0:
			delete(spec, "inner")
		case 1:
			inner["depth"] = int64(0)
		}
	}
	for _, item := range spec["items"].([]any) {
		if item := item.(map[string]any); item["note"] == nil && r.IntN(3) == 0 {
			item["note"] = ""
		}
	}
	return doc
}

func printed(t *testing.T, obj *Thing) (doc map[string]any) {
	t.Helper()
	data, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	if err := kjson.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func read(t *testing.T, doc map[string]any) *Thing {
	t.Helper()
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	obj := new(Thing)
	if err := json.Unmarshal(data, obj); err != nil {
		t.Fatal(err)
	}
	return obj
}

// compiled are the rules above Spec, by cel-go.
func compiled(t *testing.T) map[string]cel.Program {
	t.Helper()
	env, err := language.Extended(cel.Variable("self", cel.DynType), cel.Variable("oldSelf", cel.DynType))
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
func asCEL(t *testing.T, doc map[string]any) map[string]any {
	t.Helper()
	spec := maps.Clone(doc["spec"].(map[string]any))
	if n, whole := spec["ratio"].(int64); whole {
		spec["ratio"] = float64(n)
	}
	for _, name := range []string{"start", "end"} {
		if text, ok := spec[name].(string); ok {
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				t.Fatal(err)
			}
			spec[name] = at
		}
	}
	return spec
}

// TestQuantities: a text that apimachinery would read for long is no quantity.
func TestQuantities(t *testing.T) {
	for text, want := range map[string]bool{
		"500m": true, "2Gi": true, "1E": true, "1Ei": true, "1e3": true, "1e-999": true,
		"1e-2000000000": false, "1E+2000000000": false, "1.5e2000000000": false, strings.Repeat("1", 10_001): false, "x": false,
	} {
		if _, err := validate_quantity(text); (err == nil) != want {
			t.Errorf("%.20s: %v", text, err)
		}
	}
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
		s.Items = append(s.Items, Item{one(r, "a", "b"), one(r, nil, ptr(int32(0)), ptr(int32(2)), ptr(int32(3))), one(r, "", "x")})
	}
	if r.IntN(3) > 0 {
		s.Limits = &Limits{number(), number()}
	}
	if r.IntN(3) > 0 {
		s.End = ptr(at(one(r, 31, 32, 200)))
	}
	s.Word, s.Level, s.Flag = one(r, "", "a", "b"), one[int32](r, 0, 1, 4), one(r, true, false)
	s.Tags, s.Inner.Depth = one(r, nil, []string{"a"}, []string{"b", "c"}), one[int32](r, 0, 2)
	s.Address, s.Net = one(r, "10.0.0.1", "127.0.0.1", "::1", "x"), one(r, "10.0.0.0/8", "fd00::/8", "y")
	s.Link = one(r, "https://a.example.com/x", "http://b.example.com", "/b", "no url")
	s.Version, s.Port = one(r, "1.10.0", "1.0.0", "v2"), one(r, intstr.FromInt32(80), intstr.FromInt32(8080), intstr.FromString("http"))
	if r.IntN(2) > 0 {
		s.Cap = ptr(resource.MustParse(one(r, "1", "1Gi", "3Gi")))
	}
	return s
}

func ptr[T any](v T) *T { return &v }
