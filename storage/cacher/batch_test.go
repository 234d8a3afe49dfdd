package cacher

import (
	"strings"
	"testing"
)

// TestBatchThatPanics: a panic is an error of those who wait, and the next read is made.
func TestBatchThatPanics(t *testing.T) {
	hostile := true
	b := batch{read: func() (int64, error) {
		if hostile {
			panic("the answer is hostile")
		}
		return 7, nil
	}}
	if _, err := b.get(t.Context()); err == nil || !strings.Contains(err.Error(), "the answer is hostile") {
		t.Errorf("%v", err)
	}
	hostile = false
	if got, err := b.get(t.Context()); got != 7 || err != nil {
		t.Error(got, err)
	}
}
