package serve

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/program"
)

func TestLogFormats(t *testing.T) {
	var text, lines bytes.Buffer
	newLogger((&program.LoggingOptions{Format: "text"}), &text).Debug("quiet")
	newLogger((&program.LoggingOptions{Format: "text"}), &text).Info("hello", "a", 1)
	if got := text.String(); !strings.Contains(got, `level=INFO msg=hello a=1`) || strings.Contains(got, "quiet") {
		t.Error(got)
	}
	newLogger((&program.LoggingOptions{Format: "json", Verbosity: program.RequestVerbosity}), &lines).Debug("hello", "a", 1)
	var line map[string]any
	if err := json.Unmarshal(lines.Bytes(), &line); err != nil || line["msg"] != "hello" || line["level"] != "DEBUG" {
		t.Errorf("%v: %s", err, lines.String())
	}
}
