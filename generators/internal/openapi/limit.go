package openapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// limit is a constraint that a schema can state.
type limit struct {
	// on are the JSON types of the values that it is for; nil is all.
	on []string
	// value is the JSON type of what it says.
	value string
	// set puts it into a schema.
	set func(s *schema, value json.RawMessage) error
	// doc is what it says of a value, for the reference of tags; example is a value for it.
	doc, example string
}

var (
	numbers = []string{"integer", "number"}
	strs    = []string{"string"}
	arrays  = []string{"array"}
	objects = []string{"object"}
)

// limits are all constraints by their names in the schema.
var limits = map[string]limit{
	"minimum": {numbers, "number", func(s *schema, v json.RawMessage) error { s.Minimum = json.Number(v); return nil },
		"The smallest number", "1"},
	"maximum": {numbers, "number", func(s *schema, v json.RawMessage) error { s.Maximum = json.Number(v); return nil },
		"The largest number", "10"},
	"exclusiveMinimum": {numbers, "boolean", func(s *schema, v json.RawMessage) error { s.ExclusiveMinimum = isTrue(v); return nil },
		"The minimum itself is too small", "true"},
	"exclusiveMaximum": {numbers, "boolean", func(s *schema, v json.RawMessage) error { s.ExclusiveMaximum = isTrue(v); return nil },
		"The maximum itself is too large", "true"},
	"multipleOf": {numbers, "number", setMultipleOf, "The number is a multiple of this one", "5"},
	"minLength": {strs, "integer", count(func(s *schema) **int64 { return &s.MinLength }),
		"The fewest characters of a string", "1"},
	"maxLength": {strs, "integer", count(func(s *schema) **int64 { return &s.MaxLength }),
		"The most characters of a string", "63"},
	"pattern": {strs, "string", setPattern, "A regular expression (RE2) that a string matches somewhere", `"^[a-z]+$"`},
	"format": {nil, "string", func(s *schema, v json.RawMessage) error { s.Format = textOf(string(v)); return nil },
		"The OpenAPI format of a value", "date-time"},
	"minItems": {arrays, "integer", count(func(s *schema) **int64 { return &s.MinItems }),
		"The fewest items of a list", "1"},
	"maxItems": {arrays, "integer", count(func(s *schema) **int64 { return &s.MaxItems }),
		"The most items of a list", "16"},
	"uniqueItems": {arrays, "boolean", func(s *schema, v json.RawMessage) error { s.UniqueItems = isTrue(v); return nil },
		"No two items of a list are equal", "true"},
	"minProperties": {objects, "integer", count(func(s *schema) **int64 { return &s.MinProperties }),
		"The fewest entries of a map, or fields of a struct", "1"},
	"maxProperties": {objects, "integer", count(func(s *schema) **int64 { return &s.MaxProperties }),
		"The most entries of a map, or fields of a struct", "8"},
	"nullable": {nil, "boolean", func(s *schema, v json.RawMessage) error { s.Nullable = isTrue(v); return nil },
		"The value may be null", "true"},
	"enum": {nil, "array", nil, "All values that are allowed", "A;B"},
}

func isTrue(v json.RawMessage) bool { return string(v) == "true" }

// count sets a limit that counts something.
func count(field func(*schema) **int64) func(*schema, json.RawMessage) error {
	return func(s *schema, v json.RawMessage) error {
		n, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("%s is not a whole number from 0 on", v)
		}
		*field(s) = &n
		return nil
	}
}

func setMultipleOf(s *schema, v json.RawMessage) error {
	if number(json.Number(v)) <= 0 {
		return fmt.Errorf("%s is not greater than 0", v)
	}
	s.MultipleOf = json.Number(v)
	return nil
}

func setPattern(s *schema, v json.RawMessage) error {
	s.Pattern = textOf(string(v))
	_, err := regexp.Compile(s.Pattern)
	if err != nil {
		return fmt.Errorf("it is no regular expression: %w", err)
	}
	return nil
}

// number is the value of a bound that is there.
func number(n json.Number) float64 {
	f, err := n.Float64()
	if err != nil {
		panic(err) // impossible: it was checked to be a JSON number when it was read
	}
	return f
}

// narrow adds to s what other says: both hold, so of two bounds the stricter one counts, and of two
// enums what is in both.
func (s *schema) narrow(other *schema) {
	s.narrowBounds(other)
	for _, c := range []struct {
		mine, others **int64
		sign         int64
	}{
		{&s.MinLength, &other.MinLength, 1}, {&s.MaxLength, &other.MaxLength, -1},
		{&s.MinItems, &other.MinItems, 1}, {&s.MaxItems, &other.MaxItems, -1},
		{&s.MinProperties, &other.MinProperties, 1}, {&s.MaxProperties, &other.MaxProperties, -1},
	} {
		if *c.others != nil && (*c.mine == nil || c.sign*(**c.others-**c.mine) > 0) {
			*c.mine = *c.others
		}
	}
	s.narrowText(other)
	s.UniqueItems = s.UniqueItems || other.UniqueItems
	s.Nullable = s.Nullable || other.Nullable
	s.Rules = append(s.Rules, other.Rules...)
	if len(other.Enum) > 0 {
		s.Enum = inBoth(s.Enum, other.Enum)
	}
	s.narrowParts(other)
}

func (s *schema) narrowBounds(other *schema) {
	switch {
	case other.Minimum == "":
		s.ExclusiveMinimum = s.ExclusiveMinimum || other.ExclusiveMinimum
	case s.Minimum == "" || number(other.Minimum) > number(s.Minimum):
		s.Minimum, s.ExclusiveMinimum = other.Minimum, other.ExclusiveMinimum
	case number(other.Minimum) == number(s.Minimum):
		s.ExclusiveMinimum = s.ExclusiveMinimum || other.ExclusiveMinimum
	}
	switch {
	case other.Maximum == "":
		s.ExclusiveMaximum = s.ExclusiveMaximum || other.ExclusiveMaximum
	case s.Maximum == "" || number(other.Maximum) < number(s.Maximum):
		s.Maximum, s.ExclusiveMaximum = other.Maximum, other.ExclusiveMaximum
	case number(other.Maximum) == number(s.Maximum):
		s.ExclusiveMaximum = s.ExclusiveMaximum || other.ExclusiveMaximum
	}
	switch {
	case other.MultipleOf == "", other.MultipleOf == s.MultipleOf:
	case s.MultipleOf == "":
		s.MultipleOf = other.MultipleOf
	default:
		s.AllOf = append(s.AllOf, &schema{MultipleOf: other.MultipleOf})
	}
}

func (s *schema) narrowText(other *schema) {
	if other.Format != "" {
		s.Format = other.Format
	}
	switch {
	case other.Pattern == "", other.Pattern == s.Pattern:
	case s.Pattern == "":
		s.Pattern = other.Pattern
	default:
		s.AllOf = append(s.AllOf, &schema{Pattern: other.Pattern})
	}
}

// narrowParts narrows what lies in s.
func (s *schema) narrowParts(other *schema) {
	if other.Items != nil {
		s.Items.narrow(other.Items)
		s.Items = s.Items.wrapped()
	}
	if other.AdditionalProperties != nil {
		s.AdditionalProperties.narrow(other.AdditionalProperties)
		s.AdditionalProperties = s.AdditionalProperties.wrapped()
	}
	if other.Properties == nil {
		return
	}
	if !s.refers() {
		s.AllOf = append(s.AllOf, &schema{Properties: other.Properties})
		return
	}
	// Whoever reads a reference in an allOf (structured-merge-diff, kubectl) takes it for one only
	// if it is alone in there.
	if s.Properties == nil {
		s.Properties = map[string]*schema{}
	}
	for name, property := range other.Properties {
		if mine := s.Properties[name]; mine != nil {
			mine.narrow(property)
		} else {
			s.Properties[name] = property
		}
	}
}

// refers says whether s is a reference, perhaps with something beside it.
func (s *schema) refers() bool { return s.Ref != "" || len(s.AllOf) > 0 && s.AllOf[0].Ref != "" }

func inBoth(a, b []json.RawMessage) []json.RawMessage {
	if len(a) == 0 {
		return b
	}
	return slices.DeleteFunc(slices.Clone(b), func(v json.RawMessage) bool {
		return !slices.ContainsFunc(a, func(w json.RawMessage) bool { return string(v) == string(w) })
	})
}

// contradiction says why nothing can fulfil the limits of s; "" if something can.
func (s *schema) contradiction() string {
	if s.Minimum != "" && s.Maximum != "" {
		low, high := number(s.Minimum), number(s.Maximum)
		switch {
		case low > high:
			return fmt.Sprintf("the minimum %s is greater than the maximum %s", s.Minimum, s.Maximum)
		case low == high && (s.ExclusiveMinimum || s.ExclusiveMaximum):
			return fmt.Sprintf("the minimum and the maximum are %s, and that is excluded", s.Minimum)
		}
	}
	for _, c := range []struct {
		low, high *int64
		what      string
	}{{s.MinLength, s.MaxLength, "length"}, {s.MinItems, s.MaxItems, "number of items"}, {s.MinProperties, s.MaxProperties, "number of properties"}} {
		if c.low != nil && c.high != nil && *c.low > *c.high {
			return fmt.Sprintf("the least %s, %d, is more than the greatest, %d", c.what, *c.low, *c.high)
		}
	}
	switch {
	case s.ExclusiveMinimum && s.Minimum == "":
		return "a minimum is excluded, and there is none"
	case s.ExclusiveMaximum && s.Maximum == "":
		return "a maximum is excluded, and there is none"
	}
	return ""
}

// list is a list of words as a sentence has it, with "and" or "or" before the last one.
func list(words []string, conjunction string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + conjunction + " " + words[len(words)-1]
}

// textOf is the text of a JSON string.
func textOf(value string) string {
	var s string
	if json.Unmarshal([]byte(value), &s) != nil {
		return value
	}
	return s
}
