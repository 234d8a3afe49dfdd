package deepcopy

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/model"

	"k8s.io/gengo/v2/types"
)

// mode is what a package's tags ask for.
type mode int

const (
	optIn mode = iota // types with a tag
	all               // exported types without a contrary tag
	off               // nothing
)

// packageMode reads the package tags. A package that is served is copied as a whole.
func (pl *planner) packageMode(pkg *model.Package) (mode, error) {
	markers := pl.pass.Model.OfPackage(pkg)
	result := optIn
	if pl.pass.Model.Serves(pkg) {
		result = all
	}
	enable := markers.Values(enableTag)
	for _, value := range enable {
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
	if value, ok := markers.Last(objectTag); ok {
		if on, err := boolean(objectTag, value); err != nil {
			return off, err
		} else if on {
			return all, nil
		} else if len(enable) == 0 {
			return optIn, nil
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

// markersOf are the markers of a type. The block above the doc comment may in doc.go be the
// package's; package tags in it are not the type's.
func (pl *planner) markersOf(t *types.Type) model.Markers {
	return pl.pass.Model.OfType(t).But(func(mk *model.Marker) bool {
		return strings.HasPrefix(mk.Text, "+"+enableTag+"=package") && filepath.Base(mk.Pos.Filename) == "doc.go"
	})
}

// typeWish reads the tags of a type. Kinds that are served, and their lists, are objects.
func (pl *planner) typeWish(pkg *model.Package, t *types.Type) (wish, error) {
	markers := pl.markersOf(t)
	w, err := readWish(markers)
	if err == nil && w.out && t.Methods["DeepCopyObject"] == nil && pl.pass.Model.IsServedObject(pkg, t) {
		return w, errors.New("a server needs the DeepCopyObject of it that a tag here switches off; take the tag away, or write the methods")
	}
	if err == nil && !w.out && t.Methods["DeepCopyObject"] == nil && pl.pass.Model.IsServedObject(pkg, t) && !slices.Contains(w.interfaces, objectName) {
		w.interfaces = append(w.interfaces, objectName)
	}
	return w, err
}

func readWish(markers model.Markers) (wish, error) {
	var w wish
	values := markers.Values(enableTag)
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
	if err := w.objectTags(markers); err != nil {
		return w, err
	}
	for _, value := range markers.Values(interfacesTag) {
		for _, name := range strings.Split(value, ",") {
			if name = strings.TrimSpace(name); name != "" {
				w.interfaces = append(w.interfaces, name)
			}
		}
	}
	slices.Sort(w.interfaces)
	w.interfaces = slices.Compact(w.interfaces)
	return w, w.receivers(markers)
}

// objectTags reads the tags of controller-gen: root asks for DeepCopyObject and, unless generate
// says no, for all.
func (w *wish) objectTags(markers model.Markers) error {
	root := false
	for name, set := range map[string]func(bool){
		objectTag: func(on bool) { w.in, w.out = w.in || on, w.out || !on },
		rootTag:   func(on bool) { root = on },
	} {
		if value, ok := markers.Last(name); ok {
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

func (w *wish) receivers(markers model.Markers) error {
	values := markers.Values(valueTag)
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
