package roundtrip

import (
	"github.com/typeplane/typeplane/generators/internal/emit"
)

// The packages that the test calls.
const (
	testPath = "github.com/typeplane/typeplane/runtime/runtimetest"
	jsonPath = "github.com/typeplane/typeplane/runtime/json"
)

func print(f *emit.File, kinds []tested, fill string) {
	f.Reserve("t", "options", "in", "out", "hub", "err", "data", "r")
	ident := func(name string) emit.Ident { return emit.Ident{Path: testPath, Name: name} }
	f.P("// ", testName, " holds the generated code of each kind against random objects.")
	f.P("func ", testName, "(t *", emit.Ident{Path: "testing", Name: "T"}, ") {")
	options := "{}"
	if fill != "" {
		options = "{Fill: " + fill + "}"
	}
	f.P("options := ", ident("Options"), options)
	for _, k := range kinds {
		f.P("t.Run(", quote(k.name), ", func(t *", emit.Ident{Path: "testing", Name: "T"}, ") {")
		f.P(ident("RunRoundTrip"), "(t, ", ident("RoundTrip"), "[", k.name, "]{")
		printer{f}.code(k)
		f.P("}, options)")
		f.P("})")
	}
	f.P("}")
}

func quote(name string) string { return `"` + name + `"` }

type printer struct{ *emit.File }

// code names the functions of a kind.
func (p printer) code(k tested) {
	if k.deepCopy != "" {
		p.P("DeepCopy: ", k.deepCopy, ",")
	}
	if k.marshal != "" && k.unmarshal != "" {
		p.P("Marshal: ", k.marshal, ",")
		p.P("Unmarshal: ", k.unmarshal, ",")
		if k.shared != "" {
			p.P("UnmarshalShared: ", k.shared, ",")
		}
	}
	if k.sent {
		p.P("JSON: true,")
	}
	if k.json {
		p.P("AppendJSON: AppendJSON_", k.name, ",")
		p.P("ReadJSON: func(data []byte, out *", k.name, ") error {")
		p.P("r := ", emit.Ident{Path: jsonPath, Name: "NewReader"}, "(data)")
		p.P("ReadJSON_", k.name, "(r, out)")
		p.P("return r.Err()")
		p.P("},")
	}
	if k.defaulted {
		p.P("SetDefaults: SetObjectDefaults_", k.name, ",")
	}
	if k.through != nil {
		p.P("ThroughHub: func(in, out *", k.name, ") error {")
		p.P("var hub ", k.through.Hub)
		p.P("if err := ", k.through.ToHub, "(in, &hub, nil); err != nil {")
		p.P("return err")
		p.P("}")
		p.P("return ", k.through.FromHub, "(&hub, out, nil)")
		p.P("},")
	}
}
