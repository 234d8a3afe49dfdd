package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/typeplane/typeplane/internal/drill"
)

// read returns the figures of a file. One that is missing has none.
func read(file string) ([]drill.Figure, error) {
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var figures []drill.Figure
	for line := range bytes.Lines(data) {
		var f drill.Figure
		if err := json.Unmarshal(line, &f); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// forget takes the figures of some rows out of a file: they are measured anew.
func forget(file string, rows []drill.Row) error {
	figures, err := read(file)
	if err != nil || len(figures) == 0 {
		return err
	}
	gone := map[drill.Row]bool{}
	for _, row := range rows {
		gone[row] = true
	}
	var kept bytes.Buffer
	for _, f := range figures {
		if gone[f.Row] {
			continue
		}
		line, err := json.Marshal(f)
		if err != nil {
			return err
		}
		kept.Write(append(line, '\n'))
	}
	return os.WriteFile(file, kept.Bytes(), 0o644)
}

// measured joins the figures of one row by their names, in the order of the first of each.
func measured(figures []drill.Figure, row drill.Row) (joined []drill.Figure) {
	at := map[string]int{}
	for _, f := range figures {
		if f.Row != row {
			continue
		}
		i, known := at[f.Name]
		if !known {
			at[f.Name] = len(joined)
			joined = append(joined, f)
			continue
		}
		if f.Kind == drill.Counted {
			joined[i].Value += f.Value
		} else {
			joined[i].Value = max(joined[i].Value, f.Value)
		}
		joined[i].Time = f.Time
	}
	return joined
}
