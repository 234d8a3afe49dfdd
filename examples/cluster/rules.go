package main

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// What the rules of all kinds are made of.

// invalid are the faults of one value.
func invalid(path *field.Path, value any, messages []string) field.ErrorList {
	var errs field.ErrorList
	for _, m := range messages {
		errs = append(errs, field.Invalid(path, value, m))
	}
	return errs
}

// oneOf judges a value that has to be one of some.
func oneOf[T ~string](path *field.Path, value T, known ...T) field.ErrorList {
	if slices.Contains(known, value) {
		return nil
	}
	slices.Sort(known)
	return field.ErrorList{field.NotSupported(path, value, known)}
}

// atLeast judges a number that has a least one.
func atLeast[T int32 | int64](path *field.Path, value, least T) field.ErrorList {
	if value >= least {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value, fmt.Sprintf("must be greater than or equal to %d", least))}
}

// within judges a number that has a least and a greatest value.
func within[T int32 | int64](at *field.Path, value, least, most T) field.ErrorList {
	if value >= least && value <= most {
		return nil
	}
	return field.ErrorList{field.Invalid(at, value, validation.InclusiveRangeError(int(least), int(most)))}
}

// part is a field that has to be there.
type part struct {
	name string
	is   bool
}

// required judges an object of which some fields have to be there.
func required(at *field.Path, parts ...part) field.ErrorList {
	var errs field.ErrorList
	for _, p := range parts {
		if !p.is {
			errs = append(errs, field.Required(at.Child(p.name), ""))
		}
	}
	return errs
}

// way is one of several ways to say a thing, of which an object has one.
type way struct {
	name  string // of its field
	is    bool
	judge func(at *field.Path) field.ErrorList
}

// validateWays judges the first of the ways that are there; any other is one too many. missing is
// said where there is none.
func validateWays(ways []way, at *field.Path, tooMany, missing string) field.ErrorList {
	var errs field.ErrorList
	found := false
	for _, w := range ways {
		switch {
		case w.is && found:
			errs = append(errs, field.Forbidden(at.Child(w.name), tooMany))
		case w.is:
			errs, found = append(errs, w.judge(at.Child(w.name))...), true
		}
	}
	if !found {
		errs = append(errs, field.Required(at, missing))
	}
	return errs
}

// oneOfIfSet is oneOf for a value that may be missing.
func oneOfIfSet[T ~string](at *field.Path, value *T, known ...T) field.ErrorList {
	if value == nil {
		return nil
	}
	return oneOf(at, *value, known...)
}

// oneOfRequired is oneOf for a value that has no default.
func oneOfRequired[T ~string](at *field.Path, value T, known ...T) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	return oneOf(at, value, known...)
}

// unique judges a name that has to be none of seen, and adds it there. One that is "" is somebody
// else's to judge.
func unique(at *field.Path, name string, seen map[string]bool) field.ErrorList {
	if name != "" && seen[name] {
		return field.ErrorList{field.Duplicate(at, name)}
	}
	seen[name] = true
	return nil
}
