package main

import (
	"regexp"
	"strings"
)

// written is a link as it stands in Markdown.
type written struct {
	image      bool
	to, anchor string
}

func (l written) String() string {
	if l.anchor == "" {
		return l.to
	}
	return l.to + "#" + l.anchor
}

var (
	fence = regexp.MustCompile("^\\s*```")
	span  = regexp.MustCompile("`+[^`]*`+")
	// target is the second half of a link, or all of an image.
	target = regexp.MustCompile(`(!\[[^\]]*)?\]\(([^)\s#]*)(?:#([^)\s]*))?\)`)
)

// mapLinks replaces what the links of a text lead to.
func mapLinks(text string, to func(written) string) string {
	return mapText(text, func(part string) string {
		return target.ReplaceAllStringFunc(part, func(found string) string {
			m := target.FindStringSubmatch(found)
			return m[1] + "](" + to(written{m[1] != "", m[2], m[3]}) + ")"
		})
	})
}

// tag is the beginning of HTML. Pages have none but line breaks: a word in angle brackets that is
// no code would be taken for it, and not be seen.
var tag = regexp.MustCompile(`</?[a-zA-Z][^>]*>?`)

// strayTags are the tags of a text.
func strayTags(text string) (found []string) {
	mapText(text, func(part string) string {
		for _, t := range tag.FindAllString(part, -1) {
			if t != "<br>" {
				found = append(found, t)
			}
		}
		return part
	})
	return found
}

// mapText replaces the parts of a text that are no code.
func mapText(text string, to func(part string) string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(text) {
		fenced := fence.MatchString(line)
		if code = code != fenced; code || fenced {
			b.WriteString(line)
			continue
		}
		end := 0
		for _, at := range span.FindAllStringIndex(line, -1) {
			b.WriteString(to(line[end:at[0]]))
			b.WriteString(line[at[0]:at[1]])
			end = at[1]
		}
		b.WriteString(to(line[end:]))
	}
	return b.String()
}
