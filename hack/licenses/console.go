package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	classifier "github.com/google/licenseclassifier/v2"
)

// consoleFunction is in each program that has the page of the console. Names of functions stay in a
// program when its symbols are stripped.
const consoleFunction = house + "/internal/console.Serve"

// hasConsole says whether one of the programs has the page of the console.
func hasConsole(programs []string) (bool, error) {
	for _, name := range programs {
		data, err := os.ReadFile(name)
		if err != nil {
			return false, err
		}
		if bytes.Contains(data, []byte(consoleFunction)) {
			return true, nil
		}
	}
	return false, nil
}

// onPage are the packages of npm that are bundled into the page of the console, which is built in
// this folder. Their licences are in its licenses.txt, each below the name of the package. The lock
// file of its sources has their versions.
func onPage(known *classifier.Classifier, console string) ([]licensed, error) {
	text, err := os.ReadFile(filepath.Join(console, "page", "licenses.txt"))
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(console, "web", "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return nil, fmt.Errorf("package-lock.json: %w", err)
	}
	versions, names := map[string]string{}, []string{}
	for path, p := range lock.Packages {
		if name, ok := strings.CutPrefix(path, "node_modules/"); ok && !strings.Contains(name, "node_modules/") {
			versions[name] = p.Version
			names = append(names, regexp.QuoteMeta(name))
		}
	}
	heading := regexp.MustCompile(`(?m)^(` + strings.Join(names, "|") + `)\n\n`)
	starts := heading.FindAllSubmatchIndex(text, -1)
	found := map[string]licensed{}
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		name := string(text[at[2]:at[3]])
		l := licensed{module: module.Version{Path: "npm " + name, Version: versions[name]}}
		l.add(known, "LICENSE", bytes.TrimSpace(text[at[1]:end]))
		found[name] = l
	}
	if len(found) == 0 || starts[0][0] != 0 {
		return nil, fmt.Errorf("%s/page/licenses.txt: want the name of a package of web/package-lock.json in its first line", console)
	}
	var all []licensed
	for _, name := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[name])
	}
	return all, nil
}
