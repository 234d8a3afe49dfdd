package etcdproc

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// echoProxy is a proxy in front of a socket that sends each line back.
func echoProxy(t *testing.T, peers bool) *Proxy {
	t.Helper()
	dir, err := os.MkdirTemp("", "etcdproc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "echo")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go io.Copy(conn, conn)
		}
	}()
	p, err := newProxy(0, socket, peers)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	return p
}

type client struct {
	net.Conn
	lines *bufio.Reader
}

func connect(t *testing.T, p *Proxy) *client {
	t.Helper()
	conn, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &client{conn, bufio.NewReader(conn)}
}

// say sends a line and waits for it to come back.
func (c *client) say(line string, patience time.Duration) error {
	if _, err := c.Write([]byte(line)); err != nil {
		return err
	}
	return c.hear(line, patience)
}

func (c *client) hear(want string, patience time.Duration) error {
	c.SetReadDeadline(time.Now().Add(patience))
	for want != "" {
		line, err := c.lines.ReadString('\n')
		if err != nil {
			return err
		}
		if !strings.HasPrefix(want, line) {
			return errors.New("heard " + line)
		}
		want = want[len(line):]
	}
	return nil
}

const (
	patient = time.Minute
	brief   = 50 * time.Millisecond
)

func TestCutResetsOldAndNew(t *testing.T) {
	p := echoProxy(t, false)
	old := connect(t, p)
	if err := old.say("hello\n", patient); err != nil {
		t.Fatal(err)
	}
	p.Set(Cut)
	if err := old.hear("x\n", patient); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("an old connection got %v, want a reset", err)
	}
	// The reset may come while it is still being made.
	if conn, err := net.Dial("tcp", p.Addr()); err == nil {
		_, err = conn.Read(make([]byte, 1))
		if !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("a new connection got %v, want a reset", err)
		}
		conn.Close()
	} else if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("a new connection: %v, want a reset", err)
	}
	p.Set(Open)
	if err := connect(t, p).say("again\n", patient); err != nil {
		t.Errorf("after the cut: %v", err)
	}
}

func TestBlackholeKeepsWhatWasSent(t *testing.T) {
	p := echoProxy(t, false)
	old := connect(t, p)
	if err := old.say("hello\n", patient); err != nil {
		t.Fatal(err)
	}
	p.Set(Blackhole)
	if err := old.say("one\n", brief); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("an old connection got %v, want silence", err)
	}
	fresh := connect(t, p)
	if err := fresh.say("two\n", brief); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a new connection got %v, want silence", err)
	}
	p.Set(Open)
	if err := old.hear("one\n", patient); err != nil {
		t.Errorf("the old connection: %v", err)
	}
	if err := fresh.hear("two\n", patient); err != nil {
		t.Errorf("the new connection: %v", err)
	}
}

func TestBlackholeThenCut(t *testing.T) {
	p := echoProxy(t, false)
	c := connect(t, p)
	p.Set(Blackhole)
	if err := c.say("one\n", brief); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v, want silence", err)
	}
	p.Set(Cut)
	if err := c.hear("one\n", patient); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %v, want a reset", err)
	}
}

// One member is cut off from another, a third is not.
func TestMembersAreToldApart(t *testing.T) {
	p := echoProxy(t, true)
	request := func(from string) string {
		return "POST /raft HTTP/1.1\r\nHost: x\r\nX-Server-From: " + from + "\r\n\r\n"
	}
	a, b, early := connect(t, p), connect(t, p), connect(t, p)
	for c, line := range map[*client]string{a: request("aa"), b: request("bb"), early: "GET /version HTTP/1.1\r\nHost: x\r\n\r\n"} {
		if err := c.say(line, patient); err != nil {
			t.Fatal(err)
		}
	}
	p.setFrom("aa", Cut)
	if err := a.say("more\n", patient); err == nil {
		t.Error("what comes from aa gets through")
	}
	if err := b.say("more\n", patient); err != nil {
		t.Errorf("what comes from bb: %v", err)
	}
	// The header in two parts.
	whole := request("aa")
	if err := early.say("POST /raft HTTP/1.1\r\n", patient); err != nil {
		t.Errorf("before it says that it comes from aa: %v", err)
	}
	if _, err := early.Write([]byte(whole[strings.Index(whole, "Host"):strings.Index(whole, "-From")])); err != nil {
		t.Fatal(err)
	}
	if err := early.hear("Host: x\r\n", patient); err != nil {
		t.Error(err)
	}
	early.Write([]byte(whole[strings.Index(whole, "-From"):]))
	if err := early.hear(whole, patient); err == nil {
		t.Error("what says late that it comes from aa gets through")
	}
	p.Set(Open)
	if err := connect(t, p).say(request("aa"), patient); err != nil {
		t.Errorf("healed: %v", err)
	}
}

func TestProxyCloseEndsAll(t *testing.T) {
	p := echoProxy(t, false)
	c := connect(t, p)
	p.Set(Blackhole)
	if err := c.say("one\n", brief); err == nil {
		t.Error("a blackhole answers")
	}
	p.close()
	if err := c.hear("one\n", patient); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v, want an end", err)
	}
}
