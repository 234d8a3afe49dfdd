package shapes

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Everything has a field of every shape.
type Everything struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Promoted
	*Pointed
	hidden
	Named `json:"named"`

	String  string           `json:"string"`
	Word    Word             `json:"word,omitempty"`
	Bool    bool             `json:"bool"`
	Yes     Yes              `json:"yes,omitempty"`
	Int     int              `json:"int"`
	Int8    int8             `json:"int8,omitempty"`
	Int16   int16            `json:"int16,omitzero"`
	Int32   int32            `json:"int32"`
	Int64   Count            `json:"int64"`
	Uint8   uint8            `json:"uint8"`
	Uint32  uint32           `json:"uint32"`
	Uint64  uint64           `json:"uint64"`
	Float32 float32          `json:"float32"`
	Float64 float64          `json:"float64,omitempty"`
	Number  json.Number      `json:"number,omitempty"`
	Any     any              `json:"any,omitempty"`
	Stringy interface{ S() } `json:"stringy"`

	Pointer  *int32             `json:"pointer,omitempty"`
	Pointers **string           `json:"pointers"`
	Struct   *Inner             `json:"struct"`
	Zero     Inner              `json:"zero,omitzero"`
	Compared Place              `json:"compared,omitzero"`
	Unnamed  struct{ A, B int } `json:"unnamed"`

	Strings []string    `json:"strings"`
	Words   []Word      `json:"words,omitempty"`
	Ints    []int       `json:"ints,omitempty"`
	Grid    [][]int     `json:"grid"`
	Inners  []Inner     `json:"inners"`
	PInners []*Inner    `json:"pInners"`
	Bytes   []byte      `json:"bytes"`
	Blob    Blob        `json:"blob,omitempty"`
	Array   [2]Inner    `json:"array"`
	Bits    [3]byte     `json:"bits"`
	Tree    Tree        `json:"tree,omitempty"`
	Box     Box[string] `json:"box"`

	Map    map[string]string            `json:"map"`
	Typed  map[Word]Inner               `json:"typed,omitempty"`
	PMap   map[string]*Inner            `json:"pMap"`
	ByInt  map[int8]string              `json:"byInt"`
	ByText map[Place]int                `json:"byText,omitempty"`
	Deep   map[string]map[string][]Word `json:"deep"`
	AnyMap map[string]any               `json:"anyMap"`
	OfOnly map[string]OnPointer         `json:"ofOnly,omitempty"`

	Own    Own              `json:"own"`
	POwn   *Own             `json:"pOwn"`
	OwnPtr OnPointer        `json:"ownPtr"`
	Text   Place            `json:"text"`
	PText  *Place           `json:"pText,omitempty"`
	Raw    json.RawMessage  `json:"raw,omitempty"`
	PRaw   *json.RawMessage `json:"pRaw,omitempty"`
	Std    time.Time        `json:"std"`

	Time      metav1.Time                `json:"time"`
	PTime     *metav1.Time               `json:"pTime"`
	Micro     metav1.MicroTime           `json:"micro"`
	Duration  metav1.Duration            `json:"duration"`
	Quantity  resource.Quantity          `json:"quantity"`
	PQuantity *resource.Quantity         `json:"pQuantity"`
	Amounts   map[Word]resource.Quantity `json:"amounts"`
	IntOr     intstr.IntOrString         `json:"intOr"`
	Extension runtime.RawExtension       `json:"extension"`
	Selector  *metav1.LabelSelector      `json:"selector"`

	QInt    int         `json:"qInt,string"`
	QFloat  float64     `json:"qFloat,omitempty,string"`
	QBool   bool        `json:"qBool,string"`
	QString string      `json:"qString,string"`
	QWord   *Word       `json:"qWord,string"`
	QPInt   *int16      `json:"qPInt,string"`
	QNumber json.Number `json:"qNumber,string"`
	QText   Code        `json:"qText,string"`

	Skipped string `json:"-"`
	//lint:ignore SA5008 the name is a dash
	Dash  string `json:"-,"`
	Sign  string `json:"a<b>&c,omitempty"`
	NoTag string
	//lint:ignore U1000 JSON has no unexported fields
	private string
}

// Inner holds itself.
type Inner struct {
	Name  string  `json:"name"`
	Value *int    `json:"value,omitempty"`
	Next  *Inner  `json:"next,omitempty"`
	More  []Inner `json:"more,omitempty"`
}

// Promoted, Pointed and hidden are embedded.
type Promoted struct {
	Up    string `json:"up,omitempty"`
	NoTag string // hidden by the field of the struct around
	Twice string `json:"twice"` // in Pointed too, so in neither
}

type Pointed struct {
	Twice string `json:"twice"`
	Far   int    `json:"far"`
	Farther
}

type Farther struct {
	Farthest []string `json:"farthest,omitempty"`
}

type hidden struct {
	Seen string `json:"seen"`
}

type Named struct {
	A string `json:"a"`
}

type (
	Word  string
	Yes   bool
	Count int64
	Blob  []Octet
	Octet byte
	Tree  map[string]Tree
)

// Box is generic.
type Box[T any] struct {
	Value T   `json:"value"`
	All   []T `json:"all,omitempty"`
}

// Own reads and writes itself.
type Own struct{ text string }

func (o Own) MarshalJSON() ([]byte, error) {
	return []byte(` { "own" : ` + strconv.Quote("<"+word(o.text)) + ` } `), nil
}

func (o *Own) UnmarshalJSON(data []byte) error {
	if len(data) > 40 {
		return errors.New("too long for me")
	}
	o.text = string(data)
	return nil
}

// word is what of a text needs no escapes.
func word(text string) string {
	return strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' {
			return c
		}
		return -1
	}, text)
}

// OnPointer writes itself only where there is a pointer to it.
type OnPointer struct {
	N int `json:"n"`
}

func (o *OnPointer) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, int64(o.N), 10), nil }

// Place is text.
type Place struct{ X, Y int }

func (p Place) MarshalText() ([]byte, error) {
	return []byte(strconv.Itoa(p.X) + "<" + strconv.Itoa(p.Y)), nil
}

func (p *Place) UnmarshalText(text []byte) (err error) {
	x, y, ok := strings.Cut(string(text), "<")
	if !ok {
		return errors.New("a place has a <")
	}
	if p.X, err = strconv.Atoi(x); err != nil {
		return err
	}
	p.Y, err = strconv.Atoi(y)
	return err
}

// Code is a number that is text.
type Code int

func (c Code) MarshalText() ([]byte, error) { return []byte("code " + strconv.Itoa(int(c))), nil }

func (c *Code) UnmarshalText(text []byte) error {
	*c = Code(len(text))
	return nil
}
