package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// requestTimeout is how long a client waits for an answer.
const requestTimeout = 10 * time.Second

// The media types of requests and answers.
const (
	asJSON     = "application/json"
	asProtobuf = "application/vnd.kubernetes.protobuf"
)

const books = "/books"

// path is where a namespace's books, or everyone's, are in a version.
func path(version, namespace string) string {
	if namespace == "" {
		return "/apis/" + bookGroup + version + books
	}
	return "/apis/" + bookGroup + version + "/namespaces/" + namespace + books
}

// objectPath is where the book with a key is.
func objectPath(version, key string) string {
	namespace, name, _ := strings.Cut(key, "/")
	return path(version, namespace) + "/" + name
}

// request is what is sent.
type request struct {
	method, path string
	query        url.Values
	contentType  string
	body         []byte
	accept       string
}

// answer is what came back: data is the body of a success, status says what went wrong.
type answer struct {
	server  int
	code    int
	data    []byte
	status  metav1.Status
	outcome Outcome
	message string
}

// do sends a request and waits for the whole answer.
func (e *entrance) do(ctx context.Context, r request) answer {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	resp, server, err := e.open(ctx, r)
	if err != nil {
		return answer{server: server, outcome: outcomeOf(err), message: err.Error()}
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{server: server, outcome: Unknown, code: resp.StatusCode, message: err.Error()}
	}
	a := answer{server: server, code: resp.StatusCode, data: data, outcome: OK}
	if resp.StatusCode >= 300 {
		a.refused()
	}
	return a
}

// refused finds out what an answer that is no success means for a write.
func (a *answer) refused() {
	a.outcome = Unknown
	if bytes.HasPrefix(a.data, envelope) {
		if u, err := unwrap(a.data); err == nil {
			_ = a.status.Unmarshal(u.Raw) // what can't be read says nothing
		}
	} else {
		_ = json.Unmarshal(a.data, &a.status) // the same
	}
	a.message = string(a.status.Reason) + ": " + a.status.Message
	// The server says itself that nothing was written: the client's mistake, or no way to etcd.
	if a.code < 500 || a.status.Reason == metav1.StatusReasonServerTimeout || a.status.Reason == metav1.StatusReasonServiceUnavailable {
		a.outcome = Failed
	}
}

// outcomeOf says what an error of the connection means for a write.
func outcomeOf(err error) Outcome {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return Failed // nobody was there to hear it
	}
	return Unknown
}
