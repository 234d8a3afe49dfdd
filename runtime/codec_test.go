package runtime

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	runtimejson "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/quantity"
)

// amounts has quantities in all the ways that JSON has for them.
type amounts struct {
	Size  resource.Quantity             `json:"size"`
	Sizes map[string]*resource.Quantity `json:"sizes"`
	Own   ownAmount                     `json:"own"`
	Inner []amounts                     `json:"inner"`
	Extra
}

// Extra is embedded, and no struct.
type Extra []resource.Quantity

// ownAmount reads itself.
type ownAmount struct {
	q    resource.Quantity
	unit string
}

func (o *ownAmount) UnmarshalJSON(text []byte) error {
	var said []any
	if err := json.Unmarshal(text, &said); err != nil || len(said) != 2 {
		return errors.New("want an amount and a unit")
	}
	o.unit, _ = said[1].(string)
	amount, _ := said[0].(string)
	var err error
	o.q, err = resource.ParseQuantity(amount)
	return err
}

// A quantity that takes too long to be read is not read of a stranger's data, by generated
// functions or by reflection.
func TestReadJSONWithin(t *testing.T) {
	generated := &Kind{functions: functions{readJSON: func(r *runtimejson.Reader, obj Object) {
		out := &obj.(*kind[amounts]).Status
		for r.BeginObject("kind"); r.NextField("kind"); {
			if r.Name() != "status" || !r.BeginObject("amounts") {
				r.Raw()
				continue
			}
			for r.NextField("amounts") {
				if r.Name() == "own" {
					r.Unmarshal(&out.Own)
				} else {
					r.Raw()
				}
			}
		}
	}}}
	reflected := new(Kind)
	for _, tc := range []struct {
		text      string
		generated bool // the functions read it, too
		ok        bool
	}{
		{`{"size":"1e3","sizes":{"a":1e3},"own":["1e3","7e12345-b"]}`, true, true},
		{`{"size":"1e-30000000"}`, false, false},
		{`{"size":1e-30000000}`, false, false},
		{`{"sizes":{"a":"1e-30000000"}}`, false, false},
		{`{"inner":[{},{"inner":[{"size":"1e-30000000"}]}]}`, false, false},
		{`{"size":1,"size":"1e-30000000"}`, false, false},
		{`{"Extra":["1e-30000000"]}`, false, false},
		{`{"own":["1e-30000000","b"]}`, true, false},
		{`{"own":["1e-3\u0030000000","b"]}`, true, false},
		{`{"own":["` + strings.Repeat("1", 20_000) + `","b"]}`, true, false},
	} {
		for _, k := range []*Kind{generated, reflected} {
			if k == generated && !tc.generated {
				continue
			}
			_, err := k.ReadJSONWithin([]byte(`{"metadata":{"name":"1e-30000000"},"status":`+tc.text+`}`), new(kind[amounts]), 1<<20)
			if tc.ok && err != nil || !tc.ok && !errors.Is(err, quantity.ErrTooLarge) {
				t.Errorf("%.60s, generated %v: %v", tc.text, k == generated, err)
			}
		}
	}
	if _, err := reflected.ReadJSON([]byte(`{"status":{"size":"1e1002"}}`), new(kind[amounts])); err != nil {
		t.Errorf("what is stored: %v", err)
	}
}
