package delegated

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/typeplane/typeplane/trace"
)

const (
	// callTimeout bounds each try of a call.
	callTimeout = 10 * time.Second
	// maxAnswer is the greatest answer that is read, in bytes.
	maxAnswer = 3 << 20
	// tries is how often a call is made before it has failed. Between the first two there is
	// firstPause, then half as much again each time. Up to a fifth is added, so that servers that
	// failed together do not come back together.
	tries      = 5
	firstPause = 500 * time.Millisecond
)

// Client calls another server. It is safe for concurrent use.
type Client struct {
	config  Config
	base    *url.URL
	http    *http.Client
	timeout time.Duration
	pause   time.Duration
}

// NewClient keeps the config, which must not be modified any more. It makes no connection, but
// finds files that are missing or of the wrong form.
func NewClient(config Config) (*Client, error) {
	if err := checkURL(config.Server); err != nil {
		return nil, fmt.Errorf("delegated: %w", err)
	}
	base, err := url.Parse(config.Server)
	if err != nil {
		return nil, fmt.Errorf("delegated: %w", err)
	}
	c := &Client{config: config, base: base, timeout: callTimeout, pause: firstPause}
	transport, err := config.transport()
	if err != nil {
		return nil, fmt.Errorf("delegated: %w", err)
	}
	transport.ResponseHeaderTimeout = callTimeout
	c.http = &http.Client{
		Transport: transport,
		// A review that is sent elsewhere would take the credentials along.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// Close ends connections that are not in use.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// statusError is an answer other than 2xx. What it says may have been written by anybody: it is for
// the log.
type statusError struct {
	code  int
	text  string
	after time.Duration
}

func (e *statusError) Error() string { return fmt.Sprintf("HTTP status %d: %s", e.code, e.text) }

// passing says that the same call may succeed a moment later.
func passing(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	var status *statusError
	if errors.As(err, &status) {
		return status.code >= 500 || status.code == http.StatusTooManyRequests
	}
	var malformed *json.SyntaxError
	var certificate *tls.CertificateVerificationError
	return !errors.As(err, &malformed) && !errors.As(err, &certificate)
}

// call sends in, if it is not nil, and decodes the answer into out. path is relative to the server;
// "" is the server's URL as it is. It tries again what may pass.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	return c.retry(ctx, func() error { return c.once(ctx, outgoing{method: method, path: path, body: body}, maxAnswer, out) })
}

// Get reads what is at a path of the server, up to limit bytes. It tries again what may pass.
func (c *Client) Get(ctx context.Context, path string, query url.Values, limit int) (out json.RawMessage, err error) {
	err = c.retry(ctx, func() error {
		return c.once(ctx, outgoing{method: http.MethodGet, path: path, query: query}, limit, &out)
	})
	return out, err
}

// Send sends in as JSON, if it is not nil, once, and decodes the answer into out.
func (c *Client) Send(ctx context.Context, method, path string, query url.Values, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	return c.once(ctx, outgoing{method: method, path: path, query: query, body: body}, maxAnswer, out)
}

// NotFound says whether the server has answered that there is no such thing.
func NotFound(err error) bool {
	var status *statusError
	return errors.As(err, &status) && status.code == http.StatusNotFound
}

// Conflict says whether the server has answered that something else is there.
func Conflict(err error) bool {
	var status *statusError
	return errors.As(err, &status) && status.code == http.StatusConflict
}

// outgoing is what is sent.
type outgoing struct {
	method, path string
	query        url.Values
	body         []byte
}

// retry tries a call again if its error may pass.
func (c *Client) retry(ctx context.Context, call func() error) error {
	pause := c.pause
	for try := 1; ; try++ {
		err := call()
		if err == nil || try == tries || !passing(ctx, err) {
			return err
		}
		wait := pause + rand.N(pause/5)
		var status *statusError
		if errors.As(err, &status) {
			wait = max(wait, min(status.after, c.timeout))
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
		pause += pause / 2
	}
}

func (c *Client) once(ctx context.Context, r outgoing, limit int, out any) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	resp, err := c.do(ctx, r.method, r.path, r.query, r.body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	if err != nil {
		return err
	}
	if len(data) > limit {
		return fmt.Errorf("the answer is greater than %d bytes", limit)
	}
	return json.Unmarshal(data, out)
}

// do returns an answer of 2xx, whose body is the caller's to close.
func (c *Client) do(ctx context.Context, method, path string, query url.Values, body []byte) (*http.Response, error) {
	u := *c.base
	if path != "" {
		u = *c.base.JoinPath(path)
		u.RawQuery = query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "typeplane")
	trace.Inject(ctx, req.Header)
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	token, err := c.config.token()
	if err != nil {
		return nil, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, statusOf(resp)
}

func statusOf(resp *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1024)) // for the log, as much as there is
	e := &statusError{code: resp.StatusCode, text: strings.TrimSpace(string(text))}
	var status struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(text, &status) == nil && status.Message != "" {
		e.text = status.Message
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.after = time.Duration(seconds) * time.Second
	}
	return e
}
