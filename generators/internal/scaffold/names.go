package scaffold

import (
	"fmt"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/typeplane/typeplane/generators/internal/model"
)

var (
	kindName    = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,62}$`)
	versionName = regexp.MustCompile(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`)
	subName     = regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?$`)
)

// checkKind says what is wrong with the name of a kind.
func checkKind(name string) error {
	if !kindName.MatchString(name) || strings.HasSuffix(name, "List") {
		return fmt.Errorf("%q is no name of a kind: want letters and digits that begin with a capital, like Order, and no List at the end", name)
	}
	return nil
}

// checkVersion says what is wrong with the name of a version.
func checkVersion(name string) error {
	if !versionName.MatchString(name) {
		return fmt.Errorf("%q is no version of an API: want one like v1, v1beta1 or v2alpha1", name)
	}
	return nil
}

// checkGroup says what is wrong with the name of an API group.
func checkGroup(name string) error {
	if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 || !strings.Contains(name, ".") {
		return fmt.Errorf("%q is no API group: want a domain name in lower case, like shop.example.com", name)
	}
	return nil
}

// checkModule says what is wrong with the path of a module.
func checkModule(name string) error {
	if err := module.CheckImportPath(name); err != nil {
		return fmt.Errorf("%q is no path of a module: want one like example.com/shop", name)
	}
	return nil
}

func checkSubresource(name string) error {
	if !subName.MatchString(name) || slices.Contains([]string{"status", "scale", "finalize"}, name) {
		return fmt.Errorf("%q is no name of a subresource of one's own: want lower case letters, digits and hyphens, like cancel, and not status, scale or finalize", name)
	}
	return nil
}

// groupOf is the API group that a module gets if nobody names one: the last word of its path, in
// the domain that it begins with. Whoever keeps the source at a host for everybody has no domain
// there: it is example.com then.
func groupOf(modulePath string) string {
	host, _, _ := strings.Cut(modulePath, "/")
	shared := []string{"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "sr.ht", "git.sr.ht"}
	if !strings.Contains(host, ".") || slices.Contains(shared, host) {
		host = "example.com"
	}
	name := programName(modulePath)
	if len(validation.IsDNS1123Label(name)) > 0 {
		name = "apis"
	}
	if host == name {
		return host
	}
	return name + "." + host
}

// programName is what a module's program is called: the last word of its path that is no version.
func programName(modulePath string) string {
	if before, _, ok := module.SplitPathVersion(modulePath); ok {
		modulePath = before
	}
	return strings.ToLower(path.Base(modulePath))
}

var notInPackage = regexp.MustCompile(`[^a-z0-9]+`)

// packageName is a Go package for a program; names that stand for something else in the files are
// avoided.
func packageName(program string) string {
	name := notInPackage.ReplaceAllString(strings.ToLower(program), "")
	taken := []string{"", "main", "typeplane", "team", "context", "strings", "field", "apitest", "testing", "http", "json", "io", "meta", "errors", "admission", "registry", "metav1"}
	if slices.Contains(taken, name) || token.IsKeyword(name) || name[0] >= '0' && name[0] <= '9' {
		return "server"
	}
	return name
}

// goName is the Go name of what is called by words with hyphens: PortForward for port-forward.
func goName(words string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(words, "-") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// receiver is what a variable of a kind is called.
func receiver(kind string, taken ...string) string {
	name := strings.ToLower(kind[:1]) + kind[1:]
	if token.IsKeyword(name) || slices.Contains(append(taken, "field", "strings", "context", "metav1", "registry", "title", "in", "of", "ctx"), name) {
		return "obj"
	}
	return name
}

// withArticle is a noun with a or an.
func withArticle(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

func plural(kind string) string { return model.Plural(strings.ToLower(kind)) }
