package server

import (
	"io"
	"runtime"
)

// processors are as many as there are. Who makes a long answer has one, but not while the client
// reads. So short answers wait for no more long ones than that, however many are under way and
// however slow their clients are.
var processors = make(chan struct{}, runtime.GOMAXPROCS(0))

// worker has a processor between begin and end, and gives it back while it writes.
type worker struct{ to io.Writer }

func (w *worker) begin(to io.Writer) {
	processors <- struct{}{}
	w.to = to
}

// Write implements io.Writer.
func (w *worker) Write(p []byte) (int, error) {
	<-processors
	defer func() { processors <- struct{}{} }()
	return w.to.Write(p)
}

// end may be called where begin was not.
func (w *worker) end() {
	if w.to != nil {
		<-processors
		w.to = nil
	}
}
