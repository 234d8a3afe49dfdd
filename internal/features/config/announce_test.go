package config_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/features"
)

// TestSecretsInTheOpen: a server says so at its start where Secrets lie in etcd as they are, also
// if others are encrypted. Without a configuration it encrypts them itself.
func TestSecretsInTheOpen(t *testing.T) {
	const sealed = "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources: [{resources: [RESOURCE], " +
		"providers: [{aesgcm: {keys: [{name: a, secret: MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=}]}}]}]\n"
	for config, want := range map[string]bool{
		"": false, strings.ReplaceAll(sealed, "RESOURCE", "configmaps"): true, strings.ReplaceAll(sealed, "RESOURCE", "secrets"): false,
	} {
		o := typeplane.NewOptions("plane")
		o.Store.DataDir, o.Serving.SecurePort = t.TempDir(), 0
		if config != "" {
			o.Store.EncryptionConfig = filepath.Join(t.TempDir(), "encryption.yaml")
			if err := os.WriteFile(o.Store.EncryptionConfig, []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		o.Log = slog.New(slog.NewTextHandler(&out, nil))
		// It has said it when it is open; that it is stopped at once is no fault.
		i, err := typeplane.Open(t.Context(), typeplane.Server{Name: "plane", APIs: features.All()}, o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := i.Serve(ctx); err != nil {
			t.Error(err)
		}
		if got := strings.Contains(out.String(), "Secrets lie in etcd"); got != want {
			t.Errorf("with %q it warned: %v\n%s", config, got, &out)
		}
	}
}
