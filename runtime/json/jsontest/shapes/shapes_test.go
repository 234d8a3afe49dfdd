package shapes

import (
	"encoding/json"
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/randfill"

	"github.com/typeplane/typeplane/runtime/json/jsontest"
)

var everything = jsontest.Functions[Everything]{Append: AppendJSON_Everything, Read: ReadJSON_Everything, Fill: []any{
	func(*interface{ S() }, randfill.Continue) {},
	func(n *json.Number, c randfill.Continue) { *n = json.Number(strconv.Itoa(c.Intn(100))) },
	func(o *Own, c randfill.Continue) { o.text = c.String(5) },
}}

func TestRandom(t *testing.T) { everything.Run(t, 1, 40) }

// seeds are data in which something is wrong, or out of the ordinary, each in a way of its own.
var seeds = []string{
	``, ` `, `null`, `{}`, `[]`, `"x"`, `{"string":"a"} x`, `{"string":"a",}`, `{"string"}`, `{"string":}`, `{string:1}`, `{"a":1 "b":2}`,
	`{"string":"a","string":"b"}`, `{"String":"a"}`, `{"struct":{"name":1}}`, `{"kind":1}`, `{"metadata":{"name":1}}`,
	`{"metadata":{"creationTimestamp":1}}`, `{"metadata":{"creationTimestamp":"x"},"int":"y"}`, `{"metadata":{"labels":{"a":1}}}`,
	`{"int":1.5}`, `{"int":1e2}`, `{"int8":128,"int8":-128}`, `{"int":01}`, `{"int":-}`, `{"int":+1}`, `{"int":1.}`, `{"int":1e}`,
	`{"uint8":-1}`, `{"uint64":18446744073709551615}`, `{"float32":1e39}`, `{"float64":1e309}`, `{"any":1e309}`, `{"any":123456789012345678901}`,
	`{"any":{"a":1,"a":[{"b":1,"b":2}]}}`, `{"any":[]}`, `{"stringy":null}`, `{"stringy":{}}`, `{"number":"1"}`, `{"number":"x"}`, `{"number":-1.5e3}`,
	`{"pointers":null}`, `{"pointers":"x"}`, `{"pointers":1}`, `{"struct":null}`, `{"struct":{"next":{"next":{"unknown":1}}}}`,
	`{"strings":["a","b"],"strings":["c"]}`, `{"strings":["a","b","c"],"strings":["x"],"strings":[null,null]}`, `{"strings":{}}`,
	`{"inners":[{"name":"a","value":1}],"inners":[{"name":"b"}]}`, `{"inners":[{"x":1},{"x":1},{"x":1,"x":2}]}`, `{"ints":[1,"2",3]}`,
	`{"bytes":"AQID"}`, `{"bytes":"A"}`, `{"bytes":[1,2,256]}`, `{"blob":"AQID"}`, `{"blob":[1,2]}`, `{"bits":[1,2,3,4]}`, `{"bits":[1],"bits":"AQID"}`,
	`{"array":[{"name":"a"},{"name":"b"}],"array":[null]}`, `{"tree":{"a":{"b":{"c":null}}}}`, `{"map":{"a":"b","a":"c"},"map":{"a":"d"}}`,
	`{"map":{"a":null}}`, `{"pMap":{"a":null,"b":{"name":"x"}},"pMap":{"b":{"value":1}}}`, `{"byInt":{"1":"a","01":"b","300":"c","x":"d"}}`,
	`{"byText":{"1<2":3,"1<02":4,"1<2":5}}`, `{"byText":{"x":3}}`, `{"deep":{"a":{"b":["c"]}}}`, `{"own":null,"pOwn":null}`, `{"own":{ "a" : 1 }}`,
	`{"own":"` + strings.Repeat("x", 50) + `"}`, `{"int":"first","own":"` + strings.Repeat("x", 50) + `"}`, `{"text":"1<2"}`, `{"text":1}`, `{"text":[]}`,
	`{"pText":{}}`, `{"pText":true}`, `{"text":null,"pText":null}`, `{"text":"x"}`, `{"raw":null,"pRaw":null}`, `{"raw": [ 1 , "<" ] }`,
	`{"std":"2020-01-01T00:00:00Z"}`, `{"std":1}`, `{"duration":"5m"}`, `{"duration":null}`, `{"duration":1}`, `{"quantity":"1.5Gi"}`, `{"quantity":5}`,
	`{"quantity":" 5 "}`, `{"quantity":"x"}`, `{"quantity":null}`, `{"intOr":5}`, `{"intOr":"5"}`, `{"intOr":5.5}`, `{"intOr":null}`, `{"intOr":[]}`,
	`{"extension":null}`, `{"extension":{"a":1}}`, `{"qInt":"5"}`, `{"qInt":5}`, `{"qInt":"x"}`, `{"qInt":""}`, `{"qInt":"null"}`, `{"qInt":"nul"}`,
	`{"qInt":null}`, `{"qInt":"true"}`, `{"qInt":"\"5\""}`, `{"qInt":"\"5"}`, `{"qInt":"9999999999999999999999"}`, `{"qInt":{"a":{}}}`, `{"qInt":[]}`,
	`{"qFloat":"0x1p-2"}`, `{"qFloat":"-inf"}`, `{"qBool":"true"}`, `{"qBool":"tru"}`, `{"qBool":"1"}`, `{"qBool":"\"\""}`, `{"qString":"\"a\""}`,
	`{"qString":"a"}`, `{"qString":"1"}`, `{"qString":"true"}`, `{"qString":"null"}`, `{"qString":"nope"}`, `{"qWord":null}`, `{"qWord":"null"}`, `{"qWord":"n"}`,
	`{"qWord":"\"\\u0041\""}`, `{"qPInt":"1"}`, `{"qPInt":"null"}`, `{"qPInt":"70000"}`, `{"qNumber":"1"}`, `{"qNumber":"\"1\""}`, `{"qNumber":"\"x\""}`,
	`{"qWord":"\"\\'x\""}`, `{"qText":"\"abc\""}`, `{"qText":"5"}`, `{"qText":"null"}`, `{"qText":"\"abc"}`, `{"-":"a"}`, `{"Skipped":"a"}`, `{"private":"a"}`, `{"a<b>&c":"x"}`,
	`{"NoTag":"a"}`, `{"twice":"a"}`, `{"far":1,"farthest":["a"]}`, `{"far":"x"}`, `{"farthest":["a",1]}`, `{"seen":"a"}`, `{"seen":1}`, `{"named":{"a":1}}`,
	`{"string":"\u00e9\ud83d\ude00\ud800\udc\"}`, `{"string":"\ud800\u0041"}`, `{"string":"\ud800"}`, "{\"string\":\"\xff\xc3\"}", "{\"string\":\"a\nb\"}",
	`{"\u0073tring":"a","string":"b"}`, `{"string":"\x"}`, `{"string":"\u12G4"}`, `{"string":"abc`, `{"string":tru}`, `{"bool":nul}`, `{"bool":"true"}`,
	`{"unknown":{"a":[1,2,{"b":null}]},"other":[}`, `{"unknown":"\q"}`, "\ufeff{}", `{"unnamed":{"A":1,"B":"x","C":2}}`, `{"box":{"value":1,"all":["a",2]}}`,
	`{"grid":[[1,2],[3]],"grid":[[null],[]]}`, `{"amounts":{"cpu":"1","cpu":1,"memory":null}}`, `{"selector":{"matchLabels":{"a":"b","a":"c"}}}`,
}

func TestSeeds(t *testing.T) {
	for _, data := range seeds {
		everything.Compare(t, []byte(data))
	}
	deep := func(n int) string { return strings.Repeat(`{"next":`, n) + "null" + strings.Repeat("}", n) }
	for n := 9997; n <= 10001; n++ {
		everything.Compare(t, []byte(`{"struct":`+deep(n)+`}`))
		everything.Compare(t, []byte(`{"any":`+deep(n)+`}`))
		everything.Compare(t, []byte(`{"unknown":`+deep(n)+`}`))
		everything.Compare(t, []byte(`{"raw":`+strings.Repeat("[", n)+strings.Repeat("]", n)+`}`))
	}
	// A message that repeats what was sent is cut, and not in a rune.
	for _, letter := range []string{"a", "é", "€", "😀", "\xff", `\\u20ac`} {
		for n := range 4 {
			everything.Compare(t, []byte(`{"qWord":"`+strings.Repeat("x", n)+strings.Repeat(letter, 3000)+`"}`))
		}
	}
	everything.Compare(t, []byte(`{"inners":[`+strings.Repeat(`{"x":1,"y":2},`, 200)+`{}]}`)) // 100 strict errors are enough
}

func FuzzRead(f *testing.F) {
	for _, data := range seeds {
		f.Add([]byte(data))
	}
	rnd := rand.New(rand.NewSource(1))
	object := []byte(`{"kind":"K","metadata":{"name":"n","labels":{"a":"b"}},"inners":[{"name":"x","value":1}],"any":{"a":[1,2.5,null]},"own":{},"qInt":"1"}`)
	for range 50 {
		f.Add(jsontest.Damage(rnd, object))
	}
	f.Fuzz(func(t *testing.T, data []byte) { everything.Compare(t, data) })
}
