package tool_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/internal/tool"
)

// TestConsole: the command prints an address, by which a browser gets to the server until the
// command ends.
func TestConsole(t *testing.T) {
	program := typeplane.Server{Name: "plane"}
	server := apitest.Start(t, program)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := tool.Run(ctx, program, []string{"console", "--no-browser", "--kubeconfig", server.KubeconfigFile}, tool.Console{Out: in, Err: io.Discard})
		in.CloseWithError(io.EOF)
		ended <- err
	}()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("the command has printed nothing: %v", <-ended)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	page, text := visit(t, browser, lines.Text())
	if !strings.Contains(text, "app.js") {
		t.Errorf("%s:\n%s", page.Status, text)
	}
	if answer, text := visit(t, browser, page.Request.URL.JoinPath("server/version").String()); answer.StatusCode != http.StatusOK || !strings.Contains(text, "gitVersion") {
		t.Errorf("the version by way of the console: %s:\n%s", answer.Status, text)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the command has ended with %v", err)
	}
}

// visit gets what the page would.
func visit(t *testing.T, browser *http.Client, address string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	resp, err := browser.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}
