// Package bookkeeping gives a format to the values that servers store for themselves, at keys that
// begin with a dot.
//
// The value of such a key has a format: a number that grows with every change that earlier releases
// can't read. Format 1 is the bare content, because builds from before this package wrote that. A
// later format begins with a line that names it and the first release that reads it:
//
//	format 2, release v0.1.0
//
// A program that finds a format that it does not know returns a *NewerError, and neither reads nor
// overwrites the value.
package bookkeeping

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Format is an encoding of the value of a key.
type Format struct {
	Number int
	// Release is the first release that reads the format. Format 1 has none.
	Release string
}

// First is the format of a value without a header.
var First = Format{Number: 1}

// headerStart begins the header of every format but the first. No content begins with it.
const headerStart = "format "

// Encode returns content in the format.
func (f Format) Encode(content []byte) []byte {
	if f.Number == First.Number {
		return content
	}
	return append(fmt.Appendf(nil, "%s%d, release %s\n", headerStart, f.Number, f.Release), content...)
}

// NewerError reports a value that a later release wrote.
type NewerError struct {
	Key   string
	Found Format
	// Newest is the number of the newest format that this program reads.
	Newest int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s in the database has format %d, and this program reads formats up to %d: start a program that is built with Typeplane %s or later",
		e.Key, e.Found.Number, e.Newest, e.Found.Release)
}

// Decode returns the content of the value stored at key, and its format. newest is the number of
// the newest format that the caller reads; a value of a later one is a *NewerError.
func Decode(key string, value []byte, newest int) (content []byte, f Format, err error) {
	if !bytes.HasPrefix(value, []byte(headerStart)) {
		return value, First, nil
	}
	header, content, _ := bytes.Cut(value, []byte("\n"))
	number, release, ok := strings.Cut(string(header[len(headerStart):]), ", release ")
	f = Format{Release: release}
	f.Number, err = strconv.Atoi(number)
	if err != nil || !ok || f.Number <= First.Number {
		return nil, Format{}, fmt.Errorf("%s in the database has the header %.100q, want \"format N, release R\" with a number above %d", key, header, First.Number)
	}
	if f.Number > newest {
		return nil, f, &NewerError{key, f, newest}
	}
	return content, f, nil
}
