package runtimetest

import (
	"bytes"
	"math/rand"
	"strconv"
	"testing"

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
		for range damages {
			checkTranscoded(t, kind, damaged(random, message), revision, false)
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
