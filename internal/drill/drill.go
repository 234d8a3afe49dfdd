// Package drill carries what tests measure to the scorecard of docs/reliability.md. For tests only.
//
// A test notes figures of a row: drill.LeaderKill.Worst("writes resume", took). Where the
// environment variable of File names a file, they are added to it; else nothing is done. What a row
// promises is not said here but in hack/drills, which reads the file and prints the table.
package drill

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// File is the environment variable that names the file of figures.
const File = "TYPEPLANE_DRILL_FIGURES"

// Figure is one line of the file, as JSON.
type Figure struct {
	Row  Row       `json:"row"`
	Time time.Time `json:"time"`
	// Name says what was measured; figures of one row and name are joined as Kind says.
	Name  string  `json:"name"`
	Kind  Kind    `json:"kind"`
	Value float64 `json:"value"`
}

// Kind says how a figure is printed, and what two of the same name make.
type Kind string

// Counts add up. Of the others the largest is kept: Seconds, Bytes, Ratio.
const (
	Counted Kind = "count"
	Seconds Kind = "seconds"
	Bytes   Kind = "bytes"
	Ratio   Kind = "ratio"
	// NotHere says in Name why the row can't be measured on this machine.
	NotHere Kind = "not here"
)

// Count notes how often something happened. Zero is a figure, too.
func (r Row) Count(name string, n int) { r.note(name, Counted, float64(n)) }

// Worst notes how long something took. Of several the longest is kept.
func (r Row) Worst(name string, took time.Duration) { r.note(name, Seconds, took.Seconds()) }

// Size notes a number of bytes. Of several the largest is kept.
func (r Row) Size(name string, bytes int64) { r.note(name, Bytes, float64(bytes)) }

// Times notes a proportion. Of several the largest is kept.
func (r Row) Times(name string, ratio float64) { r.note(name, Ratio, ratio) }

// Skip notes why this machine can't measure the row.
func (r Row) Skip(why string) { r.note(why, NotHere, 0) }

// note adds a line to the file, in one write, since tests of several processes share it. It panics
// where that fails: a figure that is lost would leave a row that seems not to have run.
func (r Row) note(name string, kind Kind, value float64) {
	file := os.Getenv(File)
	if file == "" {
		return
	}
	line, err := json.Marshal(Figure{Row: r, Time: time.Now().UTC().Truncate(time.Second), Name: name, Kind: kind, Value: value})
	if err == nil {
		err = add(file, append(line, '\n'))
	}
	if err != nil {
		panic(fmt.Sprintf("drill: %v", err))
	}
}

func add(file string, line []byte) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(line); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
