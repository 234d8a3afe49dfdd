package program

import (
	"context"
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// TestGroupsHaveEveryFlag: a flag that stands in no group would be missing in the help.
func TestGroupsHaveEveryFlag(t *testing.T) {
	all := Server{
		Name: "library", APIs: []API{{Virtual: []string{"things"}, Controllers: []string{"thing-controller"}}}, Admission: []AdmissionPlugin{{Name: "Plugin"}},
		Tracing: func(context.Context, TracingConfig) (Tracer, error) { return nil, nil },
	}
	fs, _ := NewFlags(all)
	places := map[string]int{}
	for _, task := range tasks {
		for _, name := range task.flags {
			places[name]++
			if fs.Lookup(name) == nil {
				t.Errorf("%s: there is no --%s", task.title, name)
			}
		}
	}
	shown := map[string]int{}
	for _, g := range ServerGroups(fs) {
		for _, f := range g.Flags {
			shown[f.Name]++
		}
	}
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && (places[f.Name] != 1 || shown[f.Name] != 1) {
			t.Errorf("--%s is in %d groups and shown %d times: put it into one of tasks in help.go", f.Name, places[f.Name], shown[f.Name])
		}
		if f.Hidden && shown[f.Name] > 0 {
			t.Errorf("--%s is hidden, and shown", f.Name)
		}
	})
	if first := ServerGroups(fs)[0]; len(first.Flags) != len(firstFlags) {
		t.Errorf("the first group has %d flags of %v", len(first.Flags), firstFlags)
	}
}

// TestCommandGroups: those of the command come first, and the server's stand where they do in its
// help.
func TestCommandGroups(t *testing.T) {
	fs := pflag.NewFlagSet("library backup", pflag.ContinueOnError)
	AddPlaceFlags(&NewOptions("library").Store, fs)
	fs.Bool("force", false, "replace FILE if it is there")
	AddConfigFlag(fs)
	var titles []string
	for _, g := range CommandGroups(fs) {
		titles = append(titles, g.Title+" --"+g.Flags[0].Name)
	}
	if want := []string{"Flags --force", "Where objects are kept --data-dir", "Settings, and what does not serve --config"}; !slices.Equal(titles, want) {
		t.Errorf("%q, want %q", titles, want)
	}
}
