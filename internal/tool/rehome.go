package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/suggest"
	"github.com/typeplane/typeplane/storage/embedded"
)

// rehome moves the objects of a resource to another etcd.
func rehome(ctx context.Context, s program.Server, k *database.Kinds, o *program.StoreOptions, resource, to string, c Console) (err error) {
	if err := needsEtcd(s, "migrate --resource"); err != nil {
		return err
	}
	r, err := resourceCalled(k, resource)
	if err != nil {
		return err
	}
	servers, err := homeServers(resource, to)
	if err != nil {
		return err
	}
	if len(o.EtcdServers) == 0 {
		if _, running, err := embedded.FindSocket(ctx, o.DataDir); err != nil || running {
			return errors.Join(err, fmt.Errorf("a server runs on --data-dir=%s: stop it first, and start it with the new --etcd-servers-overrides after the move", o.DataDir))
		}
	}
	main, err := database.AttachEtcd(ctx, o, c.say, toolLog(c))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, main.Close()) }()
	bar := newProgress(c, "move", plainCount)
	defer bar.end()
	move := database.Rehoming{Main: main, Options: o, Resource: k.Resources[r], To: servers, Say: c.say, Progress: bar.set}
	return move.Run(ctx)
}

// resourceCalled is the index of the resource that --resource names.
func resourceCalled(k *database.Kinds, name string) (int, error) {
	var names []string
	for i, r := range k.Resources {
		gr := r.GroupResource()
		if names = append(names, gr.Group+"/"+gr.Resource); names[i] == name {
			return i, nil
		}
	}
	cure := "choose of " + strings.Join(names, ", ")
	if near := suggest.Nearest(name, names); near != "" {
		cure = "did you mean " + near + "?"
	}
	return 0, fmt.Errorf("--resource=%s: this program stores no such resource; %s", name, cure)
}

// homeServers are the servers that --to names, none for the main database.
func homeServers(resource, to string) ([]string, error) {
	if to == "" {
		return nil, fmt.Errorf("--to: want the URLs of the etcd that %s moves to, or %s", resource, database.MainHome)
	}
	if to == database.MainHome {
		return nil, nil
	}
	one, err := program.ParseEtcdOverrides([]string{resource + "#" + to})
	if err != nil {
		return nil, fmt.Errorf("--to=%s: want URLs with semicolons between them, like http://127.0.0.1:2379;http://127.0.0.2:2379, or %s", to, database.MainHome)
	}
	return one[0].Servers, nil
}
