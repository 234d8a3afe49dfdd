package server

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/typeplane/typeplane/auth"
)

// errTooManyRequests is the answer to a request for which there is no room at this moment. Clients
// know the code and the header Retry-After, not the text.
var errTooManyRequests = errors.New("Too many requests, please try again later.") //lint:ignore ST1005 it is the body of the answer, in the words of Kubernetes

// retryWhenBusy is the Retry-After of errTooManyRequests, in seconds.
const retryWhenBusy = "1"

// busy is errTooManyRequests with another Retry-After, in seconds.
type busy struct{ retryAfter int }

func (busy) Error() string { return errTooManyRequests.Error() }
func (busy) Unwrap() error { return errTooManyRequests }

// refuse answers that there is no room.
func refuse(w http.ResponseWriter, err error) {
	after := retryWhenBusy
	if b := (busy{}); errors.As(err, &b) {
		after = strconv.Itoa(b.retryAfter)
	}
	w.Header().Set("Retry-After", after)
	http.Error(w, errTooManyRequests.Error(), http.StatusTooManyRequests)
}

// places are the requests that may be answered at the same time: one free place for each. Nil has
// no bound.
type places chan struct{}

// newPlaces has no bound for n below 0.
func newPlaces(n int) places {
	if n < 0 {
		return nil
	}
	return make(places, n)
}

// admit takes a place for the request until it is answered, or says that there is none. Requests
// that write have places of their own, so that reads can't keep them out, nor they reads.
//
// Three things need no place. Watches and what takes over its connection last and cost little.
// Health checks need none, because to restart a busy server does not help. What an administrator
// does when all places are taken may be the cure.
func (s *Server) admit(c *call) error {
	if s.connector(c) != nil || !c.info.IsResource && openPath(c.info.Path) {
		return nil
	}
	free, count := s.reading, s.readCount
	if !c.readOnly() {
		free, count = s.writing, s.writeCount
	}
	if s.config.Fairness != nil {
		return s.takeTurn(c, count)
	}
	if c.info.Verb == "watch" {
		return nil
	}
	if free == nil {
		count.inFlight.Inc()
		c.release = count.inFlight.Dec
		return nil
	}
	select {
	case free <- struct{}{}:
		count.inFlight.Inc()
		c.release = func() { count.inFlight.Dec(); <-free }
		return nil
	default:
	}
	if c.user.In(auth.GroupMasters) {
		count.inFlight.Inc()
		c.release = count.inFlight.Dec
		return nil
	}
	count.dropped.Inc()
	return errTooManyRequests
}

// readOnly says that the request changes nothing.
func (c *call) readOnly() bool {
	return c.req.Method == http.MethodGet || c.req.Method == http.MethodHead
}
