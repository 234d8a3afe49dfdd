package tool

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/program"
)

// offerFor says what a word can become that begins like this, behind the words before.
func offerFor(s program.Server, before []string, word string) offer {
	if len(before) == 0 && !strings.HasPrefix(word, "-") {
		return commandNames(s, word)
	}
	l := typed{server: s}
	if len(before) > 0 && !strings.HasPrefix(before[0], "-") {
		if before[0] == "help" {
			return commandNames(s, word)
		}
		cmd, err := find(s, before[0])
		if err != nil {
			return offer{kind: offerWords}
		}
		l.cmd, before = cmd, before[1:]
		l.flags = cmd.flagSet(s.Name)
	} else {
		l.flags, _ = program.NewFlags(s)
	}
	return l.offer(before, word)
}

// commandNames are those that begin like this.
func commandNames(s program.Server, begin string) offer {
	words := []offeredWord{{"help", "says what there is, or what a command does"}}
	for _, cmd := range commands(s) {
		words = append(words, offeredWord{cmd.name, cmd.about})
	}
	return beginning(words, begin)
}

// typed is the part of a command line that is there already.
type typed struct {
	server program.Server
	cmd    command // the zero value on a command line of the server itself
	flags  *pflag.FlagSet
}

func (l typed) offer(before []string, word string) offer {
	given, pending, arguments, flagsEnded := l.read(before)
	switch name, value, hasValue := strings.Cut(word, "="); {
	case pending != nil:
		return l.values(pending, "", word)
	case flagsEnded || !strings.HasPrefix(word, "-"):
		return l.arguments(arguments, word)
	case hasValue:
		if f := l.flagOf(name); f != nil {
			return l.values(f, name+"=", value)
		}
		return offer{kind: offerWords}
	}
	return l.flagNames(given, word)
}

// read says which flags are there already, which one still wants its value, how many arguments
// there are, and whether nothing but arguments can follow.
func (l typed) read(before []string) (given map[string]bool, pending *pflag.Flag, arguments int, flagsEnded bool) {
	given = map[string]bool{}
	for _, word := range before {
		switch name, _, hasValue := strings.Cut(word, "="); {
		case pending != nil:
			pending = nil
		case flagsEnded || !strings.HasPrefix(word, "-") || word == "-":
			arguments++
		case word == "--":
			flagsEnded = true
		default:
			f := l.flagOf(name)
			if f == nil {
				continue
			}
			given[f.Name] = true
			if !hasValue && f.NoOptDefVal == "" {
				pending = f
			}
		}
	}
	return given, pending, arguments, flagsEnded
}

// flagOf is the flag that is written like this, nil if there is none.
func (l typed) flagOf(text string) *pflag.Flag {
	if name, long := strings.CutPrefix(text, "--"); long {
		return l.flags.Lookup(name)
	}
	if len(text) != 2 {
		return nil // its value is in the same word
	}
	return l.flags.ShorthandLookup(text[1:])
}

// flagNames are the flags that can still be given.
func (l typed) flagNames(given map[string]bool, begin string) offer {
	var words []offeredWord
	l.flags.VisitAll(func(f *pflag.Flag) {
		if _, repeated := f.Value.(pflag.SliceValue); f.Hidden || given[f.Name] && !repeated {
			return
		}
		_, usage := pflag.UnquoteUsage(f)
		about, _, _ := strings.Cut(usage, "; ")
		words = append(words, offeredWord{"--" + f.Name, about})
	})
	return beginning(append(words, offeredWord{"--help", "says what there is"}), begin)
}

// values are what a flag can be given. prefix is what stands before the value in the same word.
func (l typed) values(f *pflag.Flag, prefix, value string) offer {
	choices := l.cmd.choices[f.Name]
	if choices == nil {
		choices = program.Choices(l.server, f)
	}
	if choices == nil {
		switch kind, _ := pflag.UnquoteUsage(f); kind {
		case "file":
			return offer{kind: offerFiles}
		case "directory":
			return offer{kind: offerDirectories}
		}
	}
	var had []string
	if _, list := f.Value.(pflag.SliceValue); list {
		if comma := strings.LastIndexByte(value, ','); comma >= 0 {
			had = strings.Split(value[:comma], ",")
			prefix, value = prefix+value[:comma+1], value[comma+1:]
		}
	}
	var words []offeredWord
	for _, choice := range choices {
		if !slices.Contains(had, choice) {
			words = append(words, offeredWord{text: prefix + choice})
		}
	}
	return beginning(words, prefix+value)
}

// arguments are what a command can be given behind n others.
func (l typed) arguments(n int, begin string) offer {
	if n > 0 {
		return offer{kind: offerWords}
	}
	if l.cmd.takesFile {
		return offer{kind: offerFiles}
	}
	var words []offeredWord
	for _, name := range l.cmd.first {
		words = append(words, offeredWord{text: name})
	}
	return beginning(words, begin)
}

// beginning are the words that begin like this.
func beginning(words []offeredWord, begin string) offer {
	return offer{offerWords, slices.DeleteFunc(words, func(w offeredWord) bool { return !strings.HasPrefix(w.text, begin) })}
}
