package printer

import (
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
)

// use takes down helpers that what is printed calls.
func (pr *printer) use(helpers []plan.Helper) {
	for _, h := range helpers {
		if !slices.ContainsFunc(pr.helpers, func(o plan.Helper) bool { return o.Name == h.Name }) {
			pr.helpers = append(pr.helpers, h)
		}
	}
}

func (pr *printer) printHelpers() {
	slices.SortFunc(pr.helpers, func(a, b plan.Helper) int { return strings.Compare(a.Name, b.Name) })
	for _, h := range pr.helpers {
		for _, line := range h.Lines() {
			pr.P(line...)
		}
		pr.P()
	}
}
