package differ

import (
	"bytes"
	"math/rand"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// inputs is how many damaged inputs each kind gets; INPUTS=100000 makes it a longer run.
func inputs() int {
	if n, err := strconv.Atoi(os.Getenv("INPUTS")); err == nil {
		return n
	}
	return 3000
}

func TestDamagedInput(t *testing.T) {
	var all tally
	for i, p := range pairs {
		good := fixture(t, p.fixture)
		other := fixture(t, pairs[(i+3)%len(pairs)].fixture)
		if all.compare(t, p, good); all.accepted == 0 {
			t.Fatalf("%s: the fixture is rejected", p.fixture)
		}
		r := rand.New(rand.NewSource(int64(i)))
		for range inputs() {
			bad := bytes.Clone(good)
			for n := 1 + r.Intn(3); n > 0; n-- {
				bad = damage(r, bad, other)
			}
			all.compare(t, p, bad)
		}
	}
	t.Logf("%d inputs accepted, %d rejected, %d of them in other words", all.accepted, all.rejected, all.otherWords)
	if all.accepted < 1000 || all.rejected < 1000 {
		t.Error("too few inputs of one sort to mean anything")
	}
	if all.otherWords*10 > all.rejected {
		t.Error("too many errors in other words")
	}
}

// tally counts what became of inputs. Both may differ in words where an input is wrong in two ways at once: theirs
// looks at the wire type of a known field before its value, ours after it.
type tally struct{ accepted, rejected, otherWords int }

// compare reads an input with both and fails the test where they differ.
func (c *tally) compare(t *testing.T, p pair, data []byte) {
	t.Helper()
	p.theirs.Reset()
	p.ours.Reset()
	before := bytes.Clone(data)
	theirErr, ourErr := p.theirs.Unmarshal(data), p.ours.Unmarshal(data)
	if !bytes.Equal(before, data) {
		t.Fatalf("%s: the input was changed: %x", p.fixture, before)
	}
	if (theirErr == nil) != (ourErr == nil) {
		t.Fatalf("%s: theirs says %v, ours %v to %x", p.fixture, theirErr, ourErr, data)
	}
	if theirErr != nil {
		c.rejected++
		if theirErr.Error() != ourErr.Error() {
			c.otherWords++
		}
		return
	}
	c.accepted++
	if path := difference(reflect.ValueOf(p.theirs), reflect.ValueOf(p.ours), p.fixture); path != "" {
		t.Fatalf("%s differs after %x", path, data)
	}
	theirs, theirErr := p.theirs.Marshal()
	ours, ourErr := p.ours.Marshal()
	if theirErr != nil || ourErr != nil || !bytes.Equal(theirs, ours) || p.ours.Size() != len(theirs) {
		t.Fatalf("%s: written differently after %x:\n%x %v\n%x %v", p.fixture, data, theirs, theirErr, ours, ourErr)
	}
	if c.accepted%10 != 0 {
		return
	}
	for _, write := range []func([]byte) (int, error){p.ours.MarshalTo, p.ours.MarshalToSizedBuffer} {
		room := make([]byte, len(theirs))
		if n, err := write(room); err != nil || n != len(theirs) || !bytes.Equal(room, theirs) {
			t.Fatalf("%s: %v\n%x\n%x", p.fixture, err, room, theirs)
		}
	}
	if a, b := plain(p.theirs.String()), plain(p.ours.String()); a != b {
		t.Fatalf("%s: shown differently:\n%s\n%s", p.fixture, a, b)
	}
}

var (
	address = regexp.MustCompile(`0x[0-9a-f]+`)
	// alias is how their import of k8s.io/api/core/v1 is called in some files.
	alias = regexp.MustCompile(`v1[1-9]\.|k8s_io_api_core_v1\.`)
)

// plain is a text without addresses, and with packages by their own names.
func plain(text string) string {
	return alias.ReplaceAllString(address.ReplaceAllString(text, "0x"), "v1.")
}

// difference returns the path of the first thing in which two values of types with equal fields differ.
func difference(a, b reflect.Value, path string) string {
	switch a.Kind() {
	case reflect.Struct:
		if a.Type() == b.Type() {
			break
		}
		for i := range a.NumField() {
			if d := difference(a.Field(i), b.Field(i), path+"."+a.Type().Field(i).Name); d != "" {
				return d
			}
		}
		return ""
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return either(a.IsNil() == b.IsNil(), path)
		}
		return difference(a.Elem(), b.Elem(), path)
	case reflect.Slice:
		if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return path
		}
		for i := range a.Len() {
			if d := difference(a.Index(i), b.Index(i), path+"["+strconv.Itoa(i)+"]"); d != "" {
				return d
			}
		}
		return ""
	case reflect.Map:
		if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return path
		}
		for _, k := range a.MapKeys() {
			other := b.MapIndex(k.Convert(b.Type().Key()))
			if !other.IsValid() {
				return path
			}
			if d := difference(a.MapIndex(k), other, path+"["+k.String()+"]"); d != "" {
				return d
			}
		}
		return ""
	}
	return either(reflect.DeepEqual(a.Interface(), b.Convert(a.Type()).Interface()), path)
}

func either(same bool, path string) string {
	if same {
		return ""
	}
	return path
}

// likely are bytes that mean something: small numbers, tags of all wire types, the ends of varints.
var likely = []byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0a\x12\x1a\x22\x2a\x0b\x0c\x0d\x09\x7f\x80\xff")

// damage changes a message in one of the ways that a message can be wrong.
func damage(r *rand.Rand, data, other []byte) []byte {
	if len(data) == 0 {
		return []byte{likely[r.Intn(len(likely))]}
	}
	at := r.Intn(len(data))
	insert := func(what []byte) []byte { return bytes.Join([][]byte{data[:at], what, data[at:]}, nil) }
	switch r.Intn(9) {
	case 0:
		data[at] ^= 1 << r.Intn(8)
	case 1:
		data[at] = likely[r.Intn(len(likely))]
	case 2: // another wire type
		data[at] = data[at]&^7 | byte(r.Intn(8))
	case 3:
		return data[:at]
	case 4:
		return append(data[:at:at], data[at+r.Intn(min(20, len(data)-at)):]...)
	case 5:
		what := make([]byte, 1+r.Intn(12))
		for i := range what {
			what[i] = likely[r.Intn(len(likely))]
		}
		return insert(what)
	case 6:
		from := r.Intn(len(other))
		return insert(other[from : from+r.Intn(min(100, len(other)-from))])
	case 7: // twice: fields add up
		return append(data, data[at:]...)
	case 8: // a number or length at the end of what fits
		return append(insert([]byte{likely[r.Intn(len(likely))]}), strings.Repeat("\xff", 8)+string([]byte{byte(r.Intn(256)), byte(r.Intn(4))})...)
	}
	return data
}
