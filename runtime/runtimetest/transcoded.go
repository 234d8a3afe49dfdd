package runtimetest

import (
	"bytes"
	"math/rand"
	"strconv"
	"testing"
	"time"

	"sigs.k8s.io/randfill"

	"github.com/typeplane/typeplane/runtime"
	apimachineryjson "github.com/typeplane/typeplane/runtime/json/apimachinery"
)

// RunTranscoded compares Kind.Transcode with decoding and AppendJSON, for each kind of scheme in
// each version. Its objects are wilder than those of Run: much of them is zero, empty, or nothing
// that a client would send. It damages the bytes of each, too. Kinds without a table are left out.
func RunTranscoded(t *testing.T, scheme *runtime.Scheme, opts Options) {
	if opts.Rounds == 0 {
		opts.Rounds = 100
	}
	for _, group := range scheme.Groups() {
		for _, gv := range scheme.VersionsOf(group) {
			for _, kind := range scheme.KindsOf(gv) {
				if kind.Transcodes() {
					gvk := kind.GroupVersionKind()
					t.Run(gvk.GroupVersion().String()+"."+gvk.Kind, func(t *testing.T) { runTranscoded(t, kind, opts) })
				}
			}
		}
	}
}

// damages is how many damaged messages are made of each.
const damages = 10

func runTranscoded(t *testing.T, kind *runtime.Kind, opts Options) {
	t.Helper()
	random := rand.New(rand.NewSource(opts.Seed))
	for round := range opts.Rounds {
		obj := kind.New()
		fillWild(obj, random.Int63(), []float64{0.05, 0.3, 0.8}[round%3], 1+random.Intn(3), opts.Fill)
		settle(obj)
		message, err := kind.AppendMessage(nil, obj)
		if err != nil {
			t.Fatal(err)
		}
		revision := []int64{0, 1, 1 << 62}[round%3]
		checkTranscoded(t, kind, message, revision, true)
		checkCells(t, kind, message)
		for range damages {
			bad := damaged(random, message)
			checkTranscoded(t, kind, bad, revision, false)
			if cells := kind.StoredCells(); cells != nil { // there may be an error, and never a panic
				_, _ = cells.Append(nil, bad, func(dst []byte, _ time.Time) []byte { return dst })
			}
		}
		if t.Failed() {
			t.Logf("this is round %d of seed %d", round, opts.Seed)
			return // one bad object says enough
		}
	}
}

// fillWild fills an object with zeros as often as zeros says, and nil a bit more often.
func fillWild(obj runtime.Object, seed int64, zeros float64, most int, fill []any) {
	randfill.NewWithSeed(seed).NilChance(zeros).NumElements(0, most).MaxDepth(14).Funcs(wildFuncs(zeros)...).Funcs(fill...).Fill(obj)
}

// damaged returns a copy of message with one bit flipped, which may be cut short as well.
func damaged(random *rand.Rand, message []byte) []byte {
	out := bytes.Clone(message)
	out[random.Intn(len(out))] ^= 1 << random.Intn(8)
	if random.Intn(4) == 0 {
		out = out[:random.Intn(len(out))]
	}
	return out
}

// checkTranscoded wants the bytes of AppendJSON. There may be an error where that has one, and for
// a message that AppendMessage would not write: then whoever asks decodes.
func checkTranscoded(t *testing.T, kind *runtime.Kind, message []byte, revision int64, intact bool) {
	t.Helper()
	got, err := kind.Transcode([]byte("x"), message, revision)
	obj := kind.New()
	if decodeErr := kind.Unmarshal(message, obj); decodeErr != nil {
		if intact {
			t.Errorf("Unmarshal: %v", decodeErr)
		}
		return
	}
	if again, writeErr := kind.AppendMessage(nil, obj); !intact && (writeErr != nil || !bytes.Equal(again, message) || !settle(obj)) {
		return
	}
	runtime.Meta(obj).ResourceVersion = ""
	if revision != 0 {
		runtime.Meta(obj).ResourceVersion = strconv.FormatInt(revision, 10)
	}
	want, wantErr := kind.AppendJSON(nil, obj)
	switch {
	case err != nil && wantErr == nil:
		t.Errorf("Transcode: %v, for\n%s\n%q", err, want, message)
	case err == nil && wantErr != nil:
		t.Errorf("Transcode has no error, and AppendJSON: %v", wantErr)
	case err == nil && string(got[1:]) != string(want):
		t.Errorf("Transcode and AppendJSON differ from byte %d on:\n%s\n%s", differsAt(got[1:], want), got[1:], want)
	}
}

// checkCells wants of bytes the cells of the decoded object.
func checkCells(t *testing.T, kind *runtime.Kind, message []byte) {
	t.Helper()
	if kind.StoredCells() == nil {
		return
	}
	obj := kind.New()
	if err := kind.Unmarshal(message, obj); err != nil {
		t.Errorf("Unmarshal: %v", err)
		return
	}
	date := func(dst []byte, at time.Time) []byte { return strconv.AppendInt(dst, at.UnixNano(), 10) }
	want, wantErr := runtime.AppendCells(nil, kind.Cells(obj), date)
	got, err := kind.StoredCells().Append([]byte("x"), message, date)
	switch {
	case wantErr != nil || err != nil:
		if wantErr == nil || err == nil {
			t.Errorf("StoredCells: %v, and of the object %v: %s", err, wantErr, want)
		}
	case string(got[1:]) != string(want):
		t.Errorf("the cells of the bytes and of the object:\n%s\n%s", got[1:], want)
	}
}

// settle makes the FieldsV1 of an object what AppendJSON writes of them, as they are in canonical
// values. It says whether all were so.
func settle(obj runtime.Object) bool {
	all := true
	for i, owner := range runtime.Meta(obj).ManagedFields {
		if owner.FieldsV1 == nil {
			continue
		}
		text, err := apimachineryjson.AppendJSON_FieldsV1(nil, owner.FieldsV1)
		if err != nil {
			runtime.Meta(obj).ManagedFields[i].FieldsV1, all = nil, false
		} else if raw := owner.FieldsV1.GetRawBytes(); len(raw) > 0 && !bytes.Equal(raw, text) {
			owner.FieldsV1.SetRawBytes(text)
			all = false
		}
	}
	return all
}

func differsAt(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
