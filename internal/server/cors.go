package server

import (
	"net/http"
	"regexp"
)

// allowOrigin answers what a browser asks before it lets a page of another origin send a request.
// In every answer to such a page it says whether the page may read it. It returns true if that was
// all that the request wanted.
func (s *Server) allowOrigin(c *call) (answered bool) {
	origin := c.req.Header.Get("Origin")
	if origin == "" || !matchesAny(s.config.CORSOrigins, origin) {
		return false
	}
	header := c.w.Header()
	header.Add("Vary", "Origin")
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Allow-Methods", "POST, GET, OPTIONS, PUT, DELETE, PATCH")
	header.Set("Access-Control-Allow-Headers", "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since")
	header.Set("Access-Control-Expose-Headers", "Date")
	header.Set("Access-Control-Allow-Credentials", "true")
	if c.req.Method != http.MethodOptions {
		return false
	}
	c.w.WriteHeader(http.StatusNoContent)
	return true
}

func matchesAny(patterns []*regexp.Regexp, text string) bool {
	for _, p := range patterns {
		if p.MatchString(text) {
			return true
		}
	}
	return false
}
