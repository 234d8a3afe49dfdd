package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/storage/etcd3"
)

func inspectCommand(s program.Server) command {
	i := &inspection{store: &program.NewOptions(s.Name).Store}
	return command{
		name: "inspect", args: "KEY|PREFIX", about: "shows what etcd holds, as it is stored",
		more: "KEY is the key of an object, with or without --etcd-prefix: /registry/pods/default/web or pods/default/web.\n\n" +
			"A PREFIX ends in a slash, and lists what is below it; a key without an object is taken for one, and / is all.\n\n" +
			"The object is shown in the version in which it is stored, without what a server would add when it reads it.\n\n" +
			"With --decode the KEY may be left out, but not if the value is encrypted: it is bound to its key.",
		choices: map[string][]string{"output": {"yaml", "json", "raw", "table"}},
		flags: func(fs *pflag.FlagSet) {
			fs.StringVarP(&i.output, "output", "o", "", "`form`: yaml (for a KEY), json, raw (the stored bytes of a KEY), table (for a PREFIX)")
			fs.StringVar(&i.decode, "decode", "", "show the stored value that is in this `file`, or in the standard input if it is -, and ask no etcd")
			program.AddPlaceFlags(i.store, fs)
			program.AddFormFlags(i.store, fs)
		},
		run: func(ctx context.Context, args []string, c Console) (err error) {
			i.Console = c
			if err := i.validate(args); err != nil {
				return err
			}
			if i.kinds, err = database.AllKinds(s, i.store); err != nil {
				return err
			}
			lock, err := i.kinds.Unlock(i.store, toolLog(c))
			if err != nil {
				return err
			}
			defer lock()
			if i.decode != "" {
				return i.showFile(args)
			}
			if err := needsEtcd(s, "inspect"); err != nil {
				return err
			}
			dbs, err := database.AttachAll(ctx, s, i.kinds, i.store, c.say, toolLog(c))
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, dbs.Close()) }()
			return i.show(ctx, i.database(dbs, args[0]).Client, args[0])
		},
	}
}

func (i *inspection) validate(args []string) error {
	switch i.output {
	case "", "yaml", "json", "raw", "table":
	default:
		return fmt.Errorf("--output=%s: want yaml, json, raw or table", i.output)
	}
	if i.decode != "" {
		if len(args) > 1 || len(args) == 1 && strings.HasSuffix(args[0], "/") {
			return fmt.Errorf("%q: with --decode there is one value, and its key at most", args)
		}
		return program.ValidateForm(i.store)
	}
	if _, err := oneArgument(args, "a key or a prefix"); err != nil {
		return err
	}
	return errors.Join(program.ValidatePlace(i.store), program.ValidateForm(i.store))
}

// database is the one that has a key. It says what else lies elsewhere below a prefix.
func (i *inspection) database(dbs *database.Databases, arg string) *database.Database {
	key := strings.TrimPrefix(strings.TrimSuffix(i.wholeKey(arg), "/")+"/", i.store.EtcdPrefix)
	for _, r := range i.kinds.Resources {
		db := dbs.Of(r.GroupResource())
		switch {
		case db == dbs.Main:
		case strings.HasPrefix(key, r.KeyPrefix()):
			return db
		case strings.HasPrefix(r.KeyPrefix(), key):
			i.say(fmt.Sprintf("%s are in another etcd: inspect %s%s shows them", r.GroupResource(), i.store.EtcdPrefix, r.KeyPrefix()))
		}
	}
	return dbs.Main
}

// show shows the key, or what is below it.
func (i *inspection) show(ctx context.Context, client *etcd3.Client, arg string) error {
	key := i.wholeKey(arg)
	if !strings.HasSuffix(key, "/") {
		kv, ok, err := etcd3.GetRaw(ctx, client, key)
		if err != nil {
			return err
		}
		if ok {
			return i.showOne(describe(i.kinds, i.store.EtcdPrefix, kv))
		}
	}
	return i.showBelow(ctx, client, strings.TrimSuffix(key, "/")+"/")
}

// wholeKey puts the root before a key that does not begin with it.
func (i *inspection) wholeKey(arg string) string {
	key := "/" + strings.TrimPrefix(arg, "/")
	if root := i.store.EtcdPrefix; key != root && !strings.HasPrefix(key, root+"/") {
		key = root + key
	}
	return key
}

func (i *inspection) showBelow(ctx context.Context, client *etcd3.Client, prefix string) error {
	list, err := i.newLister()
	if err != nil {
		return err
	}
	found := 0
	err = etcd3.EachRaw(ctx, client, prefix, func(kv etcd3.Raw) error {
		found++
		return list.add(describe(i.kinds, i.store.EtcdPrefix, kv))
	})
	if err == nil && found == 0 {
		return fmt.Errorf("etcd holds nothing at %s, nor below it", strings.TrimSuffix(prefix, "/"))
	}
	return errors.Join(err, list.end())
}

// showFile shows a stored value that came from somewhere else. Tools such as etcdctl put a newline
// behind a value; no value of ours ends in one that matters.
func (i *inspection) showFile(args []string) error {
	key := ""
	if len(args) > 0 {
		key = i.wholeKey(args[0])
	}
	read := func() ([]byte, error) { return os.ReadFile(i.decode) }
	if i.decode == "-" {
		read = func() ([]byte, error) { return io.ReadAll(i.In) }
	}
	value, err := read()
	if err != nil {
		return err
	}
	if len(value) == 0 {
		return errors.New("--decode=" + i.decode + ": there is nothing in it")
	}
	d := describe(i.kinds, i.store.EtcdPrefix, etcd3.Raw{Key: key, Value: value})
	if n := len(value) - 1; d.Problem != "" && n > 0 && value[n] == '\n' {
		if without := describe(i.kinds, i.store.EtcdPrefix, etcd3.Raw{Key: key, Value: value[:n]}); without.Problem == "" {
			d = without
		}
	}
	return i.showOne(d)
}
