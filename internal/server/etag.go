package server

import (
	"crypto/sha512"
	"encoding/hex"
	"net/http"
	"strings"
)

// etagOf is a strong entity tag without its quotes.
func etagOf(body []byte) string {
	sum := sha512.Sum512(body)
	return strings.ToUpper(hex.EncodeToString(sum[:]))
}

// sendTagged answers 304 if the client has the document already.
func (c *call) sendTagged(contentType string, body []byte, etag string) error {
	header := c.w.Header()
	header.Set("ETag", `"`+etag+`"`)
	if header.Get("Cache-Control") == defaultCacheControl {
		header.Set("Cache-Control", "public")
	}
	if matchesETag(c.req.Header.Get("If-None-Match"), etag) {
		c.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return c.sendBytes(http.StatusOK, contentType, body)
}

// matchesETag reads If-None-Match. A proxy may have made the tag a weak one.
func matchesETag(header, etag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == "*" || candidate == `"`+etag+`"` {
			return true
		}
	}
	return false
}
