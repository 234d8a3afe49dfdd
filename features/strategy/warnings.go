package strategy

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// How much is said about one object. A client gets no more, and a hostile object has a hundred
// thousand things that are odd.
const (
	mostWarnings = 100
	mostBytes    = 16 << 10
)

// Warnings collects what is odd about a valid object, in the words of a kube-apiserver, for
// WarningsOnCreate and its like. It takes the first hundred, and allocates nothing until there is
// something to say. The zero value is empty.
//
// Its methods that look at a part of an object take the place of that, like "spec.template". Where
// they take arguments behind it, both are as those of fmt.Sprintf.
type Warnings struct {
	texts []string
	bytes int
}

// Texts are what was said.
func (w *Warnings) Texts() []string { return w.texts }

// Add says something, like fmt.Sprintf.
func (w *Warnings) Add(format string, args ...any) {
	if w.full() {
		return
	}
	text := fmt.Sprintf(format, args...)
	w.texts = append(w.texts, text)
	w.bytes += len(text)
}

// full says whether no more is taken. What compares things with each other ends then.
func (w *Warnings) full() bool { return len(w.texts) >= mostWarnings || w.bytes >= mostBytes }

// NameOfPods looks at the name of an object whose pods, and their hosts, are called after it.
func (w *Warnings) NameOfPods(name string) { w.name(name, "Pod names and hostnames") }

// name looks for what the rule of names allows, and hosts can't be called.
func (w *Warnings) name(name, usedIn string) {
	if len(name) <= validation.DNS1123LabelMaxLength && !strings.Contains(name, ".") {
		return
	}
	w.Add("metadata.name: this is used in %s, which can result in surprising behavior; a DNS label is recommended: %v",
		usedIn, validation.IsDNS1123Label(name))
}

// bytesOf looks at amounts of bytes: there is no half of one.
func (w *Warnings) bytesOf(list corev1.ResourceList, place func() string, names ...corev1.ResourceName) {
	for _, name := range names {
		if amount, ok := list[name]; ok && amount.MilliValue()%1000 != 0 {
			w.Add("%s[%s]: fractional byte value %q is invalid, must be an integer", place(), name, amount.String())
		}
	}
}

// eachRepeated visits the items of a list whose key an earlier item has.
func eachRepeated[T any](list []T, key func(*T) string, visit func(i int)) {
	if len(list) < 2 {
		return
	}
	var few [64]int // most lists need no memory of their own
	order := few[:0]
	for i := range list {
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int {
		if c := strings.Compare(key(&list[a]), key(&list[b])); c != 0 {
			return c
		}
		return a - b
	})
	for i := 1; i < len(order); i++ {
		if key(&list[order[i]]) == key(&list[order[i-1]]) {
			visit(order[i])
		}
	}
}
