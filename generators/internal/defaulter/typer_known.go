package defaulter

import (
	"encoding/json"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/gengo/v2/types"
)

const (
	metaPackage     = "k8s.io/apimachinery/pkg/apis/meta/v1"
	intstrPackage   = "k8s.io/apimachinery/pkg/util/intstr"
	quantityPackage = "k8s.io/apimachinery/pkg/api/resource"
	runtimePackage  = "k8s.io/apimachinery/pkg/runtime"
	jsonPackage     = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// wellKnown are types that decode themselves from JSON and whose values have a Go expression
// anyway.
var wellKnown = map[types.Name]func(*types.Type, json.RawMessage) (value, error){
	{Package: metaPackage, Name: "Duration"}:        duration,
	{Package: metaPackage, Name: "Time"}:            instant,
	{Package: intstrPackage, Name: "IntOrString"}:   intOrString,
	{Package: quantityPackage, Name: "Quantity"}:    quantity,
	{Package: runtimePackage, Name: "RawExtension"}: rawJSON,
	{Package: jsonPackage, Name: "JSON"}:            rawJSON,
	{Package: "time", Name: "Time"}:                 clock,
}

var units = []struct {
	name string
	size time.Duration
}{
	{"Hour", time.Hour}, {"Minute", time.Minute}, {"Second", time.Second},
	{"Millisecond", time.Millisecond}, {"Microsecond", time.Microsecond}, {"Nanosecond", time.Nanosecond},
}

func duration(t *types.Type, raw json.RawMessage) (value, error) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil, wrongf(`want a duration, like "5m"`)
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return nil, wrongf(`%q is not a duration, like "5m"`, text)
	}
	var v value = literal("0")
	for _, unit := range units {
		if d != 0 && d%unit.size == 0 {
			v = product{int64(d / unit.size), types.Name{Package: "time", Name: unit.name}}
			break
		}
	}
	return composite{t, []element{{literal("Duration"), v}}}, nil
}

func timeOf(raw json.RawMessage) (at time.Time, err error) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return at, wrongf(`want a time, like "2006-01-02T15:04:05Z"`)
	}
	if at, err = time.Parse(time.RFC3339, text); err != nil {
		return at, wrongf(`%q is not a time, like "2006-01-02T15:04:05Z"`, text)
	}
	return at, nil
}

func clock(t *types.Type, raw json.RawMessage) (value, error) {
	_, err := timeOf(raw)
	return decoded{t, raw}, err
}

func instant(t *types.Type, raw json.RawMessage) (value, error) {
	at, err := timeOf(raw)
	if err != nil {
		return nil, err
	}
	return invocation{types.Name{Package: metaPackage, Name: "Unix"}, []value{
		literal(strconv.FormatInt(at.Unix(), 10)), literal(strconv.Itoa(at.Nanosecond())),
	}}, nil
}

func intOrString(_ *types.Type, raw json.RawMessage) (value, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil && raw[0] == '"' {
		return invocation{types.Name{Package: intstrPackage, Name: "FromString"}, []value{literal(strconv.Quote(text))}}, nil
	}
	var n int32
	if json.Unmarshal(raw, &n) != nil || !isNumber(raw) {
		return nil, wrongf(`want an integer of 32 bits or a string, like 80 or "10%%"`)
	}
	return invocation{types.Name{Package: intstrPackage, Name: "FromInt32"}, []value{literal(strconv.Itoa(int(n)))}}, nil
}

func quantity(_ *types.Type, raw json.RawMessage) (value, error) {
	text := string(raw)
	if !isNumber(raw) && json.Unmarshal(raw, &text) != nil {
		return nil, wrongf(`want a quantity, like "500Mi"`)
	}
	if _, err := resource.ParseQuantity(text); err != nil {
		return nil, wrongf(`%q is not a quantity, like "500Mi"`, text)
	}
	return invocation{types.Name{Package: quantityPackage, Name: "MustParse"}, []value{literal(strconv.Quote(text))}}, nil
}

func rawJSON(t *types.Type, raw json.RawMessage) (value, error) {
	bytes := &types.Type{Name: types.Name{Name: "[]byte"}, Kind: types.Slice, Elem: types.Byte}
	return composite{t, []element{{literal("Raw"), conversion{bytes, literal(strconv.Quote(string(raw)))}}}}, nil
}
