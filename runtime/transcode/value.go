package transcode

import (
	"strconv"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/json/apimachinery"
	"github.com/typeplane/typeplane/runtime/wire"
)

// stringOf is a string that shares its bytes with body.
func stringOf(body []byte) string { return unsafe.String(unsafe.SliceData(body), len(body)) }

func varint(body []byte) int64 {
	n, _ := protowire.ConsumeVarint(body)
	return int64(n)
}

// timeOf reads a Timestamp. A message without fields is the zero time, not the beginning of 1970.
func timeOf(body []byte) metav1.Time {
	if len(body) == 0 {
		return metav1.Time{}
	}
	var seconds int64
	wire.EachField(body, func(number int32, body []byte) bool {
		if number == 1 {
			seconds = varint(body)
		}
		return true
	})
	return metav1.Unix(seconds, 0)
}

// entry reads an entry of a map. What is empty may not be there.
func entry(body []byte) (key, value []byte, err error) {
	for len(body) > 0 {
		n, field, rest, err := wire.NextField(body)
		if err != nil {
			return nil, nil, err
		}
		switch n {
		case 1:
			key = field
		case 2:
			value = field
		}
		body = rest
	}
	return key, value, nil
}

// appendFieldsV1 appends a set of fields, which is JSON already.
func appendFieldsV1(dst, body []byte) ([]byte, error) {
	raw, err := find(body, 1)
	if err != nil {
		return dst, err
	}
	if len(raw) > 0 && raw[0] == '{' {
		if out, err := json.AppendCompact(dst, raw); err == nil {
			return out, nil
		}
	}
	set := new(metav1.FieldsV1)
	set.SetRawBytes(raw)
	return apimachinery.AppendJSON_FieldsV1(dst, set)
}

// revisionText is a resourceVersion; 0 is none.
func revisionText(revision int64) string {
	if revision == 0 {
		return ""
	}
	return strconv.FormatInt(revision, 10)
}
