package main

import (
	"os"
	"testing"
	"time"

	"github.com/typeplane/typeplane/runtime/runtimetest"
)

// TestTranscoded compares the JSON that is made of bytes with that of decoded objects, for as long
// as TRANSCODE says (make transcode). TestGeneratedCode does so for some objects of each kind.
func TestTranscoded(t *testing.T) {
	said := os.Getenv("TRANSCODE")
	if said == "" {
		t.Skip("TRANSCODE does not say how long")
	}
	long, err := time.ParseDuration(said)
	if err != nil {
		t.Fatal(err)
	}
	rounds, start := 0, time.Now()
	for ; time.Since(start) < long && !t.Failed(); rounds++ {
		runtimetest.RunTranscoded(t, scheme(t), runtimetest.Options{Rounds: 30, Seed: start.UnixNano() + int64(rounds)})
	}
	t.Logf("%d rounds of 30 objects of each kind, each with damaged copies", rounds)
}
