package program

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withPlugins has plug-ins of two APIs and of its own, some last, and one that is off.
func withPlugins() Server {
	s := Server{Name: "widgets"}
	last, off, ownLast := AdmissionPlugin{Name: "Quota"}, AdmissionPlugin{Name: "Strict"}, AdmissionPlugin{Name: "Policy"}
	last.Last, off.Off, ownLast.Last = true, true, true
	s.APIs = []API{{Admission: []AdmissionPlugin{AdmissionPlugin{Name: "NamespaceLifecycle"}, last}}, {Admission: []AdmissionPlugin{off}}}
	s.Admission = []AdmissionPlugin{ownLast, AdmissionPlugin{Name: "Shop"}}
	return s
}

func TestChosenPlugins(t *testing.T) {
	for _, tc := range []struct {
		args, want string
		fails      []string
	}{
		{want: "NamespaceLifecycle Shop Policy Quota"},
		{args: "--enable-admission-plugins=Strict", want: "NamespaceLifecycle Strict! Shop Policy Quota"},
		{args: "--enable-admission-plugins=Quota,Strict", want: "NamespaceLifecycle Strict! Shop Policy Quota!"},
		{args: "--disable-admission-plugins=Quota,NamespaceLifecycle,Strict", want: "Shop Policy"},
		{args: "--enable-admission-plugins=Strict --disable-admission-plugins=Shop", want: "NamespaceLifecycle Strict! Policy Quota"},
		{args: "--admission-control=Quota,Strict,NamespaceLifecycle", want: "Quota! Strict! NamespaceLifecycle!"},
		{args: "--enable-admission-plugins=Strickt", fails: []string{`--enable-admission-plugins: there is no plug-in "Strickt"; did you mean Strict?`}},
		{args: "--disable-admission-plugins=AlwaysPullImages --admission-control=Shops", fails: []string{
			`--disable-admission-plugins: there is no plug-in "AlwaysPullImages"; choose of NamespaceLifecycle, Strict, Shop, Policy, Quota`,
			`--admission-control: there is no plug-in "Shops"; did you mean Shop?`,
			`--admission-control names all plug-ins that are on: leave it out, or --enable-admission-plugins and --disable-admission-plugins`,
		}},
		{args: "--enable-admission-plugins=Shop --disable-admission-plugins=Shop", fails: []string{"--enable-admission-plugins and --disable-admission-plugins: both name Shop"}},
		{args: "--admission-control=Shop,Quota,Shop", fails: []string{"--admission-control: Shop is there twice"}},
	} {
		t.Run(tc.args, func(t *testing.T) {
			o, err := parse(withPlugins(), strings.Fields(tc.args))
			if err != nil {
				t.Fatal(err)
			}
			chosen, unknown := ChoosePlugins(withPlugins(), &o.Admission)
			if err := errors.Join(o.Validate(), unknown); len(tc.fails) > 0 || err != nil {
				for _, want := range tc.fails {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("%v, want %q", err, want)
					}
				}
				if len(tc.fails) == 0 {
					t.Error(err)
				}
				return
			}
			var got []string
			for _, p := range chosen {
				got = append(got, p.Name+map[bool]string{true: "!"}[p.Named != ""])
			}
			if diff := cmp.Diff(strings.Fields(tc.want), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	twice := withPlugins()
	twice.Admission = append(twice.Admission, AdmissionPlugin{Name: "Quota"})
	if _, err := ChoosePlugins(twice, &AdmissionOptions{}); err == nil || !strings.Contains(err.Error(), "two admission plug-ins called Quota") {
		t.Errorf("two of one name: %v", err)
	}
}

// Every program has the flags, since behind an aggregator it has a plug-in; --print-config shows
// them and what is wrong with them.
func TestAdmissionFlags(t *testing.T) {
	bare := Server{Name: "widgets"}
	for disabled, want := range map[string]int{"": 1, "NamespaceLifecycle": 0} {
		o, err := parse(bare, []string{"--disable-admission-plugins=" + disabled})
		if err != nil {
			t.Fatal(err)
		}
		if chosen, err := ChoosePlugins(bare, &o.Admission); err != nil || len(chosen) != want {
			t.Errorf("without %q a bare program has %v, %v", disabled, chosen, err)
		}
	}
	var out bytes.Buffer
	line, err := ParseLine(withPlugins(), []string{"--disable-admission-plugins=Shop,Quot", "--admission-control-config-file=a.yaml"}, nil, noHelp)
	if err != nil {
		t.Fatal(err)
	}
	if err := line.PrintConfig(&out); err == nil || !strings.Contains(err.Error(), "did you mean Quota?") {
		t.Errorf("a name that is wrong: %v", err)
	}
	for _, want := range []string{"\nenable-admission-plugins: [] # default\n", "\ndisable-admission-plugins: [\"Shop\",\"Quot\"] # flag\n", "\nadmission-control: [] # default\n", "\nadmission-control-config-file: \"a.yaml\" # flag\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nothing of %q in\n%s", want, out.String())
		}
	}
}
