package document

import (
	"bytes"
	"strconv"

	"github.com/typeplane/typeplane/internal/jsontree"
	runtimejson "github.com/typeplane/typeplane/runtime/json"
)

// Settled makes a document of an object in JSON that is written as Of writes it, without making a
// tree of it. For any other JSON ok is false, and it may be false for one that Of wrote. text is
// valid JSON, and its type has all that is in it.
func Settled(text []byte) (d Document, ok bool) {
	d, err := Split(text)
	if err != nil {
		return d, false
	}
	return d, settled(d.AppendObject(nil)) // with the status last, which is not where it would be in the order of names
}

// level is an object or a list that the scan is in. name is the last key of an object, with its
// quotes.
type level struct {
	object bool
	name   []byte
}

func settled(text []byte) bool {
	var room [16]level
	levels := room[:0]
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '{', '[':
			levels = append(levels, level{object: c == '{'})
			i++
		case '}', ']':
			levels = levels[:len(levels)-1]
			i++
		case ',':
			i++
		case '"':
			end := quoteEnd(text, i)
			token := text[i:end]
			if !plain(token) && !settledString(token) {
				return false
			}
			if i = end; i < len(text) && text[i] == ':' {
				at := &levels[len(levels)-1]
				if at.name != nil && bytes.Compare(at.name[1:len(at.name)-1], token[1:len(token)-1]) >= 0 && !(len(levels) == 1 && string(token) == `"status"`) {
					return false
				}
				at.name = token
				i++
			}
		case 't':
			i += len("true")
		case 'f':
			i += len("false")
		case 'n', ' ', '\n', '\r', '\t':
			return false
		default:
			end := i + 1
			for end < len(text) && text[end] != ',' && text[end] != '}' && text[end] != ']' {
				end++
			}
			if !settledNumber(text[i:end]) {
				return false
			}
			i = end
		}
	}
	return true
}

// quoteEnd is where the string ends that begins at i.
func quoteEnd(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(text))
}

// plain says whether a string is of signs that are never escaped.
func plain(token []byte) bool {
	for _, c := range token {
		if c >= 0x80 || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

func settledString(token []byte) bool {
	var s string
	r := runtimejson.NewReader(token)
	r.String(&s)
	return r.Err() == nil && bytes.Equal(runtimejson.AppendString(nil, s), token)
}

func settledNumber(token []byte) bool {
	if bytes.ContainsAny(token, ".eE") || len(token) > 18 || token[0] == '-' {
		number, err := jsontree.ReadNumber(string(token))
		return err == nil && bytes.Equal(jsontree.Append(nil, number), token)
	}
	_, err := strconv.ParseUint(string(token), 10, 64)
	return err == nil
}
