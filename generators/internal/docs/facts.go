package docs

import (
	"strings"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// facts are what is known of a field besides its comment, a sentence each.
func facts(f *model.Field) []string {
	var out []string
	if f.Default != "" {
		out = append(out, "Default: "+code(f.Default)+".")
	}
	if f.Nullable {
		out = append(out, "May be null.")
	}
	if named(f.Shape) == nil && len(f.Enum) > 0 {
		var values []string
		for _, v := range f.Enum {
			values = append(values, code(v.JSON))
		}
		what := "One of "
		if f.Shape.Text == "list" {
			what = "Each item: one of "
		}
		out = append(out, what+strings.Join(values, ", ")+".")
	}
	for _, r := range f.Rules {
		if text := limit(f, r); text != "" {
			out = append(out, text)
		}
	}
	return append(out, merging(f)...)
}

// named is the enum that a value, or each item of it, is of.
func named(s model.Shape) *model.Type {
	for ; s.Elem != nil; s = *s.Elem {
		if s.Named != nil {
			return s.Named
		}
	}
	return s.Named
}

// merging says how several clients share a list or a map.
func merging(f *model.Field) []string {
	var out []string
	switch f.ListType {
	case "set":
		out = append(out, "A set: no value is there twice.")
	case "map":
		keys := make([]string, len(f.ListKeys))
		for i, k := range f.ListKeys {
			keys[i] = code(k)
		}
		out = append(out, "Items are told apart by "+strings.Join(keys, " and ")+", and merged when they are applied.")
	case "atomic":
		out = append(out, "Applied as a whole.")
	}
	if f.MapType == "atomic" {
		out = append(out, "Applied as a whole.")
	}
	return out
}

// units are what the numbers of a rule count.
var units = map[string]string{
	"minLength": "character", "maxLength": "character", "maxBytes": "byte",
	"minItems": "item", "maxItems": "item", "minProperties": "entry", "maxProperties": "entry",
}

// limit says what a rule asks for; "" if another says it too.
func limit(f *model.Field, r model.Rule) string {
	name, subject := r.Name, ""
	if after, ok := strings.CutPrefix(name, "items."); ok {
		name, subject = after, "each item: "
	}
	if after, ok := strings.CutPrefix(name, "keys."); ok {
		name, subject = after, "each key: "
	}
	text := sentence(f, name, r.Value, strings.TrimSuffix(r.Name, name))
	if text == "" {
		return ""
	}
	text = subject + text
	if r.Under != "" {
		text = "for " + code(r.Under) + ": " + text
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// sentence is a rule in words. prefix is what the names of rules about the same value begin with.
func sentence(f *model.Field, name, value, prefix string) string {
	exclusive := func(bound string) bool { v, _ := f.Rule(prefix + bound); return v == "true" }
	switch name {
	case "minimum":
		if exclusive("exclusiveMinimum") {
			return "more than " + value
		}
		return "at least " + value
	case "maximum":
		if exclusive("exclusiveMaximum") {
			return "less than " + value
		}
		return "at most " + value
	case "exclusiveMinimum", "exclusiveMaximum":
		return "" // told with the bound
	case "multipleOf":
		return "a multiple of " + value
	case "minLength", "minItems", "minProperties":
		return "at least " + counted(value, units[name])
	case "maxLength", "maxBytes", "maxItems", "maxProperties":
		return "at most " + counted(value, units[name])
	case "pattern":
		return "matches " + code(value)
	case "format":
		return "in the format " + code(value)
	case "uniqueItems":
		return "no item is there twice"
	case "immutable":
		return "cannot be changed"
	case "monotonic":
		return "never decreases"
	case "noSet":
		return "cannot be set later"
	case "noUnset":
		return "cannot be taken away once it is set"
	case "noModify":
		return "cannot be changed once it is set"
	case "noAddItem":
		return "nothing can be added later"
	case "noRemoveItem":
		return "nothing can be removed later"
	case "forbidden":
		return "must not be set"
	case "required":
		return "must be set"
	case "neq":
		return "not " + code(value)
	case "cel":
		return "must satisfy " + code(value)
	case "oneOf":
		return "exactly one of the alternatives is set"
	case "atMostOneOf":
		return "at most one of the alternatives is set"
	case "atLeastOneOf":
		return "at least one of the alternatives is set"
	}
	return ""
}

func counted(number, unit string) string {
	switch {
	case number == "1":
		return "1 " + unit
	case strings.HasSuffix(unit, "y"):
		return number + " " + strings.TrimSuffix(unit, "y") + "ies"
	}
	return number + " " + unit + "s"
}
