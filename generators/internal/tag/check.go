package tag

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/internal/suggest"
)

// Fault is what is wrong with a tag.
type Fault struct {
	// Name is the tag that it is about, which may stand in the value of another one; Offset is
	// where it starts in the line.
	Name   string
	Offset int
	// Unknown tells that there is no such tag, Value that the tag is right and its value is not.
	Unknown, Value bool
	// Doubtful tells that the name is of no family, so that it may as well be that of another tool.
	Doubtful      bool
	Message, Cure string
}

// Check judges one comment line at a place. There is no fault if the line is no tag, a tag of other
// tools, or fine.
func (t *Table) Check(line string, at Scope) (Fault, bool) {
	start := len(line) - len(strings.TrimLeft(line, " \t"))
	return t.check(line[start:], start, at)
}

// check judges a tag that starts at an offset.
func (t *Table) check(text string, offset int, at Scope) (Fault, bool) {
	name := NameOf(text)
	if name == "" {
		return t.garbled(text, offset)
	}
	fault := Fault{Name: name, Offset: offset}
	d, end, known := t.find(name)
	if !known {
		cure, other := t.suggestion(name)
		if meant := t.slip(name); other && at != Anywhere && meant != "" {
			cure, other, fault.Doubtful = "did you mean +"+meant+"?", false, true
		}
		if other {
			return Fault{}, false
		}
		fault.Unknown, fault.Message, fault.Cure = true, fmt.Sprintf("+%s is not a tag", name), cure
		return fault, true
	}
	if second := t.second(text[1+end:]); second != "" && d.Value == None {
		fault.Value, fault.Message, fault.Cure = true, fmt.Sprintf("+%s: +%s behind it is not read", name, second), "write each tag on a line of its own"
		return fault, true
	}
	if !Checked(name) {
		return Fault{}, false
	}
	if at != Anywhere && d.Scope != Anywhere && d.Scope&at == 0 {
		fault.Message = fmt.Sprintf("+%s has no effect on a %s", name, at)
		fault.Cure = fmt.Sprintf("it belongs on a %s", d.Scope)
		return fault, true
	}
	fault.Value = true
	args, value, given := cut(text[1+end:])
	if fault.Message, fault.Cure = d.judge(text[1+end:], args, value, given); fault.Message != "" {
		fault.Message = fmt.Sprintf("+%s: %s", name[:end], fault.Message)
		return fault, true
	}
	if d.Value != Tag {
		return Fault{}, false
	}
	return t.check(value, offset+len(text)-len(value), Anywhere)
}

// garbled judges a line that begins with a plus sign and no name. A line with a second sign, or a
// blank between the two, was meant to be a tag if nothing but a tag reads so.
func (t *Table) garbled(text string, offset int) (Fault, bool) {
	meant := strings.TrimLeft(text, "+ \t")
	name := NameOf("+" + meant)
	if _, known := t.Find(name); !known || !strings.HasPrefix(text, "+") || !Checked(name) && strings.TrimRight(meant, " \t") != name {
		return Fault{}, false
	}
	return Fault{
		Name: name, Offset: offset, Unknown: true, Doubtful: true,
		Message: fmt.Sprintf("%s%s is not a tag", text[:len(text)-len(meant)], name), Cure: "did you mean +" + name + "?",
	}, true
}

// second is a tag that stands in what follows another one on its line; "" without one.
func (t *Table) second(rest string) string {
	_, behind, _ := strings.Cut(rest, " +")
	name := NameOf("+" + behind)
	if _, known := t.Find(name); !known {
		return ""
	}
	return name
}

// suggestion says what an unknown tag may have been meant to be. other tells that it is of another
// tool.
func (t *Table) suggestion(name string) (cure string, other bool) {
	if i := slices.IndexFunc(t.names, func(known string) bool { return strings.EqualFold(known, name) }); i >= 0 {
		return fmt.Sprintf("did you mean +%s?", t.names[i]), !Checked(t.names[i])
	}
	if !Checked(name) {
		family, rest, _ := strings.Cut(name, ":")
		meant := Nearest(family+":", families) + rest
		if _, ok := t.known[meant]; !ok || rest == "" {
			return "", true
		}
		return fmt.Sprintf("did you mean +%s?", meant), false
	}
	if near := t.near(name); near != "" {
		return fmt.Sprintf("did you mean +%s?", near), false
	}
	return "gen tags lists all there are", false
}

// slip is the tag without a family that a name was probably meant to be: +optional for +optinal.
func (t *Table) slip(name string) string {
	const short = 5 // letters, below which too much is near
	var plain []string
	for _, known := range t.names {
		if len(known) >= short && !strings.ContainsAny(known, ":.") {
			plain = append(plain, known)
		}
	}
	return suggest.Slip(name, plain)
}

// near is the tag that a name of one of our families was probably meant to be. One is spelt nearly
// so behind the parts that both have, of which more are better. Another ends so and stands
// elsewhere.
func (t *Table) near(name string) string {
	parts := strings.Split(name, ":")
	kin := make([][]string, len(parts)) // by how many parts they have in common with name; without those
	for _, known := range t.names {
		others := strings.Split(known, ":")
		n := 0
		for n < len(parts)-1 && n < len(others)-1 && parts[n] == others[n] {
			n++
		}
		kin[n] = append(kin[n], strings.Join(others[n:], ":"))
	}
	for n := len(parts) - 1; n > 0; n-- {
		if rest := Nearest(strings.Join(parts[n:], ":"), kin[n]); rest != "" {
			return strings.Join(append(parts[:n:n], rest), ":")
		}
	}
	return t.elsewhere(parts[0], parts[len(parts)-1])
}

// elsewhere is the tag that ends with a word, or nearly so, one of the same family first.
func (t *Table) elsewhere(family, word string) string {
	ends := map[string]string{} // tags by their last words, in lower case
	var words []string
	for _, known := range t.names {
		end := strings.ToLower(known[strings.LastIndexByte(known, ':')+1:])
		before := ends[end]
		if before == "" {
			words = append(words, end)
		}
		if before == "" || strings.HasPrefix(known, family+":") && !strings.HasPrefix(before, family+":") {
			ends[end] = known
		}
	}
	return ends[Nearest(strings.ToLower(word), words)]
}

// cut takes what stands behind a name apart: arguments in parentheses, and the value behind the
// equals sign.
func cut(rest string) (args, value string, given bool) {
	depth, from := 0, 0
	var quote rune
	for i, r := range rest {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case depth > 0 && (r == '"' || r == '`'):
			quote = r
		case r == '(':
			depth++
		case r == ')':
			if depth--; depth == 0 && args == "" {
				args, from = rest[:i+1], i+1
			}
		case r == '=' && depth == 0 && strings.Trim(rest[from:i], ": \t") == "":
			return args, strings.TrimRight(rest[i+1:], " \t"), true
		}
	}
	return args, "", false
}

// judge says what is wrong with arguments and value, and what would be right.
func (d Definition) judge(rest, args, value string, given bool) (problem, cure string) {
	switch {
	case args == "" && strings.HasPrefix(d.Args, "("):
		return "arguments are missing: " + d.Args, d.likeExample()
	case args != "" && d.Args == "" && !d.Below && strings.HasPrefix(d.Name, "k8s:"):
		return "it takes no arguments, found " + args, d.likeExample()
	}
	if d.Value == Fields {
		return d.judgeFields(rest)
	}
	word, _, _ := strings.Cut(value, " #") // upstream's grammar allows a comment behind simple values
	word = unquote(strings.TrimSpace(word))
	switch d.Value {
	case None:
		if word != "" && word != "true" {
			return fmt.Sprintf("it takes no value, found %q", word), "take the value off"
		}
	case Bool:
		if word != "true" && word != "false" {
			return fmt.Sprintf("want true or false, found %q", word), d.likeExample()
		}
	case Flag:
		if given && word != "true" && word != "false" {
			return fmt.Sprintf("want true, false or no value, found %q", word), ""
		}
	case Int:
		if _, err := strconv.ParseInt(word, 0, 64); err != nil {
			return fmt.Sprintf("want an integer, found %q", word), d.likeExample()
		}
	case Number:
		if _, err := strconv.ParseFloat(word, 64); err != nil {
			return fmt.Sprintf("want a number, found %q", word), d.likeExample()
		}
	case Name:
		return d.judgeName(word)
	case PackagePath:
		if strings.HasPrefix(word, ".") {
			return fmt.Sprintf("want a whole import path, found %q", word), d.likeExample()
		}
	case Tag:
		if NameOf(value) == "" {
			return fmt.Sprintf("want another tag behind the equals sign, found %q", value), d.likeExample()
		}
	}
	return "", ""
}

func (d Definition) judgeName(word string) (problem, cure string) {
	if len(d.Values) == 0 || slices.Contains(d.Values, word) {
		return "", ""
	}
	near := Nearest(word, d.Values)
	switch {
	case near != "":
		return fmt.Sprintf("%q is not among its words", word), fmt.Sprintf("did you mean %s?", near)
	default:
		return fmt.Sprintf("%q is not among its words", word), "write " + oneOf(d.Values)
	}
}

// judgeFields finds keys that are misspelt. Values may hold anything, so a part that is near no key
// is let through.
func (d Definition) judgeFields(rest string) (problem, cure string) {
	args, err := ParseArguments(rest)
	if err != nil {
		return err.Error(), d.likeExample()
	}
	for _, a := range args {
		if a.Key == "" || slices.Contains(d.Keys, a.Key) {
			continue
		}
		if near := Nearest(a.Key, d.Keys); near != "" {
			return fmt.Sprintf("it has no %s=", a.Key), fmt.Sprintf("did you mean %s=?", near)
		}
	}
	return "", ""
}

func (d Definition) likeExample() string {
	if d.Example == "" {
		return ""
	}
	return "write it like " + d.Example
}

// oneOf lists words as a sentence does: "a, b or c".
func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
