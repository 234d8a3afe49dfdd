package rules_test

import (
	"testing"
	"time"

	"github.com/typeplane/typeplane/runtime/rules"
)

func TestSame(t *testing.T) {
	type hidden struct{ At time.Time }
	at := time.Unix(1, 0).UTC()
	switch {
	case !rules.Same(&hidden{at}, &hidden{at}):
		t.Error("equal values are not the same")
	case rules.Same(&hidden{at}, &hidden{at.Add(1)}), rules.Same(&hidden{at}, nil):
		t.Error("other values are the same")
	case rules.Same(func() {}, nil):
		t.Error("what has no JSON is the same")
	}
}
