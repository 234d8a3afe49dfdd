package runtime

import (
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
)

// kind is something with a status of any type, whose protobuf is the fields that a test chooses.
type kind[S any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Status            S `json:"status"`
	encode            func(*kind[S]) []byte
}

func (k *kind[S]) DeepCopyObject() apiruntime.Object { c := *k; return &c }
func (k *kind[S]) Size() int                         { return len(k.encode(k)) }
func (k *kind[S]) MarshalToSizedBuffer(data []byte) (int, error) {
	return copy(data, k.encode(k)), nil
}
func (k *kind[S]) Unmarshal([]byte) error { return nil }
func (k *kind[S]) Reset()                 {}

func probe[S any](t *testing.T, encode func(*kind[S]) []byte, want int32) {
	t.Helper()
	got, err := statusField(func() Object { return &kind[S]{encode: encode} })
	if err != nil || got != want {
		t.Errorf("%s: field %d, %v, want %d", reflect.TypeFor[S](), got, err, want)
	}
}

func TestStatusFieldByProbing(t *testing.T) {
	type conditions struct{ Conditions []metav1.Condition }
	probe(t, func(k *kind[conditions]) []byte {
		if len(k.Status.Conditions) > 0 {
			return []byte{0x0a, 0, 0x22, 1, 'x'}
		}
		return []byte{0x0a, 0, 0x22, 0}
	}, 4)
	probe(t, func(k *kind[*conditions]) []byte {
		if k.Status != nil {
			return []byte{0x0a, 0, 0x1a, 0, 0x2a, 0}
		}
		return []byte{0x0a, 0, 0x2a, 0}
	}, 3)
	// Nothing can be in it, so nothing can change in it.
	probe(t, func(*kind[struct{}]) []byte { return []byte{0x0a, 0, 0x1a, 0} }, 0)
}

type tagged struct {
	kind[int] `json:"-"`
	Status    int `json:"status" protobuf:"varint,17,opt,name=status"`
}

func TestStatusFieldByTag(t *testing.T) {
	got, err := statusField(func() Object { return &tagged{kind: kind[int]{encode: func(*kind[int]) []byte { return nil }}} })
	if err != nil || got != 17 {
		t.Errorf("field %d, %v", got, err)
	}
}
