package tag

// protobufTags are those of go-to-protobuf that stand on types; numbers of fields are in struct
// tags.
var protobufTags = Section{
	Title: "Protobuf",
	Doc:   "Tags of go-to-protobuf. The numbers of fields stand in struct tags and in the checked-in generated.proto.",
	Tags: []Definition{
		{Name: "protobuf", Scope: Type, Value: Bool, Doc: "Forces a type into or out of the messages.",
			Example: "+protobuf=false"},
		{Name: "protobuf.nullable", Scope: Type, Value: Bool,
			Doc: "A slice or map type becomes a message that may be absent.", Example: "+protobuf.nullable=true"},
		{Name: "protobuf.as", Scope: Type, Value: String, Doc: "The message has the fields of another type.",
			Example: "+protobuf.as=Timestamp"},
		{Name: "protobuf.embed", Scope: Type, Value: String, Doc: "The message is one field of that type.",
			Example: "+protobuf.embed=string"},
		{Name: "protobuf.options.marshal", Scope: Type, Value: Bool, Doc: "false: the methods are hand-written.",
			Example: "+protobuf.options.marshal=false"},
		{Name: "protobuf.options", Scope: Type, Value: Any,
			Doc:     "An option of the message; (gogoproto.goproto_stringer)=false: String is hand-written.",
			Example: "+protobuf.options.(gogoproto.goproto_stringer)=false"},
	},
}
