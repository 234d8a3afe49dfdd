package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	authenticated "k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// world is what a server serves.
type world struct {
	// scheme knows the kinds with their defaults and conversions, and each in an internal version
	// too.
	scheme *runtime.Scheme
	// groups are in the order of discovery; the versions of each in the order of preference.
	groups []group
	// stored are the versions that objects are kept in.
	stored schema.GroupVersions
	// models are schemas in the form of gen.
	models models
}

type group struct {
	name     string
	versions []schema.GroupVersion
	kinds    []kind
}

// newServer returns a server on a free port of 127.0.0.1, and the configuration of a client that
// may do everything.
func newServer(w world, etcd, dir string) (*genericapiserver.GenericAPIServer, clientcmdapi.Config, error) {
	var client clientcmdapi.Config
	metav1.AddToGroupVersion(w.scheme, schema.GroupVersion{Version: "v1"})
	w.scheme.AddUnversionedTypes(schema.GroupVersion{Version: "v1"}, &metav1.Status{}, &metav1.APIVersions{}, &metav1.APIGroupList{}, &metav1.APIGroup{}, &metav1.APIResourceList{})
	codecs := serializer.NewCodecFactory(w.scheme)
	config := genericapiserver.NewConfig(codecs)
	config.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	config.FeatureGate = utilfeature.DefaultFeatureGate
	token := rand.Text()
	config.Authentication.Authenticator = authenticated.NewAuthenticatedGroupAdder(bearertoken.New(tokenfile.New(map[string]*user.DefaultInfo{
		token: {Name: "admin", Groups: []string{user.SystemPrivilegedGroup}},
	})))
	config.Authorization.Authorizer = authorizerfactory.NewPrivilegedGroups(user.SystemPrivilegedGroup)
	if err := w.models.applyTo(config, w.scheme); err != nil {
		return nil, client, err
	}

	serving := options.NewSecureServingOptions()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, client, err
	}
	serving.BindAddress, serving.BindPort = net.IPv4(127, 0, 0, 1), listener.Addr().(*net.TCPAddr).Port
	serving.Listener = listener
	serving.ServerCert.CertDirectory, serving.ServerCert.PairName = dir, "serving"
	if err := serving.MaybeDefaultWithSelfSignedCerts("localhost", nil, []net.IP{serving.BindAddress}); err != nil {
		return nil, client, err
	}
	if err := serving.WithLoopback().ApplyTo(&config.SecureServing, &config.LoopbackClientConfig); err != nil {
		return nil, client, err
	}
	config.ExternalAddress = listener.Addr().String()
	if err := applyStorage(config, w, codecs, etcd); err != nil {
		return nil, client, err
	}

	server, err := config.Complete(nil).New("peer", genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, client, err
	}
	if err := install(server, config, w, codecs); err != nil {
		return nil, client, err
	}
	loopback := config.LoopbackClientConfig
	client = kubeconfig(listener.Addr().String(), loopback.TLSClientConfig.ServerName, token, loopback.TLSClientConfig.CAData)
	return server, client, nil
}

func applyStorage(config *genericapiserver.Config, w world, codecs serializer.CodecFactory, etcd string) error {
	json, ok := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	if !ok {
		return errors.New("no serializer for JSON")
	}
	codec := codecs.CodecForVersions(json.Serializer, codecs.UniversalDeserializer(), w.stored, runtime.InternalGroupVersioner)
	storage := options.NewEtcdOptions(storagebackend.NewDefaultConfig("/peer", codec))
	storage.StorageConfig.Transport.ServerList = []string{etcd}
	// No collector runs, as beside ours: so nothing may wait for one.
	storage.EnableGarbageCollection = false
	return storage.ApplyTo(config)
}

func install(server *genericapiserver.GenericAPIServer, config *genericapiserver.Config, w world, codecs serializer.CodecFactory) error {
	for _, g := range w.groups {
		info := genericapiserver.NewDefaultAPIGroupInfo(g.name, w.scheme, runtime.NewParameterCodec(w.scheme), codecs)
		info.PrioritizedVersions = g.versions
		for _, k := range g.kinds {
			storage, err := k.storage(w.scheme, config.RESTOptionsGetter)
			if err != nil {
				return fmt.Errorf("%s: %w", k.resource, err)
			}
			for _, v := range g.versions {
				if !slices.Contains(k.versions, v.Version) {
					continue
				}
				if info.VersionedResourcesStorageMap[v.Version] == nil {
					info.VersionedResourcesStorageMap[v.Version] = map[string]rest.Storage{}
				}
				for name, s := range storage {
					info.VersionedResourcesStorageMap[v.Version][name] = s
				}
			}
		}
		if err := installGroup(server, &info, g.name); err != nil {
			return err
		}
	}
	return nil
}

func installGroup(server *genericapiserver.GenericAPIServer, info *genericapiserver.APIGroupInfo, name string) error {
	if name == "" {
		return server.InstallLegacyAPIGroup(genericapiserver.DefaultLegacyAPIPrefix, info)
	}
	return server.InstallAPIGroup(info)
}
