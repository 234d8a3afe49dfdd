package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// api is a client of a server. It sends and reads JSON, and never tries again.
type api struct {
	url    string
	client *http.Client
}

// refusal is an answer with an error.
type refusal struct {
	code int
	text string
}

func (r *refusal) Error() string { return fmt.Sprintf("HTTP status %d: %s", r.code, r.text) }

// do sends in, unless it is "", and decodes the answer into out, unless that is nil.
func (a *api) do(ctx context.Context, method, path, in string, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, a.url+path, bytes.NewReader([]byte(in)))
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", "beside")
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %w", method, path, &refusal{resp.StatusCode, string(body[:min(len(body), 500)])})
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(body, out)
}
