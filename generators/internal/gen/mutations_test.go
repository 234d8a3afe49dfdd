package gen

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// change is one way to write a file otherwise.
type change struct {
	what string
	data []byte
}

// mutations make other types of types: what people do in a hurry, and what they try.
var mutations = []func(*source) []change{
	dropMarkers, doubleMarkers, moveMarkers, addMarkers,
	dropTags, editTags, renameInJSON, renameInGo, hideFields,
	retype, dropFields, repeatFields, moveFields, embedFields, nameFields,
	renameTypes, dropTypes, namedTypes, addMethods, editPackage, leaveOut,
}

// each makes a change at every place of a list.
func each(places []declared, what string, edits func(d declared) []edit, s *source) (out []change) {
	for _, d := range places {
		if list := edits(d); len(list) > 0 {
			out = append(out, change{what + " " + d.name, s.apply(list...)})
		}
	}
	return out
}

// places are types and fields together.
func (s *source) places() []declared { return slices.Concat(s.types(), s.fields()) }

// ordinary are the fields that the author of a type thinks of: not TypeMeta and the like.
func (s *source) ordinary() []declared {
	return slices.DeleteFunc(s.fields(), func(d declared) bool { return len(d.field.Names) == 0 })
}

func dropMarkers(s *source) (out []change) {
	for _, d := range s.places() {
		for _, m := range markers(d.doc) {
			out = append(out, change{"drop " + named(m.Text) + " of " + d.name, s.apply(s.lines(m.Pos(), m.End()))})
		}
	}
	return out
}

func doubleMarkers(s *source) (out []change) {
	for _, d := range s.places() {
		for _, m := range markers(d.doc) {
			e := s.lines(m.Pos(), m.End())
			e.to, e.text = e.from, m.Text+"\n"
			out = append(out, change{"double " + named(m.Text) + " of " + d.name, s.apply(e)})
		}
	}
	return out
}

// moveMarkers puts each marker on what stands next.
func moveMarkers(s *source) (out []change) {
	places := s.places()
	slices.SortFunc(places, func(a, b declared) int { return int(a.start() - b.start()) })
	for i, d := range places {
		next := places[(i+1)%len(places)]
		for _, m := range markers(d.doc) {
			code := next.code()
			here := s.lines(code, code)
			here.to, here.text = here.from, m.Text+"\n"
			out = append(out, change{"move " + named(m.Text) + " from " + d.name + " to " + next.name, s.apply(s.lines(m.Pos(), m.End()), here)})
		}
	}
	return out
}

// addMarkers puts markers, right and wrong, on fields in turn.
func addMarkers(s *source) (out []change) {
	fields := s.ordinary()
	for i, marker := range []string{
		"+default=1", `+default="x"`, "+default={}", "+default=[]", "+default=true", "+default=null", "+kubebuilder:default=a", "+kubebuilder:default={a: b}",
		"+required", "+optional", "+nullable", "+k8s:required", "+k8s:optional", "+k8s:forbidden", "+k8s:immutable",
		"+kubebuilder:validation:Minimum=1", "+kubebuilder:validation:MaxLength=3", "+kubebuilder:validation:MinItems=1", "+kubebuilder:validation:Enum=a;b",
		"+kubebuilder:validation:Format=date-time", "+kubebuilder:validation:Type=string", "+kubebuilder:validation:XIntOrString", "+kubebuilder:validation:Schemaless",
		"+kubebuilder:pruning:PreserveUnknownFields", "+kubebuilder:validation:EmbeddedResource", `+kubebuilder:validation:XValidation:rule="self != oldSelf"`,
		"+listType=set", "+listType=map", "+listType=atomic", "+mapType=atomic", "+structType=atomic", "+listMapKey=name", "+patchStrategy=merge",
		"+k8s:listType=set", "+k8s:eachVal=+k8s:required", "+k8s:unionMember", "+k8s:opaqueType", "+k8s:enum", "+enum", "+k8s:deprecated=old,protobuf=9",
		"+kubebuilder:resource:scope=Cluster", "+kubebuilder:subresource:status", "+kubebuilder:storageversion", "+genclient", "+groupName=a", "+k8s:deepcopy-gen=false",
		"+k8s:conversion-gen=false", "+protobuf=false", "+k8s:openapi-gen=false", "+kubebuilder:skip", "+kubebuilder:title=A", "+kubebuilder:example=1", "+defualt=1",
	} {
		d := fields[i%len(fields)]
		e := s.lines(d.field.Pos(), d.field.Pos())
		e.to, e.text = e.from, "// "+marker+"\n"
		out = append(out, change{"add " + marker + " to " + d.name, s.apply(e)})
	}
	types := s.types()
	for i, marker := range []string{
		"+kubebuilder:subresource:status", "+kubebuilder:subresource:scale:specpath=.spec.copies,statuspath=.status.available", "+kubebuilder:unservedversion",
		"+kubebuilder:skipversion", "+kubebuilder:deprecatedversion", "+kubebuilder:object:root=true", "+kubebuilder:object:root=false", "+k8s:deepcopy-gen=false",
		"+k8s:openapi-gen=false", "+k8s:validation-gen=false", "+typeplane:json-gen=false", "+protobuf=false", "+protobuf.nullable=true", "+kubebuilder:object:generate=false",
		"+genclient:nonNamespaced", "+kubebuilder:resource:path=books2,shortName=bk", "+kubebuilder:resource:scope=cluster", "+typeplane:key-prefix=a/b", "+typeplane:expires=.metadata.creationTimestamp",
		"+kubebuilder:validation:MinProperties=1", "+kubebuilder:default={}", "+optional", "+nullable", "+structType=atomic",
		"+kubebuilder:printcolumn:name=A,type=string,JSONPath=.nothing", "+kubebuilder:selectablefield:JSONPath=.spec", "+typeplane:selectablefield:name=spec.a,JSONPath=.spec.title", `+kubebuilder:validation:XValidation:rule="has(self.spec)"`,
	} {
		for n := range 2 {
			d := types[(i+n*len(types)/2)%len(types)]
			e := s.lines(d.decl.Pos(), d.decl.Pos())
			e.to, e.text = e.from, "// "+marker+"\n"
			out = append(out, change{"add " + marker + " to " + d.name, s.apply(e)})
		}
	}
	return out
}

func dropTags(s *source) []change {
	return each(s.fields(), "drop the tag of", func(d declared) []edit {
		if d.field.Tag == nil {
			return nil
		}
		return []edit{s.put(d.field.Tag, "")}
	}, s)
}

// editTags changes what a struct tag says beside the name.
func editTags(s *source) (out []change) {
	fields := s.fields()
	for i, tc := range []struct{ what, tag string }{
		{"omitzero", "`json:\"%s,omitzero\"`"},
		{"no omitempty", "`json:\"%s\"`"},
		{"omitempty", "`json:\"%s,omitempty\"`"},
		{"both", "`json:\"%s,omitempty,omitzero\"`"},
		{"string", "`json:\"%s,string\"`"},
		{"inline", "`json:\",inline\"`"},
		{"no name", "`json:\",omitempty\"`"},
		{"left out", "`json:\"-\"`"},
		{"a dash", "`json:\"-,\"`"},
		{"a bad name", "`json:\"a b\\\"c\"`"},
		{"an odd name", "`json:\"a.b/c~d\"`"},
		{"another case", "`json:\"%sURL_x\"`"},
		{"empty tag", "`json:\"\"`"},
		{"broken tag", "`json:%s`"},
		{"yaml only", "`yaml:\"%s\"`"},
		{"protobuf number", "`json:\"%s\" protobuf:\"bytes,77,opt,name=x\"`"},
		{"same protobuf number", "`json:\"%s\" protobuf:\"bytes,1,opt,name=x\"`"},
		{"broken protobuf tag", "`json:\"%s\" protobuf:\"a\"`"},
	} {
		for n := range 3 {
			d := fields[(i*7+n*len(fields)/3)%len(fields)]
			text := strings.ReplaceAll(tc.tag, "%s", strings.ToLower(fieldName(d.field)))
			e := edit{s.at(d.field.Type.End()), s.at(d.field.End()), " " + text}
			out = append(out, change{"tag with " + tc.what + " on " + d.name, s.apply(e)})
		}
	}
	return out
}

var jsonName = regexp.MustCompile(`json:"[^",]+`)

func renameInJSON(s *source) []change {
	return append(each(s.fields(), "another JSON name for", func(d declared) []edit {
		if d.field.Tag == nil || !jsonName.MatchString(d.field.Tag.Value) {
			return nil
		}
		return []edit{s.put(d.field.Tag, jsonName.ReplaceAllString(d.field.Tag.Value, `json:"another`))}
	}, s), each(s.fields(), "the JSON name of the first for", func(d declared) []edit {
		var first string
		for _, f := range d.owner.Fields.List {
			if f.Tag != nil && first == "" {
				first = jsonName.FindString(f.Tag.Value)
			}
		}
		if first == "" || d.field.Tag == nil {
			return nil
		}
		return []edit{s.put(d.field.Tag, jsonName.ReplaceAllString(d.field.Tag.Value, first))}
	}, s)...)
}

// leaveOut takes fields out of JSON.
func leaveOut(s *source) []change {
	return each(s.fields(), "leave out of JSON", func(d declared) []edit {
		return []edit{{s.at(d.field.Type.End()), s.at(d.field.End()), " `json:\"-\"`"}}
	}, s)
}

// nameOf replaces the name of a field.
func (s *source) nameOf(d declared, name string) []edit {
	if len(d.field.Names) == 0 {
		return nil
	}
	return []edit{s.put(d.field.Names[0], name)}
}

func renameInGo(s *source) []change {
	return each(s.fields(), "another Go name for", func(d declared) []edit { return s.nameOf(d, "Another") }, s)
}

func hideFields(s *source) []change {
	return each(s.fields(), "unexport", func(d declared) []edit {
		if len(d.field.Names) == 0 {
			return nil
		}
		name := d.field.Names[0].Name
		return s.nameOf(d, strings.ToLower(name[:1])+name[1:])
	}, s)
}

// retype gives fields other types in turn.
func retype(s *source) (out []change) {
	fields := s.fields()
	for i, typ := range []string{
		"string", "bool", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "float32", "float64", "complex128", "rune",
		"*string", "*bool", "*int64", "**string", "[]string", "[]*string", "*[]string", "[][]string", "[4]int32", "[]byte", "[][]byte", "[]bool", "[]int64",
		"map[string]string", "map[string][]string", "map[string]*string", "map[string]map[string]string", "map[int]string", "map[string]int64", "map[string]bool", "*map[string]string",
		"metav1.Time", "*metav1.Time", "metav1.MicroTime", "metav1.Duration", "[]metav1.Time", "map[string]metav1.Time", "metav1.LabelSelector", "*metav1.LabelSelector",
		"metav1.ObjectMeta", "metav1.Condition", "[]metav1.OwnerReference", "metav1.FieldsV1", "interface{}", "any", "error", "func()", "chan int", "struct{}",
		"struct{ A string `json:\"a\"` }", "[]struct{ A string `json:\"a\"` }", "Undefined", "nowhere.Type", "Same", "*Same", "[]Same", "map[string]Same", "[]*Same",
		"metav1.Object", "metav1.Status", "metav1.TypeMeta", "metav1.ListMeta", "metav1.Unknown",
	} {
		for n := range 2 {
			d := fields[(i*5+n*len(fields)/2)%len(fields)]
			text := strings.ReplaceAll(typ, "Same", d.spec.Name.Name)
			if len(d.field.Names) == 0 { // an embedded field that gets a name
				text = fieldName(d.field) + " " + text
			}
			out = append(out, change{fmt.Sprintf("make %s a %s", d.name, text), s.apply(s.put(d.field.Type, text))})
		}
	}
	return out
}

func dropFields(s *source) []change {
	return each(s.fields(), "drop", func(d declared) []edit { return []edit{s.lines(d.start(), d.end())} }, s)
}

// repeatFields writes fields twice: as they are, and under a name of their own in Go alone, which
// clashes in JSON.
func repeatFields(s *source) []change {
	after := func(d declared, text string) []edit {
		at := s.lines(d.end(), d.end()).to
		return []edit{{at, at, text + "\n"}}
	}
	return append(each(s.fields(), "repeat", func(d declared) []edit {
		return after(d, s.text(d.field.Pos(), d.field.End()))
	}, s), each(s.ordinary(), "repeat under another Go name", func(d declared) []edit {
		return after(d, "Second "+s.text(d.field.Names[len(d.field.Names)-1].End(), d.field.End()))
	}, s)...)
}

// moveFields puts fields into the next struct.
func moveFields(s *source) []change {
	fields := s.ordinary()
	return each(fields, "move to the next struct", func(d declared) []edit {
		i := slices.IndexFunc(fields, func(f declared) bool { return f.field == d.field })
		for j := range fields {
			next := fields[(i+j)%len(fields)]
			if next.owner != d.owner {
				at := s.lines(next.owner.Fields.Opening, next.owner.Fields.Opening).to
				from := s.lines(d.start(), d.end())
				return []edit{from, {at, at, string(s.data[from.from:from.to])}}
			}
		}
		return nil
	}, s)
}

// embedFields embeds the structs of fields: inlined, under a name, and without a tag.
func embedFields(s *source) (out []change) {
	for _, tag := range []string{"`json:\",inline\"`", "`json:\"named\"`", ""} {
		out = append(out, each(s.ordinary(), "embed with "+tag, func(d declared) []edit {
			id, ok := d.field.Type.(*ast.Ident)
			if !ok || !ast.IsExported(id.Name) {
				return nil
			}
			return []edit{{s.at(d.field.Pos()), s.at(d.field.End()), id.Name + " " + tag}}
		}, s)...)
	}
	return out
}

// nameFields calls fields like methods, functions and packages of generated code.
func nameFields(s *source) (out []change) {
	fields := s.ordinary()
	for i, name := range []string{
		"Size", "String", "Reset", "Marshal", "Unmarshal", "ProtoMessage", "DeepCopy", "DeepCopyInto", "DeepCopyObject", "GetObjectKind", "GetName", "Kind", "APIVersion", "TypeMeta",
		"ObjectMeta", "Name", "Items", "Spec", "Metadata", "XXX_a", "Ünï", "OpenAPIModelName", "Default", "Validate",
	} {
		d := fields[(i*3)%len(fields)]
		out = append(out, change{"call it " + name + ": " + d.name, s.apply(s.nameOf(d, name)...)})
	}
	for i, name := range []string{"kind", "apiVersion", "metadata", "items", "spec", "status", "Kind", "$ref", "x-kubernetes-a", "type", "ÿ", "a\\u0000b"} {
		d := fields[(i*5)%len(fields)]
		e := edit{s.at(d.field.Type.End()), s.at(d.field.End()), " `json:\"" + name + ",omitempty\"`"}
		out = append(out, change{"call it " + name + " in JSON: " + d.name, s.apply(e)})
	}
	return out
}

// renameTypes renames types, everywhere, and where they are declared alone.
func renameTypes(s *source) (out []change) {
	everywhere := func(old, name string) []byte {
		return regexp.MustCompile(`\b`+old+`\b`).ReplaceAll(s.data, []byte(name))
	}
	types := s.types()
	for _, d := range types {
		out = append(out, change{"declare as Another: " + d.name, s.apply(s.put(d.spec.Name, "Another"))})
	}
	for i, name := range []string{
		"Another", "another", "Time", "String", "Status", "List", "Scheme", "Server", "Kind", "Object", "Error", "Duration", "Ünï", "A_b", "V1", "Type", "TypeMeta", "Runtime", "OpenAPISchemas",
		"SchemeGroupVersion", "Json", "Builder", "Comparison", "Pod", "Widgets", "ListList", "Nil", "Bool", "Ab1", "X",
	} {
		d := types[i%len(types)]
		out = append(out, change{"call it " + name + ": " + d.name, everywhere(d.name, name)})
		if slices.ContainsFunc(types, func(t declared) bool { return t.name == d.name+"List" }) {
			both := regexp.MustCompile(`\b`+d.name+`(List)?\b`).ReplaceAll(s.data, []byte(name+"${1}"))
			out = append(out, change{"call it and its list " + name + ": " + d.name, both})
		}
	}
	return out
}

func dropTypes(s *source) []change {
	return each(s.types(), "drop", func(d declared) []edit { return []edit{s.lines(d.start(), d.end())} }, s)
}

// namedTypes puts a name, an alias, a pointer or a parameter between a type and its name.
func namedTypes(s *source) (out []change) {
	for _, tc := range []struct{ what, declare string }{
		{"a type of a type", "type %[1]s inner%[1]s\n\ntype inner%[1]s "},
		{"an exported type of a type", "type %[1]s Inner%[1]s\n\n// Inner%[1]s is below.\ntype Inner%[1]s "},
		{"an alias", "type %[1]s = Inner%[1]s\n\ntype Inner%[1]s "},
		{"an instance", "type %[1]s = Inner%[1]s[string]\n\ntype Inner%[1]s[T any] "},
		{"generic", "type %[1]s[T any] "},
		{"a pointer", "type %[1]s *Inner%[1]s\n\ntype Inner%[1]s "},
		{"a list", "type %[1]s []Inner%[1]s\n\ntype Inner%[1]s "},
		{"a map", "type %[1]s map[string]Inner%[1]s\n\ntype Inner%[1]s "},
	} {
		out = append(out, each(s.types(), tc.what+":", func(d declared) []edit {
			return []edit{{s.at(d.decl.Pos()), s.at(d.spec.Type.Pos()), fmt.Sprintf(tc.declare, d.name)}}
		}, s)...)
	}
	return out
}

// addMethods writes methods and functions by hand that generators print, or that kinds have.
func addMethods(s *source) (out []change) {
	types := s.types()
	for i, method := range []string{
		"func (in *%[1]s) DeepCopy() *%[1]s { out := *in; return &out }",
		"func (in *%[1]s) DeepCopyInto(out *%[1]s) { *out = *in }",
		"func (in %[1]s) DeepCopy() %[1]s { return in }",
		"func (in *%[1]s) String() string { return \"\" }",
		"func (in *%[1]s) Size() int { return 0 }",
		"func (in *%[1]s) Marshal() ([]byte, error) { return nil, nil }",
		"func (in *%[1]s) GetObjectMeta() *metav1.ObjectMeta { return nil }",
		"func (in *%[1]s) GetObjectMeta() metav1.Object { return nil }",
		"func (in *%[1]s) GetName() string { return \"\" }",
		"func (in *%[1]s) GetName(a int) {}",
		"func (in *%[1]s) Hub() {}",
		"func (in *%[1]s) Default() {}",
		"func (in *%[1]s) Validate() error { return nil }",
		"func (in *%[1]s) OpenAPIModelName() string { return \"a\" }",
		"func SetDefaults_%[1]s(in *%[1]s) {}",
		"func SetDefaults_%[1]s(in %[1]s) {}",
		"func SetObjectDefaults_%[1]s(in *%[1]s) {}",
		"func Validate_%[1]s() {}",
		"func AppendJSON_%[1]s() {}",
		"func Convert_v1_%[1]s_To_v2_%[1]s() {}",
		"var OpenAPISchemas = \"%[1]s\"",
		"const SchemeGroupVersion = \"%[1]s\"",
		"func init() { _ = %[1]s{} }",
		"func AddToScheme() { _ = %[1]s{} }",
		"func Resource(s string) string { return \"%[1]s\" }",
	} {
		for n := range 2 {
			d := types[(i+n*len(types)/2)%len(types)]
			out = append(out, change{"write " + fmt.Sprintf(method, d.name), append(slices.Clone(s.data), fmt.Sprintf("\n"+method+"\n", d.name)...)})
		}
	}
	return out
}

// editPackage changes what is about the file as a whole.
func editPackage(s *source) []change {
	imports := s.at(s.file.Imports[0].End())
	tagged := func(tag string) change {
		return change{"package with " + tag, s.apply(edit{s.at(s.file.Package), s.at(s.file.Package), "// " + tag + "\n"})}
	}
	out := []change{
		{"without its imports", s.apply(s.lines(s.file.Imports[0].Pos(), s.file.Imports[0].End()))},
		{"an import that is not used", s.apply(edit{imports, imports, "\nimport \"strings\""})},
		{"an import that is not there", s.apply(edit{imports, imports, "\nimport _ \"example.com/nowhere\""})},
		{"another name of the package", s.apply(s.put(s.file.Name, "other"))},
	}
	for _, tag := range []string{
		"+k8s:deepcopy-gen=false", "+k8s:defaulter-gen=false", "+typeplane:json-gen=false", "+k8s:openapi-gen=false", "+k8s:validation-gen=false", "+k8s:register-gen=false", "+k8s:protobuf-gen=false",
		"+k8s:deepcopy-gen=package", "+k8s:defaulter-gen=TypeMeta", "+typeplane:json-gen=package", "+k8s:openapi-gen=true", "+k8s:validation-gen=*", "+k8s:validation-gen=TypesWithField=TypeMeta", "+k8s:register-gen=true",
		"+typeplane:guard=false", "+versionName=v9", "+versionName=1", "+groupName=a_b", "+kubebuilder:object:generate=true", "+kubebuilder:object:generate=false", "+kubebuilder:skip",
		"+kubebuilder:validation:Optional", "+kubebuilder:validation:Required", "+typeplane:kubernetes", "+typeplane:fieldset-gen=package", "+typeplane:validation:storage=false", "+typeplane:conversion:lossless",
		"+k8s:validation-gen-scheme-registry=nil", "+k8s:openapi-model-package=com.example.a", "+k8s:prerelease-lifecycle-gen=true", "+typeplane:protobuf-gen=package",
	} {
		out = append(out, tagged(tag))
	}
	return out
}
