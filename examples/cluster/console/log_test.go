package console

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestLogOptions(t *testing.T) {
	at := &clock{time.Date(2026, 11, 21, 8, 0, 0, 120, time.UTC)}
	s := Consoles{now: at.now}
	c := s.Of("pod", "a")
	c.Print([]byte("one\n"))
	at.Time = at.Add(time.Minute)
	c.Print([]byte("two\nthree\n"))
	for name, tc := range map[string]struct {
		opts corev1.PodLogOptions
		want string
	}{
		"all":                  {corev1.PodLogOptions{}, "one\ntwo\nthree\n"},
		"the last":             {corev1.PodLogOptions{TailLines: new(int64(1))}, "three\n"},
		"none of them":         {corev1.PodLogOptions{TailLines: new(int64(0))}, ""},
		"more than there are":  {corev1.PodLogOptions{TailLines: new(int64(9))}, "one\ntwo\nthree\n"},
		"a few bytes":          {corev1.PodLogOptions{LimitBytes: new(int64(6))}, "one\ntw"},
		"as many as there are": {corev1.PodLogOptions{LimitBytes: new(int64(14))}, "one\ntwo\nthree\n"},
		"since then":           {corev1.PodLogOptions{SinceTime: new(metav1.NewTime(at.Time))}, "two\nthree\n"},
		"since a second ago":   {corev1.PodLogOptions{SinceSeconds: new(int64(1))}, ""},
		"with times":           {corev1.PodLogOptions{Timestamps: true, TailLines: new(int64(3)), LimitBytes: new(int64(40))}, "2026-11-21T08:00:00.000000120Z one\n2026-"},
		"errors":               {corev1.PodLogOptions{Stream: new(corev1.LogStreamStderr)}, ""},
		"output":               {corev1.PodLogOptions{Stream: new(corev1.LogStreamStdout), TailLines: new(int64(1))}, "three\n"},
	} {
		w := httptest.NewRecorder()
		Log(c, &tc.opts).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if w.Code != 200 || w.Body.String() != tc.want || w.Header().Get("Content-Type") != "text/plain" {
			t.Errorf("%s: %d %q, want %q", name, w.Code, w.Body, tc.want)
		}
	}
}

// Who follows gets each line when it is printed, and the end when the pod goes.
func TestFollow(t *testing.T) {
	var s Consoles
	c := s.Of("pod", "a")
	server := httptest.NewServer(Log(c, &corev1.PodLogOptions{Follow: true}))
	defer server.Close()
	resp, err := server.Client().Get(server.URL) // which has an answer though nothing is printed yet
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for _, want := range []string{"one\n", "two\n", "\n"} {
		c.Print([]byte(want))
		if got, err := lines.ReadString('\n'); err != nil || got != want {
			t.Fatalf("%q, %v; want %q", got, err, want)
		}
	}
	s.Drop("pod")
	if got, err := io.ReadAll(lines); err != nil || len(got) > 0 {
		t.Errorf("after the end: %q, %v", got, err)
	}
}

// A client that goes leaves nothing behind; one that wanted a few bytes gets no more.
func TestFollowerGoes(t *testing.T) {
	var s Consoles
	c := s.Of("pod", "a")
	done := make(chan bool)
	handler := Log(c, &corev1.PodLogOptions{Follow: true, LimitBytes: new(int64(3))})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
		done <- true
	}))
	defer server.Close()
	get := func() *http.Response {
		resp, err := server.Client().Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	get().Body.Close()
	<-done
	resp := get()
	c.Print([]byte("hello\n"))
	<-done
	if got, err := io.ReadAll(resp.Body); string(got) != "hel" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	resp.Body.Close()
}
