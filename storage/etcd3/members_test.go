package etcd3

import (
	"errors"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// TestMembersThatCannotAnswerAreAvoided is about the bookkeeping; test/cluster has members that
// can't answer.
func TestMembersThatCannotAnswerAreAvoided(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	a, b, c := "https://"+listener.Addr().String()+"/", "https://b:1", "https://c:1"
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{a, b, c}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	m := &members{client: client, lines: &lines{}, quorum: newQuorum([]string{a, b, c}), all: []string{a, b, c}, log: zap.NewNop(), failures: make([]int, 3)}
	conn, err := m.lines.dial(t.Context(), listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	open := func() bool {
		t.Helper()
		conn.SetReadDeadline(time.Now())
		_, err := conn.Read(make([]byte, 1))
		return !errors.Is(err, net.ErrClosed) && !errors.Is(err, io.EOF)
	}

	silent := errors.New("silence")
	for i, step := range []struct {
		member int
		err    error
		want   []string
		open   bool
	}{
		{0, nil, []string{a, b, c}, true},
		{0, silent, []string{b, c}, true},
		{1, silent, []string{c}, true},
		{2, silent, []string{a, b, c}, true}, // none is left: it is not the members
		{0, silent, []string{a, b, c}, true}, // and it is not a's connection
		{1, nil, []string{b}, true},
		{0, silent, []string{b}, false},
		{2, nil, []string{b, c}, false},
		{0, nil, []string{a, b, c}, false},
	} {
		m.note(step.member, step.err)
		if got := client.Endpoints(); !slices.Equal(got, step.want) {
			t.Errorf("step %d: uses %v, want %v", i, got, step.want)
		}
		if open() != step.open {
			t.Errorf("step %d: the connection is open: %v", i, !step.open)
		}
	}
	if len(m.lines.open) != 0 {
		t.Errorf("%d closed lines are kept", len(m.lines.open))
	}
}

func TestLinesOfAUnixSocket(t *testing.T) {
	socket := t.TempDir() + "/s"
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var l lines
	for _, address := range []string{"unix:" + socket, "unix://" + socket} {
		conn, err := l.dial(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
	}
	if len(l.open) != 0 {
		t.Errorf("%d closed lines are kept", len(l.open))
	}
}
