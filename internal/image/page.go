package image

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// consolePackage is what a program is linked with that has the page of the console.
const consolePackage = "github.com/typeplane/typeplane/internal/console"

// npmPackage is one that was bundled into the page of the console.
type npmPackage struct{ name, version string }

// npmHeading is above a licence in page/licenses.txt.
var npmHeading = regexp.MustCompile(`(?m)^((?:@[\w.-]+/)?[\w.-]+) (\d+\.\d+\.\d+\S*)\n\n`)

// onPage are the packages of npm that a program hands to browsers: none if it has no console. The
// go command knows of modules only, so they are read beside the page, in the module's own version.
func onPage(ctx context.Context, o Options, env []string) ([]npmPackage, error) {
	out, err := goCommand(ctx, o, env, "list", "-deps", "-f", `{{if eq .ImportPath "`+consolePackage+`"}}{{.Dir}}{{end}}`, "--", o.Package)
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		return nil, err
	}
	file := filepath.Join(dir, "page", "licenses.txt")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []npmPackage
	for _, m := range npmHeading.FindAllSubmatch(text, -1) {
		all = append(all, npmPackage{string(m[1]), string(m[2])})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s names no package of npm with its version, so the SBOM cannot; make console writes it", file)
	}
	return all, nil
}
