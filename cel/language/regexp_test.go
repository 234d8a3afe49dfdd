package language_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/typeplane/typeplane/cel/language"
)

// evaluate returns the value of an expression in which s and p are strings, or the error of
// compiling or evaluating it.
func evaluate(t *testing.T, expression string, vars map[string]any) (any, error) {
	t.Helper()
	env, err := language.Extended(celgo.Variable("s", celgo.DynType), celgo.Variable("p", celgo.DynType), celgo.Variable("l", celgo.DynType), celgo.Variable("m", celgo.DynType))
	if err != nil {
		t.Fatal(err)
	}
	checked, issues := env.Compile(expression)
	if issues.Err() != nil {
		return nil, issues.Err()
	}
	program, err := language.Program(env, checked)
	if err != nil {
		return nil, err
	}
	value, _, err := program.ContextEval(t.Context(), vars)
	if err != nil {
		return nil, err
	}
	if list, err := value.ConvertToNative(stringsType); err == nil && value.Type() == types.ListType {
		return list, nil
	}
	return value.Value(), nil
}

var subjects = []string{
	"", "a", "aa", "aaaaa", "foobar", "grey", "banana", "añña", "😀a", "Kube", "2026-11-28", "1a2b", "ababab", "ababcababcababcabab",
	"my-service", "www.example.com", "*.example.com", "example.com/label", strings.Repeat("a", 63), strings.Repeat("a", 64), "v1.2.3", "https://shop.example.com/cart?x=1#top",
	"10.0.0.0/8", "::1", "1h30m", "jane@example.com", "*/5 * ", "0 12", "/etc/passwd", " alias x;", "arn:aws:kms:eu-west-1:123456789012:key/ab-cd",
	"c56a4180-65aa-42ec-a945-5fd21dec0538", "ghcr.io/example-org/a@sha256:" + strings.Repeat("ab", 32), strings.Repeat("ab", 32), "aGVsbG8=", "ÄÖÜ ß", "a\nb",
}

// TestOrdinaryPatterns: expressions that people use match as package regexp does, as literals and
// computed.
func TestOrdinaryPatterns(t *testing.T) {
	text, err := os.ReadFile("testdata/patterns.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		re, vars := regexp.MustCompile(pattern), map[string]any{"p": pattern, "s": ""}
		literal := strconv.Quote(pattern)
		for _, s := range subjects {
			vars["s"] = s
			for expression, want := range map[string]any{
				"s.matches(" + literal + ")": re.MatchString(s), "matches(s, " + literal + ")": re.MatchString(s),
				"s.matches(p)": re.MatchString(s), "s.matches(" + literal + "+'')": re.MatchString(s),
				"s.find(" + literal + ")": re.FindString(s), "s.find(p)": re.FindString(s),
				"s.findAll(" + literal + ")": re.FindAllString(s, -1), "s.findAll(p)": re.FindAllString(s, -1),
				"s.findAll(" + literal + ", 1)": re.FindAllString(s, 1), "s.findAll(p, 1)": re.FindAllString(s, 1),
			} {
				if got, err := evaluate(t, expression, vars); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s of %q: %v, %v, want %v", expression, s, got, err, want)
				}
			}
		}
	}
}

// bounded are patterns with a part of their errors, "" for none.
var bounded = map[string]string{
	"(":                             "error parsing regexp",
	"a{1001}":                       "invalid repeat count",
	"((a{1000}){1000}){3}":          "error parsing regexp",
	"(abcdefghijk){1000}":           "at most 10000 instructions",
	"(((abcdefghijk){10}){10}){10}": "at most 10000 instructions",
	"((abcdefgh?){0,100}i){10}":     "at most 10000 instructions",
	"(((wxyz|xyzw)+){9,90}){2,11}":  "at most 10000 instructions",
	strings.Repeat("a", 10_001):     "at most 10000 bytes",
	"(?i)[" + strings.Repeat("B-\U0001e942", 60) + "]":   "classes of Unicode characters",
	"(?i)[" + strings.Repeat(`B-\x{1e942}`, 60) + "]":    "classes of Unicode characters",
	strings.Repeat(`\pL`, 2_000):                         "classes of Unicode characters",
	"(abcdefg){999}":                                     "",
	strings.Repeat("a", 10_000):                          "",
	"(?i)[" + strings.Repeat(`B-\x{1e942}`, 10) + "]{0}": "",
}

// TestGenKnowsPatterns: gen refuses the literal patterns that are errors here, and no others.
func TestGenKnowsPatterns(t *testing.T) {
	var lines []string
	for _, pattern := range slices.Sorted(maps.Keys(bounded)) {
		lines = append(lines, fmt.Sprintf("%q\t%t", pattern, bounded[pattern] == ""))
	}
	same(t, "testdata/patterns.txt", lines)
}

// TestPatternBounds: an expression whose program is too large is an error, for each function, as a
// literal and computed.
func TestPatternBounds(t *testing.T) {
	for pattern, want := range bounded {
		for _, call := range []string{"'x'.matches(%s)", "matches('x', %s)", "'x'.find(%s) != ''", "'x'.findAll(%s) != []", "'x'.findAll(%s, 3) != []"} {
			for _, argument := range []string{strconv.Quote(pattern), "p", strconv.Quote(pattern) + " + ''"} {
				_, err := evaluate(t, fmt.Sprintf(call, argument), map[string]any{"p": pattern})
				if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("%s of %.40s: %v, want %s", fmt.Sprintf(call, "…"), argument, err, want)
				}
			}
		}
	}
}
