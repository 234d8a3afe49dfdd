package wire

import "google.golang.org/protobuf/encoding/protowire"

// Tags of a label in ObjectMeta, and of its parts.
const (
	tagLabel    = metaLabels<<3 | uint64(protowire.BytesType)
	tagMapKey   = 1<<3 | uint64(protowire.BytesType)
	tagMapValue = 2<<3 | uint64(protowire.BytesType)
)

// Label returns the value of a label of an object, out of its message. It points into message. It
// is Meta.Label for those who ask for little: nothing else of the metadata is read.
func Label(message []byte, key string) (value string, ok bool, err error) {
	err = Labels(message, func(k, v string) {
		if k == key {
			value, ok = v, true
		}
	})
	if err != nil {
		return "", false, err
	}
	return value, ok, nil
}

// Labels calls visit with each label of an object, in the order of its message. If a key comes
// twice, the last value counts. The strings point into message.
func Labels(message []byte, visit func(key, value string)) error {
	for i := 0; i < len(message); {
		tag, begin, end := frame(message, i)
		switch {
		case end == 0:
			return errMalformed
		case tag == tagObjectMeta:
			if err := labelsIn(message[begin:end], visit); err != nil {
				return err
			}
		case tag>>3 == 1:
			return errWireType
		}
		i = end
	}
	return nil
}

// labelsIn is Labels for an ObjectMeta.
func labelsIn(meta []byte, visit func(key, value string)) error {
	for i := 0; i < len(meta); {
		tag, begin, end := uint64(meta[i]), i+2, short(meta, i)
		if end == 0 || end > len(meta) {
			tag, begin, end = frame(meta, i)
		}
		switch {
		case end == 0:
			return errMalformed
		case tag == tagLabel:
			k, v, err := labelEntry(meta[begin:end])
			if err != nil {
				return err
			}
			visit(k, v)
		case tag>>3 == metaLabels:
			return errWireType
		}
		i = end
	}
	return nil
}

// labelEntry reads one entry of a map from strings to strings.
func labelEntry(entry []byte) (key, value string, err error) {
	for i := 0; i < len(entry); {
		tag, begin, end := uint64(entry[i]), i+2, short(entry, i)
		if end == 0 || end > len(entry) {
			tag, begin, end = frame(entry, i)
		}
		switch {
		case end == 0:
			return "", "", errMalformed
		case tag == tagMapKey:
			key = text(entry[begin:end])
		case tag == tagMapValue:
			value = text(entry[begin:end])
		case tag>>3 <= 2:
			return "", "", errWireType
		}
		i = end
	}
	return key, value, nil
}
