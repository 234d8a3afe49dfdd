package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"

	"github.com/typeplane/typeplane/internal/console"
	"github.com/typeplane/typeplane/internal/server/audit"
)

const (
	// mostRecords is how many records of the audit log are shown.
	mostRecords = 100
	// tailBytes is how much of the end of its file is looked at.
	tailBytes = 1 << 20
)

// audited shows the page of the console what the server has written into its audit log last.
type audited struct{ file string }

// tailOf is what the page gets: the last records, the newest one first, without bodies.
type tailOf struct {
	File   string        `json:"file"`
	Events []audit.Event `json:"events"`
}

// ServeHTTP answers GET.
func (a *audited) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	text, err := lastBytes(a.file)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no %s: the server keeps no audit log there, or has not begun it (console --audit-log-path says where else it is)", a.file)
	}
	if err != nil {
		console.Refuse(w, http.StatusNotFound, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(tailOf{a.file, lastEvents(text)})
}

// lastBytes reads the end of a file.
func lastBytes(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-tailBytes), tailBytes))
}

// lastEvents reads the records in the end of a log, the newest one first. The first line and the
// last one may be parts of a record, and say nothing then.
func lastEvents(text []byte) []audit.Event {
	events := []audit.Event{}
	for _, line := range slices.Backward(bytes.Split(text, []byte("\n"))) {
		var event audit.Event
		if json.Unmarshal(line, &event) != nil || event.AuditID == "" {
			continue
		}
		event.RequestObject, event.ResponseObject = nil, nil
		if events = append(events, event); len(events) == mostRecords {
			break
		}
	}
	return events
}
