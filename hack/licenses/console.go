package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

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

// heading is above each licence in licenses.txt: the name of a package of npm, and its version.
var heading = regexp.MustCompile(`(?m)^((?:@[\w.-]+/)?[\w.-]+) (\d+\.\d+\.\d+\S*)\n\n`)

// onPage are the packages of npm that are bundled into the page of the console, which is built in
// this folder. Their licences are in its licenses.txt.
func onPage(known *classifier.Classifier, console string) ([]licensed, error) {
	file := filepath.Join(console, "page", "licenses.txt")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	starts := heading.FindAllSubmatchIndex(text, -1)
	if len(starts) == 0 || starts[0][0] != 0 {
		return nil, fmt.Errorf("%s: want the name of a package of npm and its version in the first line", file)
	}
	var all []licensed
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		l := licensed{module: module.Version{Path: "npm " + string(text[at[2]:at[3]]), Version: string(text[at[4]:at[5]])}}
		l.add(known, "LICENSE", bytes.TrimSpace(text[at[1]:end]))
		all = append(all, l)
	}
	return all, nil
}
