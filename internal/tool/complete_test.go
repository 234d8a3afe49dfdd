package tool

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
)

// TestOffers has command lines up to the cursor, and what is offered there.
func TestOffers(t *testing.T) {
	s := programtest.Widgets()
	s.Admission = []program.AdmissionPlugin{{Name: "Zebra"}, {Name: "Ant"}}
	for line, want := range map[string]string{
		"":                                      "words help inspect backup restore migrate import user console version completion",
		"i":                                     "words inspect import",
		"help re":                               "words restore",
		"nothing ":                              "words",
		"--logging":                             "words --logging-format",
		"--logging-format ":                     "words text json",
		"--logging-format=":                     "words --logging-format=text --logging-format=json",
		"--logging-format=j":                    "words --logging-format=json",
		"--logging-format json --logging":       "words",
		"--logging-format=json --logging":       "words",
		"--authorization-mode RBAC,":            "words RBAC,Webhook RBAC,AlwaysAllow",
		"--authorization-mode=RBAC,Webhook,A":   "words --authorization-mode=RBAC,Webhook,AlwaysAllow",
		"--authorization-mode RBAC --authoriza": "words --authorization-mode --authorization-kubeconfig --authorization-webhook-cache-authorized-ttl --authorization-webhook-cache-unauthorized-ttl --authorization-webhook-config-file --authorization-always-allow-paths",
		"--enable-admission-plugins ":           "words Ant NamespaceLifecycle Zebra",
		"--watch-cache=":                        "words --watch-cache=true --watch-cache=false",
		"--watch-cache --secure-p":              "words --secure-port",
		"--secure-port ":                        "words",
		"--secure-port=":                        "words",
		"--config ":                             "files",
		"--config=x":                            "files",
		"--data-dir ":                           "directories",
		"--nothing=":                            "words",
		"-v 3 --print":                          "words --print-config",
		"backup ":                               "files",
		"backup f ":                             "words",
		"backup --force ":                       "files",
		"backup -- --":                          "files",
		"backup --forc":                         "words --force",
		"restore --etcd":                        "words", // those of a cluster are there to be refused
		"inspect -o ":                           "words yaml json raw table",
		"inspect -o y":                          "words yaml",
		"inspect --output=t":                    "words --output=table",
		"inspect -oyaml --dec":                  "words --decode",
		"user ":                                 "words add list revoke",
		"user add --group a --gr":               "words --group",
		"version -o ":                           "words json yaml",
		"version --conf":                        "words",
		"completion ":                           "words bash fish powershell zsh",
		"migrate --storage-media-type a":        "words application/vnd.kubernetes.protobuf application/json",
	} {
		before := strings.Split(line, " ")
		got := offerFor(s, before[:len(before)-1], before[len(before)-1])
		texts := []string{got.kind}
		for _, w := range got.words {
			texts = append(texts, w.text)
		}
		if strings.Join(texts, " ") != want {
			t.Errorf("%q: %s, want %s", line, strings.Join(texts, " "), want)
		}
	}
}

// TestEveryFlagIsOffered: what the help of a command shows is what is offered.
func TestEveryFlagIsOffered(t *testing.T) {
	s := programtest.Widgets()
	all := []string{""}
	for _, cmd := range commands(s) {
		all = append(all, cmd.name)
	}
	for _, name := range all {
		var before []string
		if name != "" {
			before = []string{name}
		}
		var help bytes.Buffer
		if err := Run(t.Context(), s, append([]string{"help"}, before...), Console{Out: &help}); err != nil {
			t.Fatal(err)
		}
		offered := offerFor(s, before, "--").words
		shown := 0
		for line := range strings.Lines(help.String()) {
			word, isFlag := strings.CutPrefix(line, "  -") // a text below it stands further in
			if _, long, short := strings.Cut(word, ", "); short {
				word = long
			}
			flag, _, _ := strings.Cut(strings.TrimSpace(word), " ")
			flag = "--" + strings.TrimLeft(flag, "-")
			if !isFlag {
				continue
			}
			shown++
			if !slices.ContainsFunc(offered, func(w offeredWord) bool { return w.text == flag }) {
				t.Errorf("%q: %s is shown, and not offered", name, flag)
			}
		}
		if shown == 0 || shown != len(offered)-1 { // --help is in no group
			t.Errorf("%q: %d flags are shown, and %d words offered", name, shown, len(offered))
		}
	}
}
