package apimachinery

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime/json"
)

// AppendJSON_Time appends a time in UTC, to the second; null for the zero time.
func AppendJSON_Time(dst []byte, in *metav1.Time) ([]byte, error) {
	return appendTime(dst, in.Time, time.RFC3339), nil
}

// ReadJSON_Time reads a time into local time.
func ReadJSON_Time(r *json.Reader, out *metav1.Time) {
	if t, ok := readTime(r, time.RFC3339); ok {
		out.Time = t
		return
	}
	r.Unmarshal(out)
}

// AppendJSON_MicroTime appends a time in UTC, to the microsecond; null for the zero time.
func AppendJSON_MicroTime(dst []byte, in *metav1.MicroTime) ([]byte, error) {
	return appendTime(dst, in.Time, metav1.RFC3339Micro), nil
}

// ReadJSON_MicroTime reads a time into local time.
func ReadJSON_MicroTime(r *json.Reader, out *metav1.MicroTime) {
	if t, ok := readTime(r, metav1.RFC3339Micro); ok {
		out.Time = t
		return
	}
	r.Unmarshal(out)
}

func appendTime(dst []byte, t time.Time, layout string) []byte {
	if t.IsZero() {
		return append(dst, "null"...)
	}
	dst = append(dst, '"')
	dst = t.UTC().AppendFormat(dst, layout)
	return append(dst, '"')
}

// readTime reads a time if the next value is a string that is one. Otherwise it takes nothing.
func readTime(r *json.Reader, layout string) (time.Time, bool) {
	s, ok := r.PeekString()
	if !ok {
		return time.Time{}, false
	}
	t, err := time.Parse(layout, s)
	if err != nil {
		return time.Time{}, false
	}
	r.TakeString()
	return t.Local(), true
}

// AppendJSON_Duration appends a duration as Go prints it.
func AppendJSON_Duration(dst []byte, in *metav1.Duration) ([]byte, error) {
	return json.AppendString(dst, in.Duration.String()), nil
}

// ReadJSON_Duration reads a duration as Go prints it.
func ReadJSON_Duration(r *json.Reader, out *metav1.Duration) {
	if s, ok := r.PeekString(); ok {
		if d, err := time.ParseDuration(s); err == nil {
			r.TakeString()
			out.Duration = d
			return
		}
	}
	r.Unmarshal(out)
}
