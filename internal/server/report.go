package server

import "net/http"

// addReports serves the reports and documents of the Config.
func (s *Server) addReports() {
	for _, d := range s.config.Documents {
		s.documents[d.Path] = func(c *call) error {
			c.w.Header().Set("Cache-Control", "public, max-age=3600")
			return c.sendBytes(http.StatusOK, d.ContentType, d.Body)
		}
	}
	for _, r := range s.config.Reports {
		s.documents[r.Path] = func(c *call) error {
			report, err := r.Make(c.ctx)
			if err != nil {
				return err
			}
			return c.sendBytes(http.StatusOK, "application/json", encodeJSON(report, "  "))
		}
	}
}

// addVersion serves /version: with the details of the build only to those whom we know.
func (s *Server) addVersion() {
	full := s.config.Version
	short := encodeJSON(Version{Major: full.Major, Minor: full.Minor, GitVersion: full.GitVersion}, "  ")
	long := encodeJSON(full, "  ")
	s.documents["/version"] = func(c *call) error {
		if !c.known() {
			return c.sendBytes(http.StatusOK, "application/json", short)
		}
		return c.sendBytes(http.StatusOK, "application/json", long)
	}
}
