package view

import (
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	runtimejson "github.com/typeplane/typeplane/runtime/json"
	apimachineryjson "github.com/typeplane/typeplane/runtime/json/apimachinery"
	"github.com/typeplane/typeplane/runtime/transcode"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// The kinds of answers that are only about metadata.
const (
	partialKind     = "PartialObjectMetadata"
	partialListKind = "PartialObjectMetadataList"
)

// metaVersion is the version of meta.k8s.io in which the form is written.
func metaVersion(rep rest.Representation) schema.GroupVersion {
	gv := metav1.SchemeGroupVersion
	if rep.AsVersion != "" {
		gv.Version = rep.AsVersion
	}
	return gv
}

// metadata reads the metadata of an entry as this version has it. In the stored version nothing
// else is decoded; another one may have annotations that its conversion made.
func (v Factory) metadata(e storage.Entry) (*metav1.ObjectMeta, error) {
	if !v.AsStored() {
		obj, err := v.Visible(e)
		if err != nil {
			return nil, err
		}
		return runtime.Meta(obj), nil
	}
	fields, err := wire.ObjectMeta(e.Value)
	if err != nil {
		return nil, err
	}
	meta := new(metav1.ObjectMeta)
	if err := meta.Unmarshal(fields); err != nil {
		return nil, err
	}
	meta.ResourceVersion = storage.FormatRevision(e.Revision)
	return meta, nil
}

// partial is an object without all but its metadata.
func partial(meta *metav1.ObjectMeta, gv schema.GroupVersion) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{Kind: partialKind, APIVersion: gv.String()},
		ObjectMeta: *meta,
	}
}

// appendPartial appends partial as JSON.
func appendPartial(dst []byte, meta *metav1.ObjectMeta, gv schema.GroupVersion) ([]byte, error) {
	dst, err := apimachineryjson.AppendJSON_ObjectMeta(appendPartialStart(dst, gv), meta)
	return append(dst, '}'), err
}

// appendPartialOfEntry appends, as JSON, what partial is of the object of an entry in the stored
// version. start is what appendPartialStart appends.
func appendPartialOfEntry(dst []byte, e storage.Entry, start string) ([]byte, error) {
	meta, err := wire.ObjectMeta(e.Value)
	if err != nil {
		return nil, err
	}
	dst, err = transcode.AppendObjectMeta(append(dst, start...), meta, e.Revision)
	return append(dst, '}'), err
}

// appendPartialStart appends what partial has before its metadata.
func appendPartialStart(dst []byte, gv schema.GroupVersion) []byte {
	dst = append(dst, `{"kind":"PartialObjectMetadata","apiVersion":`...)
	return append(runtimejson.AppendString(dst, gv.String()), `,"metadata":`...)
}

func (o *Object) writePartial(w io.Writer, rep rest.Representation) error {
	if rep.MediaType == rest.Protobuf && o.AsStored() {
		data, err := wire.AppendPartial(nil, metaVersion(rep).String(), partialKind, o.Entry.Value, o.Entry.Revision)
		if err != nil {
			return apierrors.NewInternalError(err)
		}
		_, err = w.Write(data)
		return err
	}
	meta, err := o.metadata(o.Entry)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	return writePartialOf(w, meta, rep)
}

func writePartialOf(w io.Writer, meta *metav1.ObjectMeta, rep rest.Representation) error {
	rep.As = rest.AsObject
	return Struct{partial(meta, metaVersion(rep))}.WriteTo(w, rep)
}

func (l *List) writePartial(out *chunks, rep rest.Representation) error {
	gv := metaVersion(rep)
	if rep.MediaType == rest.Protobuf {
		return l.writePartialProtobuf(out, gv)
	}
	f := frame{kind: gv.WithKind(partialListKind), meta: l.Meta, items: "items"}
	start := string(appendPartialStart(nil, gv))
	return f.writeAs(out, rep, len(l.Entries), func(dst []byte, i int) ([]byte, error) {
		if l.AsStored() {
			return appendPartialOfEntry(dst, *l.Entries[i], start)
		}
		err := l.Look(*l.Entries[i], func(obj runtime.Object) (err error) {
			dst, err = appendPartial(dst, runtime.Meta(obj), gv)
			return err
		})
		return dst, err
	})
}

func (l *List) writePartialProtobuf(out *chunks, gv schema.GroupVersion) error {
	if !l.AsStored() {
		return l.writeConverted(out, gv.WithKind(partialListKind), l.appendPartialMessage)
	}
	return l.writeItems(out, gv.WithKind(partialListKind), wire.PartialItemSize, wire.AppendPartialItem)
}
