package server

import "net/http"

// Steps are the names of what is done for every request, in that order.
func Steps() (names []string) {
	for _, s := range steps() {
		names = append(names, s.name)
	}
	return names
}

// Cut leaves only the first n steps, and has last answer behind them. It is for those who measure
// what the steps cost, and is called before the first request.
func (s *Server) Cut(n int, last http.HandlerFunc) {
	s.steps = append(steps()[:n:n], step{"cut", func(_ *Server, c *call) error {
		last(c.w, c.req)
		return nil
	}})
}
