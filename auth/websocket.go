package auth

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"
)

// TokenProtocol begins the subprotocol in which a page shows its token, since a browser lets it set
// no header of a WebSocket. The token follows as base64url without padding. The page has to offer
// another subprotocol, too, for the server to choose.
const TokenProtocol = "base64url.bearer.authorization.k8s.io."

const protocolHeader = "Sec-Websocket-Protocol"

// IsWebSocket says whether the client wants the connection to become a WebSocket.
func IsWebSocket(req *http.Request) bool {
	if !strings.EqualFold(req.Header.Get("Upgrade"), "websocket") {
		return false
	}
	for _, value := range req.Header.Values("Connection") {
		if strings.Contains(strings.ToLower(value), "upgrade") {
			return true
		}
	}
	return false
}

// DropSecrets takes out of the header of a request what nobody has a use for once the user is
// known: tokens.
func DropSecrets(header http.Header) {
	header.Del("Authorization")
	_, others := splitProtocols(header)
	if len(others) == 0 {
		header.Del(protocolHeader)
		return
	}
	header.Set(protocolHeader, strings.Join(others, ", "))
}

// splitProtocols returns the subprotocols that the client offers: the tokens, still encoded, and
// the others.
func splitProtocols(header http.Header) (tokens, others []string) {
	for _, value := range header.Values(protocolHeader) {
		for protocol := range strings.SplitSeq(value, ",") {
			protocol = strings.TrimSpace(protocol)
			if token, ok := strings.CutPrefix(protocol, TokenProtocol); ok {
				tokens = append(tokens, token)
			} else if protocol != "" {
				others = append(others, protocol)
			}
		}
	}
	return tokens, others
}

// Why a token in a subprotocol is none.
var (
	errTwoTokens  = errors.New("auth: the WebSocket shows two bearer tokens")
	errBadToken   = errors.New("auth: the bearer token in the subprotocol is no base64url without padding, or no UTF-8")
	errNoProtocol = errors.New("auth: the WebSocket offers no subprotocol beside the bearer token, so there is none to choose")
)

// protocolToken returns the token that a page shows with its WebSocket, "" if there is none.
func protocolToken(req *http.Request) (string, error) {
	if !IsWebSocket(req) {
		return "", nil
	}
	tokens, others := splitProtocols(req.Header)
	switch {
	case len(tokens) == 0 || len(tokens) == 1 && tokens[0] == "":
		return "", nil
	case len(tokens) > 1:
		return "", errTwoTokens
	}
	token, err := base64.RawURLEncoding.DecodeString(tokens[0])
	if err != nil || !utf8.Valid(token) {
		return "", errBadToken
	}
	if len(others) == 0 {
		return "", errNoProtocol
	}
	return string(token), nil
}
