package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/program"
)

// showOne prints one value in the form that was asked for, and fails if there is a problem with it.
func (i *inspection) showOne(d described) error {
	if err := i.print(d); err != nil {
		return err
	}
	if d.Problem != "" {
		return &exitError{ExitLeft, errors.New(d.Problem)}
	}
	return nil
}

func (i *inspection) print(d described) error {
	switch i.output {
	case "raw":
		_, err := i.Out.Write(d.stored)
		return err
	case "table":
		list := newTable(i.Out)
		return errors.Join(list.add(d), list.end())
	case "json":
		data, err := d.json()
		if err != nil {
			return err
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, data, "", "  "); err != nil {
			return err
		}
		_, err = fmt.Fprintln(i.Out, indented.String())
		return err
	}
	return d.yaml(i.Out)
}

// json is what is known of the value, and the object in it.
func (d described) json() ([]byte, error) {
	return json.Marshal(struct {
		Stored described       `json:"stored"`
		Object json.RawMessage `json:"object"`
	}{d, d.object})
}

// yaml is the object, with what is known of its value in comments.
func (d described) yaml(out io.Writer) error {
	for _, fact := range d.facts() {
		fmt.Fprintf(out, "# %s\n", fact)
	}
	if d.object == nil {
		return nil
	}
	object, err := yaml.JSONToYAML(d.object)
	if err != nil {
		return err
	}
	_, err = out.Write(object)
	return err
}

// facts is what is known of the value, for people.
func (d described) facts() []string {
	var facts []string
	if d.Key != "" {
		facts = append(facts, "key: "+d.Key)
	}
	form := fmt.Sprintf("%d bytes", d.Size)
	if d.MediaType != "" {
		form = fmt.Sprintf("%s %s, %s, %s", d.APIVersion, d.Kind, d.MediaType, form)
	}
	if d.Encryption != nil {
		form += ", encrypted by " + d.Encryption.Provider + " with the key " + d.Encryption.Key
	} else {
		form += ", not encrypted"
	}
	facts = append(facts, "stored as: "+form)
	if d.ModRevision != 0 {
		facts = append(facts, fmt.Sprintf("revision: %d, created at %d, write %d since then", d.ModRevision, d.CreateRevision, d.Version))
	}
	if d.Lease != "" {
		facts = append(facts, "lease: "+d.Lease)
	}
	if d.Form != "" {
		facts = append(facts, "form: "+d.Form)
	}
	if d.Encryption != nil && d.object == nil && d.Problem == "" {
		facts = append(facts, "what it says can be shown with --encryption-provider-config")
	}
	if d.Problem != "" {
		facts = append(facts, "problem: "+strings.ReplaceAll(d.Problem, "\n", " "))
	}
	return facts
}

// lister prints several values.
type lister interface {
	add(described) error
	end() error
}

func (i *inspection) newLister() (lister, error) {
	switch i.output {
	case "", "table":
		return newTable(i.Out), nil
	case "json":
		return &lines{i.Out, func(d described) ([]byte, error) {
			data, err := d.json()
			return append(data, '\n'), err
		}}, nil
	case "yaml":
		return &lines{i.Out, func(d described) ([]byte, error) {
			var b bytes.Buffer
			b.WriteString("---\n")
			err := d.yaml(&b)
			return b.Bytes(), err
		}}, nil
	}
	return nil, fmt.Errorf("--output=%s: is for one key, and this is a prefix; want table, json or yaml", i.output)
}

// lines prints each value as it comes.
type lines struct {
	out   io.Writer
	print func(described) ([]byte, error)
}

func (l *lines) add(d described) error {
	data, err := l.print(d)
	if err != nil {
		return err
	}
	_, err = l.out.Write(data)
	return err
}

func (l *lines) end() error { return nil }

// table prints one line for each value.
type table struct{ w *tabwriter.Writer }

func newTable(out io.Writer) table {
	t := table{tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)}
	fmt.Fprintln(t.w, "KEY\tVERSION\tKIND\tMEDIA TYPE\tENCRYPTED\tSIZE\tCREATED\tMODIFIED\tFORM")
	return t
}

func (t table) add(d described) error {
	form, by := d.Form, "no"
	if d.Problem != "" {
		form = "unreadable"
	}
	if d.Encryption != nil {
		by = d.Encryption.Provider + " " + d.Encryption.Key
	}
	_, err := fmt.Fprintf(t.w, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%s\n", d.Key, orDash(d.APIVersion), orDash(d.Kind),
		orDash(strings.TrimPrefix(d.MediaType, "application/")), by, d.Size, d.CreateRevision, d.ModRevision, orDash(form))
	return err
}

func (t table) end() error { return t.w.Flush() }

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// inspection is what the command inspect was asked for.
type inspection struct {
	store  *program.StoreOptions
	decode string // a file with a stored value, "-" for standard input
	output string
	kinds  *database.Kinds
	Console
}
