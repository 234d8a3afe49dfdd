package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/suggest"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime"
)

// Alone has loop run in one of the servers that share their objects, beside all others of the same
// lease. Where no leader is elected it runs in each of them: it has to bear that.
func (h *Host) Alone(lease string, loop func(context.Context)) {
	if h.alone == nil {
		h.alone = map[string][]func(context.Context){}
	}
	h.alone[lease] = append(h.alone[lease], loop)
}

// elections has the loops run that are for one server only.
func (h *Host) elections() {
	for lease, loops := range h.alone {
		if h.Elect == nil {
			h.loops = append(h.loops, loops...)
			continue
		}
		h.Go(func(ctx context.Context) {
			h.Elect(ctx, lease, func(ctx context.Context) { startLoops(ctx, loops)() })
		})
	}
}

// The words of --enable-api that are no names.
const (
	allAPIs = "all"
	noAPIs  = "none"
)

// withAPIs returns the server with the parts of its APIs that the names choose as if they were its
// own, and which of them are on. No names at all are all of them.
func (s Server) withAPIs(names []string) (Server, map[string]bool, error) {
	on, err := s.enabledAPIs(names)
	if err != nil {
		return s, nil, err
	}
	own := s.AddToScheme
	joined := s
	joined.Resources = slices.Clone(s.Resources)
	documents := map[schema.GroupVersion][]string{}
	for gv, text := range s.OpenAPI {
		documents[gv] = append(documents[gv], text)
	}
	for _, a := range s.APIs {
		served := map[schema.GroupVersion]bool{}
		for _, r := range a.Resources {
			if on[r.GroupResource().Resource] {
				joined.Resources = append(joined.Resources, r)
				for _, gv := range r.Versions() {
					served[gv] = true
				}
			}
		}
		virtual := slices.ContainsFunc(a.Virtual, func(name string) bool { return on[name] })
		for gv, text := range a.OpenAPI {
			if served[gv] || virtual {
				documents[gv] = append(documents[gv], text)
			}
		}
	}
	joined.AddToScheme = func(b *runtime.Builder) {
		if own != nil {
			own(b)
		}
		for _, a := range s.APIs {
			if a.AddToScheme != nil {
				a.AddToScheme(b)
			}
		}
	}
	joined.OpenAPI = map[schema.GroupVersion]string{}
	for gv, texts := range documents {
		if joined.OpenAPI[gv], err = joinSchemas(texts); err != nil {
			return s, nil, fmt.Errorf("OpenAPI schemas of %s: %w", gv, err)
		}
	}
	return joined, on, nil
}

// enabledAPIs says which names are on, or what is wrong with them.
func (s Server) enabledAPIs(names []string) (map[string]bool, error) {
	var known []string
	for _, a := range s.APIs {
		known = append(known, a.names()...)
	}
	on := map[string]bool{}
	if len(names) == 0 {
		names = []string{allAPIs}
	}
	for _, name := range names {
		switch {
		case name == allAPIs:
			for _, k := range known {
				on[k] = true
			}
		case name == noAPIs && len(names) == 1:
		case slices.Contains(known, name):
			on[name] = true
		default:
			return nil, unknownAPI(name, known)
		}
	}
	return on, nil
}

func unknownAPI(name string, known []string) error {
	known = append(slices.Clone(known), allAPIs, noAPIs)
	if near := suggest.Nearest(name, known); near != "" && name != noAPIs {
		return fmt.Errorf("--enable-api: there is no %q; did you mean %s?", name, near)
	}
	if name == noAPIs {
		return fmt.Errorf("--enable-api: %s is for nothing else beside it", noAPIs)
	}
	return fmt.Errorf("--enable-api: there is no %q; choose of %s", name, strings.Join(known, ", "))
}

// joinSchemas makes one JSON object of several.
func joinSchemas(texts []string) (string, error) {
	if len(texts) == 1 {
		return texts[0], nil
	}
	all := map[string]json.RawMessage{}
	for _, text := range texts {
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			return "", err
		}
	}
	joined, err := json.Marshal(all)
	return string(joined), err
}

// allKinds are the kinds of the server with all of its APIs: tools read whatever it may have
// stored.
func (s Server) allKinds(o *StoreOptions) (*kinds, error) {
	all, _, err := s.withAPIs(nil)
	if err != nil {
		return nil, err
	}
	return all.kinds(o)
}

// extend lets the APIs do what no declaration can say.
func (i *Instance) extend(ctx context.Context) error {
	h := &Host{
		Scheme: i.known.scheme, Resources: i.resources, Options: i.options, Log: i.log,
		Shared: i.db.backend.Shared, enabled: i.enabled,
		Metrics: i.metrics, Objects: i.objects, kept: i.kept,
		RootCA: i.access.rootCA, Authorizer: &i.decider, Tokens: i.identity.tokens, Audiences: i.options.Authentication.audiences(), Signer: i.identity.signer,
	}
	for _, a := range i.program.APIs {
		if a.Extend != nil && h.wants(a) {
			if err := a.Extend(ctx, h); err != nil {
				return err
			}
		}
	}
	for n := i.stored; n < len(h.Resources); n++ {
		h.Resources[n] = registry.Admitted(h.Resources[n], i.admission)
	}
	if err := i.openAdmission(ctx, h); err != nil {
		return err
	}
	h.elections()
	i.resources, i.loops, i.roles, i.readyz = h.Resources, h.loops, h.RBAC, h.Readyz
	return nil
}

// wants says whether the operator wants anything of an API. One that has no resources can't be left
// out.
func (h *Host) wants(a API) bool {
	names := a.names()
	return len(names) == 0 || slices.ContainsFunc(names, h.Enabled)
}

// startLoops runs loops beside each other until ctx ends; wait returns when all are over.
func startLoops(ctx context.Context, loops []func(context.Context)) (wait func()) {
	var all sync.WaitGroup
	for _, loop := range loops {
		all.Go(func() { loop(ctx) })
	}
	return all.Wait
}
