package etcdproc

import (
	"bytes"
	"net"
)

// link is one connection to a proxy, and the one that the proxy has to the member for it. Its
// fields are guarded by the proxy's mutex, except for outside.
type link struct {
	outside *net.TCPConn
	inside  net.Conn // nil until the member was dialled
	source  string   // the member that it comes from; empty for clients, and until it says so
	over    bool
}

// end closes both connections, so that what was sent still arrives.
func (l *link) end() {
	l.over = true
	l.outside.Close()
	if l.inside != nil {
		l.inside.Close()
	}
}

// reset closes both connections, the outer one with a reset.
func (l *link) reset() {
	l.outside.SetLinger(0)
	l.end()
}

// sniffer finds out which member a connection comes from. All messages of members to each other are
// HTTP/1 requests with a header that says so. A connection that was not used for one yet (but to
// ask for the version, say) has no source, and carries nothing that a partition would have to stop.
type sniffer struct{ tail []byte }

const (
	fromHeader = "\r\nX-Server-From: "
	// maxFrom is more than the header and its value are long.
	maxFrom = 64
)

// next takes what was read next and returns the source once it is known. A request is only whole
// when the bytes after its headers have come through, so who withholds these withholds it.
func (s *sniffer) next(data []byte) string {
	s.tail = append(s.tail, data...)
	if _, rest, ok := bytes.Cut(s.tail, []byte(fromHeader)); ok {
		if value, _, ok := bytes.Cut(rest, []byte("\r\n")); ok {
			return string(value)
		}
	}
	s.tail = append([]byte(nil), s.tail[max(0, len(s.tail)-maxFrom):]...)
	return ""
}
