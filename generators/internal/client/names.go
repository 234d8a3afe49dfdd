package client

import "github.com/typeplane/typeplane/generators/internal/emit"

// The packages of Kubernetes that printed code names.
const (
	metaV1     = "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimePkg = "k8s.io/apimachinery/pkg/runtime"
	schemaPkg  = "k8s.io/apimachinery/pkg/runtime/schema"
	clientGo   = "k8s.io/client-go/"
)

func meta(name string) emit.Ident      { return emit.Ident{Path: metaV1, Name: name} }
func runtime(name string) emit.Ident   { return emit.Ident{Path: runtimePkg, Name: name} }
func schema(name string) emit.Ident    { return emit.Ident{Path: schemaPkg, Name: name} }
func rest(name string) emit.Ident      { return emit.Ident{Path: clientGo + "rest", Name: name} }
func gentype(name string) emit.Ident   { return emit.Ident{Path: clientGo + "gentype", Name: name} }
func testing(name string) emit.Ident   { return emit.Ident{Path: clientGo + "testing", Name: name} }
func discovery(name string) emit.Ident { return emit.Ident{Path: clientGo + "discovery", Name: name} }

var (
	contextContext = emit.Ident{Path: "context", Name: "Context"}
	errorf         = emit.Ident{Path: "fmt", Name: "Errorf"}
	httpClient     = emit.Ident{Path: "net/http", Name: "Client"}
)
