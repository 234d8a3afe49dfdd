package e2e

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

var patient = flag.Bool("patient", false, "run the tests of slow clients in their long form")

// badAddresses are requests whose path, query or method is wrong.
func badAddresses() []bad {
	const badRequest, invalid = "BadRequest", "Invalid"
	long := strings.Repeat("x", 100_000)
	token := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	return []bad{
		// Paths.
		{name: "dots", path: books + "/../../../x", code: 400, reason: badRequest, message: `the path contains ".."`},
		{name: "encoded dots", path: books + "/%2e%2e/%2E%2e", code: 400, reason: badRequest, message: `the path contains ".."`},
		{name: "encoded slash", path: books + "/a%2fb", code: 400, reason: badRequest, message: "%2f"},
		{name: "encoded slash and dots", path: books + "/..%2F..%2Fetc", code: 400, reason: badRequest, message: "%2f"},
		{name: "NUL", path: books + "/a%00b", code: 400, reason: badRequest, message: "control character"},
		{name: "percent sign", path: books + "/a%25b", code: 400, reason: badRequest, message: "may not contain '%'"},
		{name: "invalid UTF-8", path: books + "/%ff%fe", code: 400, reason: badRequest, message: "UTF-8"},
		{name: "very long name", path: books + "/" + long, code: 404, reason: "NotFound"},
		{name: "very long namespace", path: v1 + "/namespaces/" + long + "/books/b", code: 404, reason: "NotFound"},
		{name: "create in a namespace that can't be", path: v1 + "/namespaces/Not_A_Name/books", body: string(book("bad")), code: 422, reason: invalid, field: "metadata.namespace"},
		{name: "empty segment", path: v1 + "//books", code: 404, message: "404 page not found"},
		{name: "unknown resource", path: v1 + "/pamphlets", code: 404, reason: "NotFound", message: "the server could not find the requested resource"},
		{name: "unknown subresource", path: books + "/there/cover", code: 404, reason: "NotFound"},
		{name: "unknown version", path: "/apis/library.example.com/v9/books", code: 404, message: "404 page not found"},
		{name: "unknown group", path: "/apis/other.example.com/v1/books", code: 404, message: "404 page not found"},
		{name: "unknown document", path: "/nosuchthing", code: 404, message: "404 page not found"},
		{name: "absent", path: books + "/absent", code: 404, reason: "NotFound", message: `books.library.example.com "absent" not found`},

		// Methods.
		{name: "PUT of a collection", method: "PUT", body: "{}", code: 405, reason: "MethodNotAllowed", message: "the server does not allow this method on the requested resource"},
		{name: "POST of an object", method: "POST", path: books + "/there", body: "{}", code: 405, reason: "MethodNotAllowed"},
		{name: "POST in all namespaces", method: "POST", path: v1 + "/books", body: "{}", code: 405, reason: "MethodNotAllowed"},
		{name: "POST of a document", method: "POST", path: "/apis", body: "{}", code: 405, reason: "MethodNotAllowed"},
		{name: "TRACE", method: "TRACE", code: 405, reason: "MethodNotAllowed"},
		{name: "method that is none", method: "BREW", code: 405, reason: "MethodNotAllowed"},

		// Options.
		{name: "query that can't be read", path: books + "?dryRun=%zz", body: string(book("bad")), code: 400, reason: badRequest, message: "the query can't be read"},
		{name: "resourceVersion of a get", path: books + "/there?resourceVersion=new", code: 400, reason: badRequest, message: "resourceVersion"},
		{name: "resourceVersion of a list", path: books + "?resourceVersion=-1", code: 400, reason: badRequest, message: "resourceVersion"},
		{name: "resourceVersion of a watch", path: books + "?watch=1&resourceVersion=0x1", code: 400, reason: badRequest, message: "resourceVersion"},
		{name: "resourceVersion to come", path: books + "/there?resourceVersion=9999999", code: 504, reason: "Timeout", message: "Too large resource version: 9999999, current: "},
		{name: "continue", path: books + "?continue=xyz", code: 400, reason: badRequest, message: "invalid continue token"},
		{name: "continue of another server", path: books + "?continue=" + token(`{"v":"v9","rv":1,"start":"a"}`), code: 400, reason: badRequest, message: "invalid continue token"},
		{name: "continue that leads out", path: books + "?continue=" + token(`{"v":"meta.k8s.io/v1","rv":1,"start":"../../secrets/a"}`), code: 400, reason: badRequest, message: "invalid continue token"},
		{name: "continue and resourceVersion", path: books + "?resourceVersion=1&continue=" + token(`{"v":"meta.k8s.io/v1","rv":1,"start":"a"}`), code: 400, reason: badRequest, message: "specifying resource version is not allowed when using continue"},
		{name: "label selector", path: books + "?labelSelector=a%20b", code: 400, reason: badRequest, message: "unable to parse requirement"},
		{name: "label selector with a bad value", path: books + "?labelSelector=a%3D%2F%2F", code: 400, reason: badRequest, message: "unable to parse requirement"},
		{name: "field selector", path: books + "?fieldSelector=a", code: 400, reason: badRequest, message: "invalid selector: 'a'"},
		{name: "field that can't be selected", path: books + "?fieldSelector=spec.title%3Da", code: 400, reason: badRequest, message: "field label not supported: spec.title"},
		{name: "limit", path: books + "?limit=some", code: 400, reason: badRequest, message: `limit: "some" is not a whole number`},
		{name: "timeoutSeconds", path: books + "?watch=1&timeoutSeconds=1m", code: 400, reason: badRequest, message: "timeoutSeconds"},
		{name: "timeout", path: books + "?timeout=1", code: 400, reason: badRequest, message: "invalid timeout specified in the request URL"},
		{name: "resourceVersionMatch", path: books + "?resourceVersion=1&resourceVersionMatch=Near", code: 422, reason: invalid, field: "resourceVersionMatch"},
		{name: "resourceVersionMatch alone", path: books + "?resourceVersionMatch=Exact", code: 422, reason: invalid, field: "resourceVersionMatch"},
		{name: "sendInitialEvents of a list", path: books + "?sendInitialEvents=true", code: 422, reason: invalid, field: "sendInitialEvents"},
		{name: "sendInitialEvents alone", path: books + "?watch=1&sendInitialEvents=true", code: 422, reason: invalid, field: "resourceVersionMatch"},
		{name: "dryRun", path: books + "?dryRun=Some", body: string(book("bad")), code: 422, reason: invalid, field: "dryRun"},
		{name: "fieldValidation", path: books + "?fieldValidation=Sometimes", body: string(book("bad")), code: 422, reason: invalid, field: "fieldValidation"},
		{name: "fieldManager", path: books + "?fieldManager=" + long, body: string(book("bad")), code: 422, reason: invalid, field: "fieldManager"},
		{name: "gracePeriodSeconds", method: "DELETE", path: books + "/there?gracePeriodSeconds=soon", code: 400, reason: badRequest, message: "gracePeriodSeconds"},
	}
}

// TestBadConnections breaks the rules of what lies below a request. Here no Status can be expected,
// but an end, soon.
func TestBadConnections(t *testing.T) {
	s := start(t, t.TempDir())
	for _, tc := range []struct {
		name  string
		plain bool   // no TLS
		proto string // ALPN
		send  string
		want  string // the beginning of the answer; "" is an end without one, or with frames of HTTP/2
	}{
		{"plain HTTP", true, "", "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"},
		{"no TLS at all", true, "", "\x00\x01\x02\x03\x04\x05\x06\x07", ""},
		{"HTTP/2 preface that is none", false, "h2", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n" + strings.Repeat("x", 100), ""},
		{"HTTP/1 where HTTP/2 was agreed on", false, "h2", "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n", ""},
		{"HTTP/2 frame that is too large", false, "h2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\x00\x00\x00\x00\x00\x01", ""},
		{"no HTTP", false, "http/1.1", "hello\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"},
		{"bad escape in the path", false, "http/1.1", "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"},
		{"NUL in the path", false, "http/1.1", "GET /\x00 HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"},
		{"two lengths", false, "http/1.1", "POST " + books + " HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}", "HTTP/1.1 400 Bad Request\r\n"},
		{"header of 1 MiB", false, "http/1.1", "GET /livez HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 1<<20+8<<10) + "\r\n\r\n", "HTTP/1.1 431 Request Header Fields Too Large\r\n"},
		{"very long path", false, "http/1.1", "GET /" + strings.Repeat("x", 1<<20+8<<10) + " HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 431 Request Header Fields Too Large\r\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			conn := s.dial(t, tc.plain, tc.proto)
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(hangs))
			// The server may answer, and close, before it has read everything.
			go conn.Write([]byte(tc.send))
			got, err := io.ReadAll(conn)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatalf("the connection is still open after %v", hangs)
			}
			if !strings.HasPrefix(string(got), tc.want) {
				t.Errorf("got %.200q (%v), want %q", got, err, tc.want)
			}
		})
	}
	t.Run("header of 1 MiB over HTTP/2", func(t *testing.T) {
		req, err := http.NewRequest(http.MethodGet, s.URL+"/livez", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X", strings.Repeat("x", 1<<20))
		resp, err := s.Client.Do(req)
		if err != nil {
			return // the client has heard of the limit
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("got %d", resp.StatusCode)
		}
	})
	t.Run("slow headers", func(t *testing.T) { slowHeaders(t, s) })
	t.Run("slow body", func(t *testing.T) { slowBody(t, s) })
	s.servesOn(t)
}

// slowHeaders has connections on which a request never ends. Nobody else notices; the long form
// waits until they are cut.
func slowHeaders(t *testing.T, s *server) {
	const connections = 50
	ended := make(chan error, connections)
	for range connections {
		conn := s.dial(t, false, "http/1.1")
		defer conn.Close()
		fmt.Fprint(conn, "GET /livez HTTP/1.1\r\nHost: x\r\n")
		go func() {
			for {
				if _, err := fmt.Fprint(conn, "X: y\r\n"); err != nil {
					ended <- err
					return
				}
				time.Sleep(time.Second)
			}
		}()
	}
	began := time.Now()
	if code, _ := s.get(books); code != http.StatusOK || time.Since(began) > hangs {
		t.Errorf("a list beside slow headers: %d after %v", code, time.Since(began))
	}
	if !*patient {
		return
	}
	for range connections {
		select {
		case <-ended:
		case <-time.After(40 * time.Second):
			t.Fatal("a request whose header never ends is still there after 40 s")
		}
	}
}

// slowBody has a request whose body never comes, which the server bears for as long as the request
// may take.
func slowBody(t *testing.T, s *server) {
	conn := s.dial(t, false, "http/1.1")
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s?timeout=1s HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", books)
	if code, _ := s.get(books); code != http.StatusOK {
		t.Errorf("a list beside a slow body: %d", code)
	}
	conn.SetDeadline(time.Now().Add(hangs))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusGatewayTimeout || !strings.Contains(string(body), "the body of the request did not arrive in time") {
		t.Errorf("%v: %d %s", err, resp.StatusCode, body)
	}
}

// dial opens a connection with the client certificate of the administrator.
func (s *server) dial(t *testing.T, plain bool, proto string) net.Conn {
	t.Helper()
	address := strings.TrimPrefix(s.URL, "https://")
	if plain {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	config := s.Client.Transport.(*http.Transport).TLSClientConfig.Clone()
	config.NextProtos = []string{proto}
	conn, err := tls.Dial("tcp", address, config)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}
