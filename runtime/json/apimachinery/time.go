package apimachinery

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime/json"
)

// AppendJSON_Time appends a time in UTC, to the second; null for the zero time.
func AppendJSON_Time(dst []byte, in *metav1.Time) ([]byte, error) {
	if seconds := in.Unix(); 0 <= seconds && seconds <= maxFast {
		return appendSeconds(dst, uint64(seconds)), nil
	}
	return appendTime(dst, in.Time, time.RFC3339), nil
}

// AppendSeconds appends the time that was this many seconds after the beginning of 1970, as
// AppendJSON_Time does.
func AppendSeconds(dst []byte, seconds int64) []byte {
	if 0 <= seconds && seconds <= maxFast {
		return appendSeconds(dst, uint64(seconds))
	}
	return appendTime(dst, time.Unix(seconds, 0), time.RFC3339)
}

// maxFast is the last second of the year 9999.
const maxFast = 253402300799

// appendSeconds appends the time that was this many seconds after the beginning of 1970, which is
// most of what the package time takes for the general case.
func appendSeconds(dst []byte, seconds uint64) []byte {
	// The days are counted in years that begin with March, so that the leap day is the last, since
	// March of year 0.
	days := seconds/86400 + 719468
	cycle, day := days/146097, days%146097
	year := (day - day/1460 + day/36524 - day/146096) / 365
	day -= 365*year + year/4 - year/100
	month := (5*day + 2) / 153
	day -= (153*month+2)/5 - 1
	year += 400 * cycle
	if month += 3; month > 12 {
		month, year = month-12, year+1
	}
	digits := func(n uint64) (byte, byte) { return byte('0' + n/10), byte('0' + n%10) }
	c1, c2 := digits(year / 100)
	y1, y2 := digits(year % 100)
	m1, m2 := digits(month)
	d1, d2 := digits(day)
	h1, h2 := digits(seconds / 3600 % 24)
	i1, i2 := digits(seconds / 60 % 60)
	s1, s2 := digits(seconds % 60)
	return append(dst, '"', c1, c2, y1, y2, '-', m1, m2, '-', d1, d2, 'T', h1, h2, ':', i1, i2, ':', s1, s2, 'Z', '"')
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
