package selection

import (
	"encoding/base64"
	"encoding/json"
	"path"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// continueVersion marks the tokens of this form, which is that of Kubernetes.
const continueVersion = "meta.k8s.io/v1"

// inconsistent is the revision in a token that goes on with the newest state instead of that of the
// first page.
const inconsistent = -1

// continueToken says where the next page of a list begins.
type continueToken struct {
	Version  string `json:"v"`
	Revision int64  `json:"rv"`
	// Start is the first key of the page, without the prefix of the collection.
	Start string `json:"start"`
}

// Next makes the token for what follows the key last. Nothing sorts between a key and the same with
// a NUL.
func (s *Scope) Next(last string, revision int64) string {
	return encodeStart(s.Prefix, last+"\x00", revision)
}

// Anew makes the token for what begins at start in the newest state.
func (s *Scope) Anew(start string) string { return encodeStart(s.Prefix, start, inconsistent) }

// encodeStart makes the token for a page that begins with start.
func encodeStart(prefix, start string, revision int64) string {
	data, _ := json.Marshal(continueToken{Version: continueVersion, Revision: revision, Start: strings.TrimPrefix(start, prefix)})
	return base64.RawURLEncoding.EncodeToString(data)
}

// decodeContinue reads a token, which may have been made up by the client: start is always below
// prefix.
func decodeContinue(token, prefix string) (start string, revision int64, err error) {
	bad := func(why string) (string, int64, error) {
		return "", 0, apierrors.NewBadRequest("invalid continue token: " + why + "; use the one from metadata.continue of the last page")
	}
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return bad("it is not base64url")
	}
	var t continueToken
	if err := json.Unmarshal(data, &t); err != nil {
		return bad("it can't be read")
	}
	if t.Version != continueVersion {
		return bad("its version is not " + continueVersion)
	}
	if t.Start == "" {
		return bad("it has no start")
	}
	if t.Revision == 0 {
		return bad("it has no resourceVersion")
	}
	// What cleaning would change could lead out of the collection.
	rooted := "/" + strings.TrimPrefix(t.Start, "/")
	if path.Clean(rooted) != rooted {
		return bad("its start is not a key")
	}
	return prefix + rooted[1:], t.Revision, nil
}
