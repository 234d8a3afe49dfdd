package transcode

import (
	"math"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/jsonpath"
)

// Append appends the cells of the object in a message as JSON, with commas between them. date
// appends what a column shows of a time, which may be zero. After an error what was appended is
// worth nothing, and the object is to be decoded. It keeps no part of message.
func (c *Cells) Append(dst, message []byte, date func(dst []byte, at time.Time) []byte) ([]byte, error) {
	r := reading{writer: writer{dst: dst, data: message}, date: date}
	for i := range c.cells {
		if i > 0 {
			r.dst = append(r.dst, ',')
		}
		r.append(&c.cells[i])
	}
	return r.dst, r.err
}

// reading appends the cells of one object.
type reading struct {
	writer
	cell  *cell
	date  func(dst []byte, at time.Time) []byte
	start int  // where the cell begins
	found bool // something of it
}

func (r *reading) append(c *cell) {
	r.cell, r.start, r.found = c, len(r.dst), false
	if len(c.places) > 0 {
		r.walk(c.places, 0, len(r.data))
	}
	switch {
	case !r.found:
		r.dst = append(r.dst, "null"...)
	case c.typ == "string":
		r.quote()
	}
}

// quote makes a string of the text that the cell is so far. JSON of nothing is null.
func (r *reading) quote() {
	raw := text(r.dst[r.start:])
	if r.cell.json && (raw == "null" || raw == "{}") {
		r.dst = append(r.dst[:r.start], "null"...)
		return
	}
	end := len(r.dst)
	r.dst = json.AppendString(r.dst, raw)
	r.dst = r.dst[:r.start+copy(r.dst[r.start:], r.dst[end:])]
}

// seek finds the first value of a field in the message from i to end. It is not ok if there is
// none.
func (w *writer) seek(f *Member, i, end int) (begin int, ok bool) {
	data := w.data[:end]
	tag, i := next(data, i)
	for tag>>3 < f.Tag>>3 {
		if i = skip(tag, data, i); i < 0 {
			w.fail(errMalformed)
			return 0, false
		}
		tag, i = next(data, i)
	}
	if tag != f.Tag && (tag>>3 == f.Tag>>3 || f.Rule&(Pointer|List|Map) == 0) { // what is no pointer is always there
		w.fail(errForeign)
	}
	return i, tag == f.Tag
}

// walk goes to the first of places in the message from i to end, and on from there.
func (r *reading) walk(places []place, i, end int) {
	p := &places[0]
	i, ok := r.seek(p.Member, i, end)
	switch {
	case !ok:
	case p.pick == nil && p.Rule&(List|Map) != 0:
		r.whole(p.Member, i, end)
	case p.Rule&List != 0:
		r.items(places, i, end)
	case p.Rule&Map != 0:
		r.entries(places, i, end)
	default:
		r.value(places, i, end)
	}
}

// value goes on with the value at i.
func (r *reading) value(places []place, i, end int) {
	if len(places) == 1 {
		r.show(places[0].Member, i, end)
		return
	}
	begin, after := extent(r.data[:end], i)
	if after < 0 {
		r.fail(errMalformed)
		return
	}
	r.walk(places[1:], begin, after)
}

// items goes on with those items of a list that the path leads to. The first begins at i.
func (r *reading) items(places []place, i, end int) {
	p, data := &places[0], r.data[:end]
	index := p.pick.Index
	if p.pick.Kind == jsonpath.Index && index < 0 {
		if index += p.count(data, i); index < 0 {
			return
		}
	}
	for n, tag := 0, p.Tag; tag == p.Tag; n++ {
		after := skip(tag, data, i)
		if after < 0 {
			r.fail(errMalformed)
			return
		}
		switch p.pick.Kind {
		case jsonpath.Each:
			r.value(places, i, after)
		case jsonpath.Index:
			if n == index {
				r.value(places, i, after)
				return
			}
		case jsonpath.Where:
			if r.holds(p, i, after) {
				r.value(places, i, after)
			}
		}
		if r.found && !r.cell.many || r.err != nil {
			return
		}
		tag, i = next(data, after)
	}
}

// count counts the items of a list whose first begins at i.
func (p *place) count(data []byte, i int) (n int) {
	for tag := p.Tag; tag == p.Tag; n++ {
		if i = skip(tag, data, i); i < 0 {
			return n + 1
		}
		tag, i = next(data, i)
	}
	return n
}

// entries goes on with those values of a map that the path leads to. The first entry begins at i.
func (r *reading) entries(places []place, i, end int) {
	p, data := &places[0], r.data[:end]
	for tag := p.Tag; tag == p.Tag; {
		begin, after := extent(data, i)
		if after < 0 {
			r.fail(errMalformed)
			return
		}
		key, value := r.entryOf(p.Member, begin, after)
		if r.err == nil && (p.pick.Kind == jsonpath.Each || key == p.pick.Field) {
			r.value(places, value, after)
		}
		if r.found && !r.cell.many || r.err != nil {
			return
		}
		tag, i = next(data, after)
	}
}

// entryOf reads the key of an entry of a map, and where its value begins.
func (r *reading) entryOf(f *Member, i, end int) (key string, value int) {
	data := r.data[:end]
	tag, i := next(data, i)
	if tag == 1<<3|wireBytes {
		if begin, after := extent(data, i); after >= 0 {
			key = text(data[begin:after])
			tag, i = next(data, after)
		}
	}
	if tag != 2<<3|f.wire() {
		r.fail(errForeign)
	}
	return key, i
}

// holds says whether the item from i to end is one for which the condition holds.
func (r *reading) holds(p *place, i, end int) bool {
	i, end = extent(r.data[:end], i)
	if end < 0 {
		r.fail(errMalformed)
		return false
	}
	for n := range p.where {
		if n > 0 {
			i, end = extent(r.data[:end], i)
		}
		if end < 0 {
			r.fail(errMalformed)
			return false
		}
		var ok bool
		if i, ok = r.seek(p.where[n].Member, i, end); !ok {
			return false
		}
	}
	return r.compare(p.where[len(p.where)-1].Member, r.data[:end], i, p.pick.Filter.Literal) != p.pick.Filter.Not
}

// compare says whether the value of a field at i is that of a literal.
func (r *reading) compare(f *Member, data []byte, i int, literal any) bool {
	if want, ok := literal.(string); ok {
		inside, end := content(data, i)
		if end < 0 {
			r.fail(errMalformed)
		}
		return text(inside) == want
	}
	v, end := f.number(f.Tag&7, data, i)
	if end < 0 {
		r.fail(errMalformed)
	}
	if want, ok := literal.(bool); ok {
		return v != 0 == want
	}
	want := literal.(int64)
	return v == uint64(want) && (want >= 0 || f.Form == Int32 || f.Form == Int64)
}

// whole shows all of a list or a map, the first value of which begins at i.
func (r *reading) whole(f *Member, i, end int) {
	r.found = true
	r.all(f, i, end)
	r.dst = append(r.dst[:r.start], r.dst[r.start+len(f.Name):]...) // it begins with the name
}

// show adds the value at i to the cell.
func (r *reading) show(f *Member, i, end int) {
	if r.found {
		r.dst = append(r.dst, ',')
	}
	r.found = true
	data := r.data[:end]
	if f.wire() != wireBytes {
		v, after := f.number(f.wire(), data, i)
		if after < 0 {
			r.fail(errMalformed)
			return
		}
		r.showNumber(f, v)
		return
	}
	inside, after := content(data, i)
	switch {
	case after < 0:
		r.fail(errMalformed)
	case r.cell.typ == "date":
		at, err := timeOf(f, inside)
		if err != nil {
			r.fail(err)
		}
		r.dst = r.date(r.dst, at)
	case f.Form == Text:
		r.dst = append(r.dst, inside...)
	case f.Form == Time || f.Of == &MicroTime:
		r.showTime(f, inside)
	case f.Of == &IntOrString:
		r.showIntOrString(inside)
	case r.cell.json:
		r.message(f.Of, after-len(inside), after, asStored)
	default:
		r.showText(f.Of, inside)
	}
}

// showText adds what is a string in JSON, and has nothing in it that is escaped.
func (r *reading) showText(m *Message, body []byte) {
	start := len(r.dst)
	dst, err := m.Decode(r.dst, body)
	if err != nil || len(dst) < start+2 || dst[start] != '"' {
		r.fail(ErrNoWord)
		return
	}
	r.dst = append(dst[:start], dst[start+1:len(dst)-1]...)
}

func (r *reading) showIntOrString(body []byte) {
	isText, number, inside, err := intOrString(body)
	switch {
	case err != nil:
		r.fail(err)
	case isText:
		r.dst = append(r.dst, inside...)
	default:
		r.dst = strconv.AppendInt(r.dst, int64(number), 10)
	}
}

// showTime adds a time, which is no null when it is zero.
func (r *reading) showTime(f *Member, body []byte) {
	layout := time.RFC3339
	if f.Form != Time {
		layout = metav1.RFC3339Micro
	}
	at, err := timeOf(f, body)
	if err != nil {
		r.fail(err)
		return
	}
	r.dst = at.UTC().AppendFormat(r.dst, layout)
}

// timeOf reads a Time, which has whole seconds, or a MicroTime.
func timeOf(f *Member, body []byte) (time.Time, error) {
	if len(body) == 0 {
		return time.Time{}, nil
	}
	seconds, nanos, ok := timestamp(body)
	if !ok {
		return time.Time{}, errMalformed
	}
	if f.Form == Time {
		nanos = 0
	}
	return time.Unix(seconds, nanos), nil
}

func (r *reading) showNumber(f *Member, v uint64) {
	switch {
	case r.cell.typ == "string" && f.isFloat():
		r.dst = strconv.AppendFloat(r.dst, float(f, v), 'g', -1, 64)
	case r.cell.typ == "number":
		dst, err := json.AppendFloat(r.dst, float(f, v))
		if err != nil {
			r.fail(err)
		}
		r.dst = dst
	case r.cell.typ == "integer":
		r.dst = strconv.AppendInt(r.dst, int64(v), 10)
	default:
		r.digits(f, v)
	}
}

// float is a number as a float64.
func float(f *Member, v uint64) float64 {
	switch f.Form {
	case Float32:
		return float64(math.Float32frombits(uint32(v)))
	case Float64:
		return math.Float64frombits(v)
	case Uint32, Uint64:
		return float64(v)
	}
	return float64(int64(v))
}
