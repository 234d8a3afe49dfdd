package protobuf

import (
	"bytes"
	"cmp"
	"maps"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// FuzzRead reads bytes of strangers. What is read keeps no part of them, unless it is asked to. A
// value that is read into memory used before is the same. What can be read, dynamicpb reads as the
// same values.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "\x0a\x01x", "\x12\x01a\x12\x01b", "\x1a\x02\x08\x01\x1a\x02\x08\x02", "\x20\x05\x22\x02\x06\x07",
		"\x2a\x06\x0a\x01k\x12\x01v", "\x30\x01", "\xc0\xb8\x02\x01", "\x3a\x06\x08\x01\x12\x02\x08\x09", "\x42\x01r\x42\x00",
		"\x0b\x08\x01\x0c", "\x1a\xff\xff\xff\xff\x0f", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
	} {
		f.Add([]byte(seed))
	}
	message := bookMessage(f)
	recycled := Recycler(&typeBook, func() { readsBook(&typeBook) }, 4)
	f.Fuzz(func(t *testing.T, data []byte) {
		var got book
		input := bytes.Clone(data)
		err := readBook(input, &got)
		again, againErr := recycled(bytes.Clone(data))
		for i := range input {
			input[i] = 0xaa
		}
		var want book
		wantErr := readBook(data, &want)
		if (err == nil) != (wantErr == nil) || (err == nil) != (againErr == nil) {
			t.Fatalf("errors %v, %v and %v", err, wantErr, againErr)
		}
		if err != nil {
			return
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("when the input changed, %+v became %+v", want, got)
		}
		if !same(*again, want) {
			t.Fatalf("into memory that was used: %+v, else %+v", *again, want)
		}
		if otherEntries(data) {
			return
		}
		other := dynamicpb.NewMessage(message)
		if proto.Unmarshal(data, other) != nil {
			return // it is stricter about groups
		}
		if fromOther := fromMessage(other); !same(fromOther, want) {
			t.Fatalf("dynamicpb reads %+v, this package %+v", fromOther, want)
		}
	})
}

// otherEntries tells whether an entry of a map has a key or a value of another wire type. This
// package reads it as Kubernetes' code does, which does not look at the type. dynamicpb leaves it
// out, and panics if it has read a right key of the same entry before.
func otherEntries(data []byte) bool {
	maps := map[protowire.Number][2]protowire.Type{
		5: {protowire.BytesType, protowire.BytesType}, 7: {protowire.VarintType, protowire.BytesType},
	}
	for len(data) > 0 {
		number, typ, n := protowire.ConsumeField(data)
		if n < 0 {
			return true
		}
		want, isMap := maps[number]
		_, _, tag := protowire.ConsumeTag(data)
		entry, _ := protowire.ConsumeBytes(data[tag:])
		for data = data[n:]; isMap && typ == protowire.BytesType && len(entry) > 0; {
			part, typ, n := protowire.ConsumeField(entry)
			if n < 0 || part <= 2 && typ != want[part-1] {
				return true
			}
			entry = entry[n:]
		}
	}
	return false
}

// same compares two books; lists and maps without items are nothing.
func same(a, b book) bool {
	return a.Title == b.Title && equalItems(a.Tags, b.Tags) && equalItems(a.Pages, b.Pages) && equalItems(a.Years, b.Years) &&
		(len(a.Names) == 0 && len(b.Names) == 0 || reflect.DeepEqual(a.Names, b.Names)) && reflect.DeepEqual(a.Copies, b.Copies) &&
		a.Far == b.Far && maps.EqualFunc(a.Parts, b.Parts, equalPages) && equalItems(a.Raw, b.Raw)
}

// equalPages takes nil, which an entry without a value leaves here as in Kubernetes' code, for an
// empty page.
func equalPages(a, b *page) bool {
	var none page
	return *cmp.Or(a, &none) == *cmp.Or(b, &none)
}

func equalItems[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || reflect.DeepEqual(a, b))
}

// bookMessage is the descriptor of a book.
func bookMessage(t testing.TB) protoreflect.MessageDescriptor {
	t.Helper()
	type kind = descriptorpb.FieldDescriptorProto_Type
	field := func(name string, number int32, k kind, repeated bool, of string) *descriptorpb.FieldDescriptorProto {
		label := descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL
		if repeated {
			label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED
		}
		f := &descriptorpb.FieldDescriptorProto{Name: &name, Number: &number, Type: &k, Label: &label}
		if of != "" {
			f.TypeName = &of
		}
		return f
	}
	const (
		text    = descriptorpb.FieldDescriptorProto_TYPE_STRING
		raw     = descriptorpb.FieldDescriptorProto_TYPE_BYTES
		small   = descriptorpb.FieldDescriptorProto_TYPE_INT32
		long    = descriptorpb.FieldDescriptorProto_TYPE_INT64
		flag    = descriptorpb.FieldDescriptorProto_TYPE_BOOL
		message = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE
	)
	entry := func(name string, key, value kind, of string) *descriptorpb.DescriptorProto {
		return &descriptorpb.DescriptorProto{
			Name: &name, Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)},
			Field: []*descriptorpb.FieldDescriptorProto{field("key", 1, key, false, ""), field("value", 2, value, false, of)},
		}
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("book.proto"), Syntax: proto.String("proto2"), Package: proto.String("shop"),
		MessageType: []*descriptorpb.DescriptorProto{
			{Name: proto.String("Page"), Field: []*descriptorpb.FieldDescriptorProto{field("number", 1, small, false, "")}},
			{Name: proto.String("Book"), Field: []*descriptorpb.FieldDescriptorProto{
				field("title", 1, raw, false, ""), field("tags", 2, raw, true, ""), field("pages", 3, message, true, ".shop.Page"),
				field("years", 4, long, true, ""), field("names", 5, message, true, ".shop.Book.NamesEntry"), field("copies", 6, small, false, ""),
				field("parts", 7, message, true, ".shop.Book.PartsEntry"), field("raw", 8, raw, true, ""), field("far", 5000, flag, false, ""),
			}, NestedType: []*descriptorpb.DescriptorProto{entry("NamesEntry", text, raw, ""), entry("PartsEntry", small, message, ".shop.Page")}},
		},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file.Messages().ByName("Book")
}

// fromMessage makes a book of what another implementation has read.
func fromMessage(m *dynamicpb.Message) (b book) {
	get := func(name protoreflect.Name) protoreflect.Value { return m.Get(m.Descriptor().Fields().ByName(name)) }
	b.Title, b.Far = string(get("title").Bytes()), get("far").Bool()
	each := func(name protoreflect.Name, add func(protoreflect.Value)) {
		for i, list := 0, get(name).List(); i < list.Len(); i++ {
			add(list.Get(i))
		}
	}
	number := func(v protoreflect.Value) int32 {
		page := v.Message()
		return int32(page.Get(page.Descriptor().Fields().ByNumber(1)).Int())
	}
	each("tags", func(v protoreflect.Value) { b.Tags = append(b.Tags, string(v.Bytes())) })
	each("pages", func(v protoreflect.Value) { b.Pages = append(b.Pages, page{number(v)}) })
	each("years", func(v protoreflect.Value) { b.Years = append(b.Years, v.Int()) })
	each("raw", func(v protoreflect.Value) { b.Raw = append(b.Raw, append([]byte{}, v.Bytes()...)) })
	b.Names, b.Parts = map[string]string{}, map[int32]*page{}
	get("names").Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		b.Names[k.String()] = string(v.Bytes())
		return true
	})
	get("parts").Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		b.Parts[int32(k.Int())] = &page{number(v)}
		return true
	})
	if f := m.Descriptor().Fields().ByName("copies"); m.Has(f) {
		copies := int32(m.Get(f).Int())
		b.Copies = &copies
	}
	return b
}
