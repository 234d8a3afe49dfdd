package storage

import (
	"fmt"
	"strconv"
)

// Revisions are positive numbers on one line for the whole database, so any two of them can be
// compared with <, whatever keys they are of. Outside of a store they are text, a resourceVersion,
// which is the number in decimal digits and nothing else: clients have come to compare it. This
// file is where the one becomes the other; only package wire, which puts revisions into the bytes
// of objects, prints the digits itself.

// ParseRevision reads a revision as clients send it. "" and "0", which name none, are 0.
func ParseRevision(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	revision, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, fmt.Errorf("storage: %q is not a revision: want a number that the server gave", text)
	}
	return int64(revision), nil
}

// FormatRevision is a revision as clients get it; that of something which was not stored (0) is "".
func FormatRevision(revision int64) string {
	if revision == 0 {
		return ""
	}
	return strconv.FormatInt(revision, 10)
}

// CheckReached returns CodeFuture unless a store at current has seen the revision that a read asks
// for; 0 asks for none. Backends call it; op and key are what the error names.
func CheckReached(op, key string, asked, current int64) error {
	if asked <= current {
		return nil
	}
	return &Error{Code: CodeFuture, Op: op, Key: key, Revision: asked, Current: current}
}
