package deepcopy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/load"
	"github.com/typeplane/typeplane/generators/tag"

	"k8s.io/gengo/v2/types"
)

// mode is what a package's tags ask for.
type mode int

const (
	optIn mode = iota // types with a tag
	all               // exported types without a contrary tag
	off               // nothing
)

// packageMode reads the package tags.
func packageMode(lines []string) (mode, error) {
	result := optIn
	for _, value := range tag.Values(lines, enableTag) {
		word, err := enableWord(value)
		switch {
		case err != nil:
			return off, err
		case word == "package":
			result = all
		case word == "false":
			return off, nil
		default:
			return off, fmt.Errorf("+%s=%s: want package or false", enableTag, value)
		}
	}
	if value, ok := tag.Last(lines, objectTag); ok && result == optIn {
		if on, err := boolean(objectTag, value); err != nil {
			return off, err
		} else if on {
			return all, nil
		}
	}
	return result, nil
}

// enableWord strips the old ",register" from a value, which says nothing any more.
func enableWord(value string) (string, error) {
	word, rest, _ := strings.Cut(value, ",")
	if rest != "" && rest != "register" && rest != "register=true" && rest != "register=false" {
		return "", fmt.Errorf("+%s=%s: %q is not an option", enableTag, value, rest)
	}
	return word, nil
}

func boolean(name, value string) (bool, error) {
	switch value {
	case "true", "":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("+%s=%s: want true or false", name, value)
}

// wish is what the tags of one type ask for.
type wish struct {
	in, out    bool // opted in, opted out
	interfaces []string
	byValue    bool
}

// typeLines are the comments that a type's tags stand in. The block above the doc comment may in doc.go be the
// package's; package tags in it are not the type's.
func typeLines(pkg *load.Package, t *types.Type) []string {
	second := slices.DeleteFunc(slices.Clone(t.SecondClosestCommentLines), func(line string) bool {
		return strings.HasPrefix(strings.TrimSpace(line), "+"+enableTag+"=package") && slices.Contains(pkg.DocLines, line)
	})
	return append(second, t.CommentLines...)
}

// typeWish reads the tags of a type.
func typeWish(lines []string) (wish, error) {
	var w wish
	values := tag.Values(lines, enableTag)
	if len(values) > 1 {
		return w, fmt.Errorf("+%s is there %d times", enableTag, len(values))
	}
	for _, value := range values {
		word, err := enableWord(value)
		if err != nil {
			return w, err
		}
		if word != "true" && word != "false" {
			return w, fmt.Errorf("+%s=%s: want true or false on a type", enableTag, value)
		}
		w.in, w.out = word == "true", word == "false"
	}
	if err := w.objectTags(lines); err != nil {
		return w, err
	}
	for _, value := range tag.Values(lines, interfacesTag) {
		for _, name := range strings.Split(value, ",") {
			if name = strings.TrimSpace(name); name != "" {
				w.interfaces = append(w.interfaces, name)
			}
		}
	}
	slices.Sort(w.interfaces)
	w.interfaces = slices.Compact(w.interfaces)
	return w, w.receivers(lines)
}

// objectTags reads the tags of controller-gen: root asks for DeepCopyObject and, unless generate says no, for all.
func (w *wish) objectTags(lines []string) error {
	root := false
	for name, set := range map[string]func(bool){
		objectTag: func(on bool) { w.in, w.out = w.in || on, w.out || !on },
		rootTag:   func(on bool) { root = on },
	} {
		if value, ok := tag.Last(lines, name); ok {
			on, err := boolean(name, value)
			if err != nil {
				return err
			}
			set(on)
		}
	}
	if root {
		w.interfaces = append(w.interfaces, objectName)
		w.in = !w.out
	}
	return nil
}

func (w *wish) receivers(lines []string) error {
	values := tag.Values(lines, valueTag)
	for i, value := range values {
		on, err := boolean(valueTag, value)
		if err != nil {
			return err
		}
		if i > 0 && on != w.byValue {
			return fmt.Errorf("+%s says both true and false", valueTag)
		}
		w.byValue = on
	}
	return nil
}
