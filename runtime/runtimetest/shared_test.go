package runtimetest

import (
	"reflect"
	"testing"
)

func TestSharedMemory(t *testing.T) {
	type empty struct{}
	type part struct{ Text string }
	type whole struct {
		Empty *empty
		Part  *part
	}
	shared := func(a, b whole) string { return sharedMemory("", reflect.ValueOf(a), reflect.ValueOf(b)) }
	one, other := &part{"a"}, &part{"a"}
	if got := shared(whole{new(empty), one}, whole{new(empty), other}); got != "" {
		t.Errorf("copies share %s", got)
	}
	if got := shared(whole{nil, one}, whole{nil, one}); got != ".Part" {
		t.Errorf("what is shared is at %q", got)
	}
}
