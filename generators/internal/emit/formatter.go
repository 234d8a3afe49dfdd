package emit

import (
	"runtime"
	"sync"
)

// Formatter finishes files in the background, as many at a time as there are processors: formatting
// is the larger half of a run that prints much. Nobody has to wait for it; Bytes waits for its own
// file. The zero value is ready.
type Formatter struct {
	once sync.Once
	room chan struct{}
}

// Start finishes files, to which nothing can be added any more. It is for one goroutine at a time.
func (p *Formatter) Start(files []*File) {
	p.once.Do(func() { p.room = make(chan struct{}, runtime.GOMAXPROCS(0)) })
	for _, f := range files {
		if f.raw != nil || f.formatted != nil {
			continue
		}
		f.formatted = sync.OnceValues(f.format)
		go func() {
			p.room <- struct{}{}
			defer func() { <-p.room }()
			f.formatted()
		}()
	}
}
