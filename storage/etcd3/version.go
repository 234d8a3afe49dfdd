package etcd3

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// floors are the first versions of each minor that are good enough; a later minor always is.
var floors = []struct {
	version [3]int
	text    string
}{
	{[3]int{3, 5, 28}, "3.5.28"},
	{[3]int{3, 6, 9}, "3.6.9"},
}

// othersWithin is how long the other endpoints may take to answer after the first did: one that is
// down must not hold up the start.
const othersWithin = time.Second

// checkVersions asks every endpoint for its version. One that does not answer may be down; all of
// them may not.
func checkVersions(ctx context.Context, client *Client, d diagnosis) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		endpoint, version string
		cluster           uint64
		err               error
	}
	answers := make(chan answer, len(d.Endpoints))
	for _, e := range d.Endpoints {
		go func() {
			version, cluster, err := d.version(ctx, client, e)
			answers <- answer{e, version, cluster, err}
		}()
	}
	var silent []error
	var enough <-chan time.Time // runs when one has answered
	for range d.Endpoints {
		select {
		case a := <-answers:
			if a.err != nil {
				silent = append(silent, fmt.Errorf("etcd3: connect to %s: %w", a.endpoint, a.err))
				continue
			}
			if a.cluster == 0 {
				return fmt.Errorf("etcd3: %s: %w", a.endpoint, errNoEtcd)
			}
			if err := checkVersion(a.version); err != nil {
				return fmt.Errorf("etcd3: %s: %w", a.endpoint, err)
			}
			enough = time.After(othersWithin)
		case <-enough:
			return nil
		}
	}
	if len(silent) == len(d.Endpoints) {
		return &unreachedError{errors.Join(silent...)}
	}
	return nil
}

// unreachedError is that of Dial when no endpoint answers.
type unreachedError struct{ err error }

func (e *unreachedError) Error() string { return e.err.Error() }
func (e *unreachedError) Unwrap() error { return e.err }

// Unreached reports whether Dial returned err because no endpoint answered, and no setting is known
// to be the cause. An endpoint may answer later.
func Unreached(err error) bool {
	var unreached *unreachedError
	var setting *settingError
	return errors.As(err, &unreached) && !errors.As(err, &setting)
}

// Version is that of the etcd behind a client, or of one of its members.
func Version(ctx context.Context, client *Client) (string, error) {
	var errs []error
	for _, endpoint := range client.Endpoints() {
		short, cancel := context.WithTimeout(ctx, othersWithin)
		status, err := client.Status(short, endpoint)
		cancel()
		if err == nil {
			return status.Version, nil
		}
		errs = append(errs, err)
	}
	return "", errors.Join(errs...)
}

// checkVersion returns an error with the reason if an etcd of that version must not be used.
func checkVersion(version string) error {
	number, pre, _ := strings.Cut(version, "-")
	number, _, _ = strings.Cut(number, "+")
	var v [3]int
	parts := strings.Split(number, ".")
	if len(parts) != 3 {
		return fmt.Errorf("can't read the version %q", version)
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 {
			return fmt.Errorf("can't read the version %q", version)
		}
		v[i] = n
	}
	if v[0] < 3 || v[0] == 3 && v[1] < 5 {
		return fmt.Errorf("etcd %s is no longer maintained: upgrade to 3.5.28, 3.6.9 or later", version)
	}
	for _, f := range floors {
		old := v[2] < f.version[2] || v[2] == f.version[2] && pre != ""
		if v[0] == f.version[0] && v[1] == f.version[1] && old {
			return fmt.Errorf("etcd %s may answer a linearizable read with an old state after a pause of the process "+
				"(etcd-io/etcd issue 20418): upgrade to %s or later", version, f.text)
		}
	}
	return nil
}

// errNoEtcd is why something is refused that answers like an etcd. Every answer of one says of
// which cluster it is.
var errNoEtcd = errors.New("it answers like an etcd, and is none, for it names no cluster (kine does so): its watches may miss changes while several clients write, " +
	"it takes one key in a transaction, and each update of an object starts its remaining time anew; name an etcd, or leave the servers out for the etcd inside this process")
