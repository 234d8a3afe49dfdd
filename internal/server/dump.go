package server

// The pages that say who waits, and for what. Their paths are those of a kube-apiserver.
const (
	levelsPath   = "/debug/api_priority_and_fairness/dump_priority_levels"
	queuesPath   = "/debug/api_priority_and_fairness/dump_queues"
	requestsPath = "/debug/api_priority_and_fairness/dump_requests"
)

// addDumps serves these pages, to whom the Authorizer allows to get them. The index does not list
// them.
func (s *Server) addDumps() {
	turns := s.config.Fairness
	if turns == nil {
		return
	}
	s.documents[levelsPath] = func(c *call) error { return c.sendText(turns.LevelsPage()) }
	s.documents[queuesPath] = func(c *call) error { return c.sendText(turns.QueuesPage()) }
	s.documents[requestsPath] = func(c *call) error {
		return c.sendText(turns.RequestsPage(c.query.Get("includeRequestDetails") != ""))
	}
}

func (c *call) sendText(text []byte) error {
	c.w.Header().Set("Content-Type", plainText)
	_, err := c.w.Write(text)
	return err
}
