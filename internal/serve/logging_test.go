package serve

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestLogFormats(t *testing.T) {
	var text, lines bytes.Buffer
	(&LoggingOptions{Format: logText}).logger(&text).Debug("quiet")
	(&LoggingOptions{Format: logText}).logger(&text).Info("hello", "a", 1)
	if got := text.String(); !strings.Contains(got, `level=INFO msg=hello a=1`) || strings.Contains(got, "quiet") {
		t.Error(got)
	}
	(&LoggingOptions{Format: logJSON, Verbosity: requestVerbosity}).logger(&lines).Debug("hello", "a", 1)
	var line map[string]any
	if err := json.Unmarshal(lines.Bytes(), &line); err != nil || line["msg"] != "hello" || line["level"] != "DEBUG" {
		t.Errorf("%v: %s", err, lines.String())
	}
}
