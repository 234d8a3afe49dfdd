package server

import "net/http"

// addReports serves the reports of the Config.
func (s *Server) addReports() {
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
