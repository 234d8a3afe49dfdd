package storage

import (
	"errors"
	"fmt"
	"strings"
)

// MaxOps is the most operations that one write may carry: etcd allows 128 in a transaction, and one
// is the write.
const MaxOps = 127

// Join makes a key of its segments: Join("pods", "ns", "foo") is "/pods/ns/foo". A segment that is
// empty, "." or "..", or that holds a slash or a NUL, is refused with CodeInvalidKey. So no name
// can reach the entries of another namespace.
func Join(segments ...string) (string, error) {
	var b strings.Builder
	for _, s := range segments {
		b.WriteByte('/')
		b.WriteString(s)
	}
	key := b.String()
	if len(segments) == 0 {
		return "", invalid("join", key, errors.New("no segments"))
	}
	for _, s := range segments {
		if strings.Contains(s, "/") {
			return "", invalid("join", key, fmt.Errorf("segment %q holds a slash", s))
		}
		if err := checkSegment(s); err != nil {
			return "", invalid("join", key, err)
		}
	}
	return key, nil
}

// CheckKey returns CodeInvalidKey unless key is well formed. Backends call it first in every
// method; op is the operation that the error names.
func CheckKey(op, key string) error {
	if err := checkPath(key); err != nil {
		return invalid(op, key, err)
	}
	return nil
}

// CheckPrefix is CheckKey for a prefix: a key and one slash, or "/" for everything below the root.
func CheckPrefix(op, prefix string) error {
	if prefix == "/" {
		return nil
	}
	key, ok := strings.CutSuffix(prefix, "/")
	if !ok {
		return invalid(op, prefix, errors.New("a prefix ends in a slash"))
	}
	if err := checkPath(key); err != nil {
		return invalid(op, prefix, err)
	}
	return nil
}

// A selection is what List, Watch and Count are about: a prefix, which selects every key below it
// and not itself, or a key, which selects just that one. A prefix ends in a slash and a key
// doesn't, so nothing is both.

// IsPrefix says whether a well-formed selection is a prefix, and not a key.
func IsPrefix(selection string) bool { return strings.HasSuffix(selection, "/") }

// Selects says whether a well-formed selection selects key.
func Selects(selection, key string) bool {
	return key == selection || IsPrefix(selection) && strings.HasPrefix(key, selection)
}

// CheckSelection is CheckKey for a selection.
func CheckSelection(op, selection string) error {
	if IsPrefix(selection) {
		return CheckPrefix(op, selection)
	}
	return CheckKey(op, selection)
}

// CheckList returns an error unless opts are of a list that can be: CodeInvalidKey for a malformed
// selection, and for a Start that is not below it. Start need not be a well-formed key: one with a
// NUL behind it is how the place just after that key is named.
func CheckList(selection string, opts ListOptions) error {
	if err := CheckSelection("list", selection); err != nil {
		return err
	}
	if opts.Start != "" && (!IsPrefix(selection) || !strings.HasPrefix(opts.Start, selection)) {
		return invalid("list", opts.Start, fmt.Errorf("not below %q", selection))
	}
	if opts.Match == Exact && opts.Revision <= 0 {
		return fmt.Errorf("storage: list %s: an exact list wants a positive revision, not %d", selection, opts.Revision)
	}
	return nil
}

// CheckWatch returns an error unless a watch of a selection can begin where opts say.
func CheckWatch(selection string, opts WatchOptions) error {
	if err := CheckSelection("watch", selection); err != nil {
		return err
	}
	if opts.After <= 0 {
		return fmt.Errorf("storage: watch %s: a watch wants a positive revision to begin after, not %d", selection, opts.After)
	}
	return nil
}

// CheckOps returns CodeInvalidKey unless the operations that go with a write at key are well
// formed, at most MaxOps, and of different keys, with one positive Lifetime at most.
func CheckOps(op, key string, with []Op) error {
	if len(with) > MaxOps {
		return invalid(op, key, fmt.Errorf("%d operations in one transaction, at most %d are possible", len(with), MaxOps))
	}
	lifetimes := 0
	for i := range with {
		if life := with[i].lifetime; life != 0 {
			if lifetimes++; life < 0 || lifetimes > 1 {
				return invalid(op, key, fmt.Errorf("lifetime %v: want one that is positive", life))
			}
			continue
		}
		if err := CheckKey(op, with[i].Key); err != nil {
			return err
		}
		if with[i].Expected < 0 || with[i].Expected == 0 && with[i].Act == Remove {
			return invalid(op, with[i].Key, fmt.Errorf("operation expects revision %d", with[i].Expected))
		}
		same := with[i].Key == key
		for j := range i {
			same = same || with[j].Key == with[i].Key
		}
		if same {
			return invalid(op, with[i].Key, errors.New("named twice in one transaction"))
		}
	}
	return nil
}

// CheckDeleteOps is CheckOps for the operations that go with a deletion, which has no Lifetime.
func CheckDeleteOps(key string, with []Op) error {
	if lifetime, _ := SplitOps(with); lifetime != 0 {
		return invalid("delete", key, errors.New("a deletion has no lifetime"))
	}
	return CheckOps("delete", key, with)
}

// CheckRoot returns an error unless root is "" or a well-formed key. Backends call it when they are
// made.
func CheckRoot(root string) error {
	if root == "" {
		return nil
	}
	return CheckKey("open", root)
}

func checkPath(key string) error {
	rest, ok := strings.CutPrefix(key, "/")
	if !ok {
		return errors.New("a key begins with a slash")
	}
	for {
		segment, tail, more := strings.Cut(rest, "/")
		if err := checkSegment(segment); err != nil {
			return err
		}
		if !more {
			return nil
		}
		rest = tail
	}
}

func checkSegment(s string) error {
	switch {
	case s == "":
		return errors.New("empty segment")
	case s == "." || s == "..":
		return fmt.Errorf("segment %q", s)
	case strings.IndexByte(s, 0) >= 0:
		return fmt.Errorf("segment %q holds a NUL", s)
	}
	return nil
}

func invalid(op, key string, err error) error {
	return &Error{Code: CodeInvalidKey, Op: op, Key: key, Err: err}
}
