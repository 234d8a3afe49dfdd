// Package servertest runs a server that serves nothing but the features, and talks to it as its
// administrator.
package servertest

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/features"
)

// Namespaces is the path of namespaces.
const Namespaces = "/api/v1/namespaces"

// Client talks to a server as its administrator.
type Client struct {
	t *testing.T
	*apitest.Server
}

// Start runs a server with all features.
func Start(t *testing.T, options ...apitest.Option) Client {
	t.Helper()
	return StartProgram(t, typeplane.Server{Name: "plane", APIs: features.All()}, options...)
}

// StartProgram runs a server of one's own.
func StartProgram(t *testing.T, program typeplane.Server, options ...apitest.Option) Client {
	t.Helper()
	return Client{t, apitest.Start(t, program, options...)}
}

// Of talks to a server that runs.
func Of(t *testing.T, s *apitest.Server) Client { return Client{t, s} }

// Do sends a request. The body is JSON, or else protobuf, by how it begins.
func (c Client) Do(method, path, body string) (code int, answer string) {
	c.t.Helper()
	contentType := "application/json"
	switch {
	case strings.HasPrefix(body, "k8s\x00"):
		contentType = protobuf
	case method == http.MethodPatch:
		contentType = "application/merge-patch+json"
	}
	code, answer, _ = c.Send(method, path, contentType, body)
	return code, answer
}

const protobuf = "application/vnd.kubernetes.protobuf"

// Send sends a request with a body of a media type. It returns the warnings of the answer, too.
func (c Client) Send(method, path, contentType, body string) (code int, answer string, warnings []string) {
	c.t.Helper()
	req, err := http.NewRequest(method, c.URL+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	if contentType == protobuf {
		req.Header.Set("Accept", protobuf)
	}
	resp, err := c.Client.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, string(data), resp.Header["Warning"]
}

// Want is Do for a request whose answer is known: its code, and something that it says.
func (c Client) Want(code int, says, method, path, body string) string {
	c.t.Helper()
	got, answer := c.Do(method, path, body)
	if got != code || !strings.Contains(answer, says) {
		c.t.Fatalf("%s %s: %d %s\nwant %d with %s", method, path, got, answer, code, says)
	}
	return answer
}

// Until repeats a GET until the answer has the code and says something.
func (c Client) Until(code int, says, path string) string {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		got, answer := c.Do("GET", path, "")
		if got == code && strings.Contains(answer, says) {
			return answer
		}
		if time.Now().After(end) {
			c.t.Fatalf("GET %s: still %d %s\nwant %d with %s", path, got, answer, code, says)
		}
	}
}

// Eventually waits until something is done; the server may have to see a change first. otherwise
// says what is wrong if it is not.
func Eventually(t *testing.T, otherwise string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after a minute %s", otherwise)
		}
	}
}
