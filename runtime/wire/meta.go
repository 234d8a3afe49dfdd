package wire

import (
	"errors"
	"fmt"
	"iter"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// Meta is the metadata of an object, read from its bytes. Everything in it points into those bytes:
// it is as good as they are, and strings must be copied to outlive them.
type Meta struct {
	Name, GenerateName, Namespace, UID, ResourceVersion string
	Generation                                          int64
	// CreationSeconds is the creationTimestamp since 1970, 0 if there is none.
	CreationSeconds int64
	// Deleting says that there is a deletionTimestamp; DeletionSeconds is when it is, since 1970.
	Deleting        bool
	DeletionSeconds int64
	// Counts of what the iterators return.
	labels, annotations, owners, finalizers int

	fields []byte // the content of ObjectMeta
}

// OwnerReference is one of the owners of an object.
type OwnerReference struct {
	APIVersion, Kind, Name, UID    string
	Controller, BlockOwnerDeletion bool
}

// Field numbers of metav1.ObjectMeta.
const (
	metaName              = 1
	metaGenerateName      = 2
	metaNamespace         = 3
	metaUID               = 5
	metaResourceVersion   = 6
	metaGeneration        = 7
	metaCreationTimestamp = 8
	metaDeletionTimestamp = 9
	metaLabels            = 11
	metaAnnotations       = 12
	metaOwnerReferences   = 13
	metaFinalizers        = 14
)

var errManyMeta = errors.New("wire: the message has more than one ObjectMeta")

// ReadMeta reads the metadata of value, an object in its envelope. It allocates nothing.
func ReadMeta(value []byte) (Meta, error) {
	var s slot
	if begin, end, ok := s.findRaw(value); ok {
		return ReadRawMeta(value[begin:end])
	}
	e, err := ParseEnvelope(value)
	if err != nil {
		return Meta{}, err
	}
	return ReadRawMeta(e.Raw)
}

// ReadRawMeta is ReadMeta for an object without an envelope, whose message must begin with its
// metadata.
func ReadRawMeta(raw []byte) (Meta, error) {
	num, typ, fields, size, err := nextField(raw)
	if err != nil || num != 1 || typ != protowire.BytesType {
		return Meta{}, errNoObjectMeta
	}
	// Parts of one message may be spread over several fields. No encoder does that, but then this
	// would be half of it.
	if rest := raw[size:]; len(rest) > 0 && rest[0] == tagObjectMeta {
		return Meta{}, errManyMeta
	}
	m := Meta{fields: fields}
	for len(fields) > 0 {
		num, typ, val, size, err := nextField(fields)
		if err != nil {
			return Meta{}, fmt.Errorf("wire: ObjectMeta: %w", err)
		}
		if err := m.set(num, typ, val); err != nil {
			return Meta{}, fmt.Errorf("wire: ObjectMeta field %d: %w", num, err)
		}
		fields = fields[size:]
	}
	return m, nil
}

func (m *Meta) set(num protowire.Number, typ protowire.Type, val []byte) (err error) {
	want := protowire.BytesType
	if num == metaGeneration {
		want = protowire.VarintType
	}
	if num <= metaFinalizers && num != 10 && typ != want {
		return fmt.Errorf("wire type %d, want %d", typ, want)
	}
	switch num {
	case metaName:
		m.Name = text(val)
	case metaGenerateName:
		m.GenerateName = text(val)
	case metaNamespace:
		m.Namespace = text(val)
	case metaUID:
		m.UID = text(val)
	case metaResourceVersion:
		m.ResourceVersion = text(val)
	case metaGeneration:
		v, _ := protowire.ConsumeVarint(val)
		m.Generation = int64(v)
	case metaCreationTimestamp:
		m.CreationSeconds, err = seconds(val)
	case metaDeletionTimestamp:
		m.Deleting = true
		m.DeletionSeconds, err = seconds(val)
	case metaLabels:
		m.labels++
	case metaAnnotations:
		m.annotations++
	case metaOwnerReferences:
		m.owners++
	case metaFinalizers:
		m.finalizers++
	}
	return err
}

// seconds reads the first field of a Timestamp.
func seconds(data []byte) (s int64, err error) {
	err = eachField(data, func(num protowire.Number, typ protowire.Type, val []byte) error {
		if num == 1 && typ == protowire.VarintType {
			v, _ := protowire.ConsumeVarint(val)
			s = int64(v)
		}
		return nil
	})
	return s, err
}

// HasFinalizers says whether something must happen before the object may go.
func (m *Meta) HasFinalizers() bool { return m.finalizers > 0 }

// Finalizers returns the finalizers, in their order.
func (m *Meta) Finalizers() iter.Seq[string] {
	return func(yield func(string) bool) {
		m.each(metaFinalizers, m.finalizers, func(val []byte) bool { return yield(text(val)) })
	}
}

// Label returns the value of a label.
func (m *Meta) Label(key string) (value string, ok bool) {
	m.each(metaLabels, m.labels, func(val []byte) bool {
		k, v := mapEntry(val)
		if k == key {
			value, ok = v, true
		}
		return true // the last one of a key counts
	})
	return value, ok
}

// Labels returns the labels in the order of the bytes, which is that of the keys.
func (m *Meta) Labels() iter.Seq2[string, string] { return m.entries(metaLabels, m.labels) }

// Annotations returns the annotations, as Labels does.
func (m *Meta) Annotations() iter.Seq2[string, string] {
	return m.entries(metaAnnotations, m.annotations)
}

// OwnerReferences returns the owners, in their order.
func (m *Meta) OwnerReferences() iter.Seq[OwnerReference] {
	return func(yield func(OwnerReference) bool) {
		m.each(metaOwnerReferences, m.owners, func(val []byte) bool { return yield(ownerReference(val)) })
	}
}

func (m *Meta) entries(num protowire.Number, count int) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		m.each(num, count, func(val []byte) bool { return yield(mapEntry(val)) })
	}
}

// each calls f for the count fields with number num, until it returns false. ReadMeta has checked
// the framing.
func (m *Meta) each(num protowire.Number, count int, f func(val []byte) bool) {
	for fields := m.fields; count > 0 && len(fields) > 0; {
		n, _, val, size, err := nextField(fields)
		if err != nil {
			return
		}
		if n == num {
			count--
			if !f(val) {
				return
			}
		}
		fields = fields[size:]
	}
}

// mapEntry reads one entry of a map from strings to strings; what is not there is empty.
func mapEntry(data []byte) (key, value string) {
	eachField(data, func(num protowire.Number, typ protowire.Type, val []byte) error {
		switch {
		case num == 1 && typ == protowire.BytesType:
			key = text(val)
		case num == 2 && typ == protowire.BytesType:
			value = text(val)
		}
		return nil
	})
	return key, value
}

func ownerReference(data []byte) (o OwnerReference) {
	eachField(data, func(num protowire.Number, typ protowire.Type, val []byte) error {
		if typ == protowire.VarintType {
			v, _ := protowire.ConsumeVarint(val)
			switch num {
			case 6:
				o.Controller = v != 0
			case 7:
				o.BlockOwnerDeletion = v != 0
			}
			return nil
		}
		switch num {
		case 1:
			o.Kind = text(val)
		case 3:
			o.Name = text(val)
		case 4:
			o.UID = text(val)
		case 5:
			o.APIVersion = text(val)
		}
		return nil
	})
	return o
}

// text is data as a string, sharing its memory: callers are told so, and nobody modifies stored
// bytes.
func text(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }
