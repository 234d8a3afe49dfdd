package model_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/model"
)

func TestPlural(t *testing.T) {
	for singular, want := range map[string]string{
		"book": "books", "box": "boxes", "class": "classes", "branch": "branches", "dish": "dishes",
		"policy": "policies", "key": "keys", "quiz": "quizes", "y": "ys",
	} {
		if got := model.Plural(singular); got != want {
			t.Errorf("plural(%q) = %q, want %q", singular, got, want)
		}
	}
}
