package recovery

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
)

// TestObject: a panic is an error, has its stack in the log, and is counted.
func TestObject(t *testing.T) {
	var text bytes.Buffer
	log := slog.New(slog.NewTextHandler(&text, nil))
	before := Panics()["widgets"]
	var none map[string]int
	err := Object(log, "widgets", "ns/a", func() { none["a"] = 1 })
	if err == nil || !strings.Contains(err.Error(), "assignment to entry in nil map") {
		t.Errorf("%v", err)
	}
	for _, want := range []string{"loop=widgets", "object=ns/a", "recovery_test.go"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the log has no %s: %s", want, text.String())
		}
	}
	if n := Panics()["widgets"] - before; n != 1 {
		t.Errorf("%v panics counted", n)
	}
	if err := Object(log, "widgets", "ns/b", func() {}); err != nil {
		t.Error(err)
	}
}

// TestLoop: a loop starts again after a panic, until it returns or its context ends.
func TestLoop(t *testing.T) {
	log, rounds := slog.New(slog.DiscardHandler), 0
	Loop(t.Context(), log, "widgets", func(context.Context) {
		if rounds++; rounds < 3 {
			panic("again")
		}
	})
	if rounds != 3 {
		t.Errorf("%d rounds", rounds)
	}
	ctx, cancel := context.WithCancel(t.Context())
	Loop(ctx, log, "widgets", func(context.Context) {
		cancel()
		panic("over")
	})
}

func TestNameOf(t *testing.T) {
	if name := NameOf(TestNameOf); name != "recovery" {
		t.Error(name)
	}
}

// hostile is the handler of a log that panics.
type hostile struct{ slog.Handler }

func (hostile) Handle(context.Context, slog.Record) error { panic("the log is hostile") }

// TestLogThatPanics: the panic of the work is returned and counted.
func TestLogThatPanics(t *testing.T) {
	before := Panics()["widgets"]
	err := Object(slog.New(hostile{slog.NewTextHandler(io.Discard, nil)}), "widgets", "a", func() { panic("no") })
	if err == nil || err.Error() != "the server panicked: no" || Panics()["widgets"] != before+1 {
		t.Error(err, Panics())
	}
}
