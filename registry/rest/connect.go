package rest

import (
	"context"
	"net/http"
	"net/url"
)

// Connector answers the requests to a subresource by itself: it streams, for as long as it likes,
// or takes over the connection.
type Connector interface {
	// Connect says who answers the request, or why nobody does. It sends nothing. The Origin of a
	// WebSocket has been looked at. The context is that of the request and ends when the client
	// goes or the server stops; the handler's request has the same one.
	Connect(ctx context.Context, req *Request, name Name, opts ConnectOptions) (http.Handler, error)
}

// ConnectOptions is what the server knows of a request to a Connector. It is not modified.
type ConnectOptions struct {
	// Query are the parameters of the request: the options of the subresource, and what else the
	// client sent.
	Query url.Values
	// Below is what follows the subresource in the path, with its first slash and, if there is one,
	// its last; "" for nothing.
	Below string
	// FieldManager is who owns the fields that the request may change.
	FieldManager string
}

// QueryParameter is an option of a subresource, for its description.
type QueryParameter struct {
	Name string
	// Type is that of OpenAPI: "string", "boolean", "integer", "number" or "array".
	Type string
}

// ConnectVerb is what authorizers and discovery call a request to a Connector by its HTTP method;
// "" for a method that no Connector takes.
func ConnectVerb(method string) string {
	switch method {
	case http.MethodGet:
		return "get"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		return "delete"
	}
	return ""
}
