// Package ask sends requests to the servers of examples, and says in a line what came back. No
// program imports it.
package ask

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/typeplane/typeplane/apitest"
)

// As is a header of a request.
type As struct{ Header, Value string }

// Send returns the status of the answer with the message of a failure, the names of a list, or
// kind, name, spec and status of an object. A PATCH is a merge patch. A request with headers is not
// the administrator's.
func Send(server *apitest.Server, method, path, body string, as ...As) string {
	req, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	client := server.Client
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	for _, h := range as {
		client = stranger(server)
		req.Header.Set(h.Header, h.Value)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, tell(text))
}

// stranger is a client without the administrator's certificate.
func stranger(server *apitest.Server) *http.Client {
	config := server.Client.Transport.(*http.Transport).TLSClientConfig.Clone()
	config.Certificates = nil
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
}

// answer is what of an answer is the same in each run.
type answer struct {
	Kind     string
	Message  string
	Metadata struct{ Name string }
	Items    []answer
	Spec     json.RawMessage
	Status   json.RawMessage
}

func tell(text []byte) string {
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return strings.TrimSpace(string(text))
	}
	return a.String()
}

func (a answer) String() string {
	if a.Message != "" {
		return a.Message
	}
	if strings.HasSuffix(a.Kind, "List") {
		words := []string{a.Kind}
		for _, item := range a.Items {
			words = append(words, item.Metadata.Name)
		}
		return strings.Join(words, " ")
	}
	var b bytes.Buffer
	fmt.Fprint(&b, a.Kind, " ", a.Metadata.Name)
	for _, part := range []json.RawMessage{a.Spec, a.Status} {
		if len(part) > 2 && part[0] == '{' {
			fmt.Fprintf(&b, " %s", part)
		}
	}
	return b.String()
}
