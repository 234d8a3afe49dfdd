package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	libraryv1 "github.com/typeplane/typeplane/examples/library/api/v1"
)

// errExpired is an event that says that the watch has to begin anew.
var errExpired = errors.New("410")

// frames reads the events of one stream.
type frames struct {
	next func() (typ string, object []byte, err error)
}

func newFrames(resp *http.Response, accept string) frames {
	if accept == asProtobuf {
		return frames{next: func() (string, []byte, error) { return readProtobufFrame(resp.Body) }}
	}
	lines := json.NewDecoder(bufio.NewReader(resp.Body))
	return frames{next: func() (string, []byte, error) {
		var e struct {
			Type   string
			Object json.RawMessage
		}
		err := lines.Decode(&e)
		return e.Type, e.Object, err
	}}
}

// readProtobufFrame reads a length in four bytes and a WatchEvent of that length.
func readProtobufFrame(r io.Reader) (string, []byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return "", nil, err
	}
	data := make([]byte, binary.BigEndian.Uint32(length[:]))
	if _, err := io.ReadFull(r, data); err != nil {
		return "", nil, err
	}
	var e metav1.WatchEvent
	if err := e.Unmarshal(data); err != nil {
		return "", nil, err
	}
	return e.Type, e.Object.Raw, nil
}

// read waits for the next event. The error is io.EOF when the stream has ended in order, and
// errExpired after a 410.
func (f frames) read() (Event, error) {
	typ, object, err := f.next()
	if err != nil {
		return Event{}, err
	}
	if typ == "ERROR" {
		a := answer{data: object}
		a.refused() // reads the Status
		if a.status.Code == http.StatusGone {
			return Event{}, errExpired
		}
		return Event{}, fmt.Errorf("an event says %d %s", a.status.Code, a.message)
	}
	book, err := decodeBook(object)
	if err != nil {
		return Event{}, err
	}
	if typ == string(Bookmark) {
		return bookmarkOf(book)
	}
	item, err := itemOf(book)
	return Event{Type: EventType(typ), Item: item}, err
}

func bookmarkOf(book *libraryv1.Book) (Event, error) {
	revision, err := strconv.ParseInt(book.ResourceVersion, 10, 64)
	end := book.Annotations[metav1.InitialEventsAnnotationKey] == "true"
	return Event{Type: Bookmark, Item: Item{Revision: revision}, InitialEnd: end}, err
}
