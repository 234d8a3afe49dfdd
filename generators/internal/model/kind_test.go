package model_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/model"
)

func TestPlural(t *testing.T) {
	for singular, want := range map[string]string{
		"book": "books", "box": "boxes", "class": "classes", "branch": "branches", "dish": "dishes",
		"policy": "policies", "key": "keys", "quiz": "quizes", "y": "ys",
		"podchaos": "podchaos", "settings": "settings", "redis": "redis", "eventbus": "eventbuses", "status": "statuses", "address": "addresses",
	} {
		if got := model.Plural(singular); got != want {
			t.Errorf("plural(%q) = %q, want %q", singular, got, want)
		}
	}
}

func TestSeveralPlurals(t *testing.T) {
	for kind, want := range map[string]bool{
		"Index": true, "Fleet": true, "Repo": true, "ExternalDNS": true, "LoadAnalysis": true, "SearchMatrix": true, "Metadata": true, "Boot": true,
		"Book": false, "Policy": false, "Box": false, "PodChaos": false, "Redis": false, "Price": false, "Portfolio": false, "Gateway": false, "House": false, "Role": false,
	} {
		if got := model.SeveralPlurals(kind); got != want {
			t.Errorf("several plurals of %s: %t, want %t", kind, got, want)
		}
	}
}
