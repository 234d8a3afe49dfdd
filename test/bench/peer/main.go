// Command peer is the server that ours is measured against: pods on k8s.io/apiserver, put together
// as sample-apiserver does.
//
// It is at its best here. The watch cache is on, and feature gates have their defaults. There is no
// authentication, admission, audit or flow control, and authorization allows everything. One Go
// type is the internal and the only external version, so that nothing is ever converted. Field
// ownership can't be turned off in it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/applyconfigurations"

	"github.com/typeplane/typeplane/internal/debugsocket"
	"github.com/typeplane/typeplane/test/bench/pods"
)

var v1 = corev1.SchemeGroupVersion

type flags struct {
	port                      int
	etcd, prefix, dir, socket string
}

func main() {
	var f flags
	flag.IntVar(&f.port, "port", 0, "TCP `port` to serve on, on 127.0.0.1")
	flag.StringVar(&f.etcd, "etcd", "", "`URL` of etcd")
	flag.StringVar(&f.prefix, "prefix", "/registry", "`key` below which everything is stored")
	flag.StringVar(&f.dir, "dir", "", "`directory` for the serving certificate")
	flag.StringVar(&f.socket, "debug", "", "unix `socket` for profiles")
	flag.Parse()
	if err := run(f); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

func run(f flags) error {
	if err := debugsocket.Serve(f.socket); err != nil {
		return err
	}
	scheme := newScheme()
	codecs := serializer.NewCodecFactory(scheme)
	config, err := newConfig(codecs, f)
	if err != nil {
		return err
	}
	server, err := config.Complete(nil).New("peer", genericapiserver.NewEmptyDelegate())
	if err != nil {
		return err
	}
	store, err := newStore(scheme, config.RESTOptionsGetter)
	if err != nil {
		return err
	}
	if err := install(server, config, scheme, codecs, map[string]rest.Storage{"pods": store}); err != nil {
		return err
	}
	return server.PrepareRun().RunWithContext(genericapiserver.SetupSignalContext())
}

// newScheme knows core/v1, and pods in an internal version of the same Go type.
func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		panic(err) // the declarations are constants
	}
	scheme.AddKnownTypes(schema.GroupVersion{Version: runtime.APIVersionInternal}, &corev1.Pod{}, &corev1.PodList{})
	scheme.AddTypeDefaultingFunc(&corev1.Pod{}, func(obj any) { pods.Default(obj.(*corev1.Pod)) })
	if err := scheme.AddFieldLabelConversionFunc(v1.WithKind("Pod"), selectable); err != nil {
		panic(err)
	}
	scheme.AddUnversionedTypes(v1, &metav1.Status{}, &metav1.APIVersions{}, &metav1.APIGroupList{}, &metav1.APIGroup{}, &metav1.APIResourceList{})
	return scheme
}

// selectable allows the fields that a selector may name.
func selectable(label, value string) (string, string, error) {
	fields := pods.SelectableFields(new(corev1.Pod))
	if _, ok := fields[label]; !ok && label != "metadata.name" && label != "metadata.namespace" {
		return "", "", fmt.Errorf("%q is not a known field selector", label)
	}
	return label, value, nil
}

func newConfig(codecs serializer.CodecFactory, f flags) (*genericapiserver.Config, error) {
	config := genericapiserver.NewConfig(codecs)
	config.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	config.FeatureGate = utilfeature.DefaultFeatureGate
	config.EnableProfiling = false
	config.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()

	serving := options.NewSecureServingOptions()
	serving.BindAddress, serving.BindPort = net.IPv4(127, 0, 0, 1), f.port
	serving.ServerCert.CertDirectory = f.dir
	serving.ServerCert.PairName = "serving"
	if err := serving.MaybeDefaultWithSelfSignedCerts("localhost", nil, []net.IP{serving.BindAddress}); err != nil {
		return nil, err
	}
	if err := serving.WithLoopback().ApplyTo(&config.SecureServing, &config.LoopbackClientConfig); err != nil {
		return nil, err
	}
	config.ExternalAddress = net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port))

	// EtcdOptions.DefaultStorageMediaType is for storage factories of other programs: here the
	// codec says it all.
	protobuf, ok := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	if !ok {
		return nil, errors.New("no serializer for protobuf")
	}
	codec := codecs.CodecForVersions(protobuf.Serializer, codecs.UniversalDeserializer(), v1, runtime.InternalGroupVersioner)
	storage := options.NewEtcdOptions(storagebackend.NewDefaultConfig(f.prefix, codec))
	storage.StorageConfig.Transport.ServerList = []string{f.etcd}
	return config, storage.ApplyTo(config)
}

// install does what GenericAPIServer.InstallLegacyAPIGroup does, but takes the schema for field
// ownership from client-go: the OpenAPI definitions of core/v1 are in k8s.io/kubernetes only.
func install(server *genericapiserver.GenericAPIServer, config *genericapiserver.Config, scheme *runtime.Scheme, codecs serializer.CodecFactory, storage map[string]rest.Storage) error {
	parameters := runtime.NewParameterCodec(scheme)
	info := genericapiserver.NewDefaultAPIGroupInfo(v1.Group, scheme, parameters, codecs)
	version := &endpoints.APIGroupVersion{
		Root:                        genericapiserver.DefaultLegacyAPIPrefix,
		GroupVersion:                v1,
		AllServedVersionsByResource: map[string][]string{"pods": {v1.Version}},
		OptionsExternalVersion:      &v1,
		Storage:                     storage,
		ParameterCodec:              parameters,
		Serializer:                  info.NegotiatedSerializer,
		Creater:                     scheme,
		Convertor:                   scheme,
		ConvertabilityChecker:       scheme,
		UnsafeConvertor:             runtime.UnsafeObjectConvertor(scheme),
		Defaulter:                   scheme,
		Typer:                       scheme,
		Namer:                       runtime.Namer(meta.NewAccessor()),
		TypeConverter:               applyconfigurations.NewTypeConverter(scheme),
		EquivalentResourceRegistry:  server.EquivalentResourceRegistry,
		Authorizer:                  server.Authorizer,
		MinRequestTimeout:           time.Duration(config.MinRequestTimeout) * time.Second,
		MaxRequestBodyBytes:         config.MaxRequestBodyBytes,
	}
	_, _, err := version.InstallREST(server.Handler.GoRestfulContainer)
	return err
}
