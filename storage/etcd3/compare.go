package etcd3

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/storage"
)

const (
	// hashWithin is how long a member may take for its hash: it reads its whole database for that.
	hashWithin = 30 * time.Second
	// aliveWithin is how long it may take to say anything at all: one that is frozen must not hold
	// up the start.
	aliveWithin = 2 * time.Second
	// hashTries is how often members are asked whose answers differ, or between which a compaction
	// came. It takes several, since an etcd 3.5 may give the hash of its last compaction and a
	// later revision, and doesn't say so.
	hashTries = 5
	hashPause = 100 * time.Millisecond
)

// ErrDiverged says that the members of a cluster hold different data.
var ErrDiverged = errors.New("the members of etcd hold different data")

// memberHash is what one member says of all that it holds up to a revision.
type memberHash struct {
	endpoint string
	span     span
	hash     uint32
	err      error
}

// span is what a hash is of: what there is at a revision, and the history from the one up to which
// it is compacted.
type span struct{ compacted, revision int64 }

// CompareMembers asks the members of a cluster for the hash of all that each of them holds up to
// one revision. It returns an error that is ErrDiverged if two hashes differ. Members that can't be
// compared, because they are down or behind, are named in silent; the others are compared. With
// less than two endpoints it asks nobody. It costs each member a look at its whole database.
func CompareMembers(ctx context.Context, client *Client, endpoints []string) (silent, err error) {
	if len(endpoints) < 2 {
		return nil, nil
	}
	for try := 1; ; try++ {
		hashes, err := askHashes(ctx, client, endpoints)
		if err != nil {
			return err, nil
		}
		comparable, err := compareHashes(hashes)
		switch {
		case !comparable && try < hashTries && ctx.Err() == nil:
			time.Sleep(hashPause)
		case err != nil:
			return nil, err
		default:
			return silence(comparable, hashes), nil
		}
	}
}

// askHashes asks all endpoints at once, for the newest revision.
func askHashes(ctx context.Context, client *Client, endpoints []string) ([]memberHash, error) {
	short, cancel := context.WithTimeout(ctx, 2*aliveWithin)
	defer cancel()
	now, err := client.Get(short, "/", clientv3.WithCountOnly())
	if err != nil {
		return nil, readError(ctx, "compare members", "/", err)
	}
	hashes := make([]memberHash, len(endpoints))
	var all sync.WaitGroup
	for i, endpoint := range endpoints {
		all.Go(func() { hashes[i] = askHash(ctx, client, endpoint, now.Header.Revision) })
	}
	all.Wait()
	return hashes, nil
}

// askHash asks one member, until it has come to the revision.
func askHash(ctx context.Context, client *Client, endpoint string, revision int64) memberHash {
	h := memberHash{endpoint: endpoint}
	alive, cancel := context.WithTimeout(ctx, aliveWithin)
	_, h.err = client.Status(alive, endpoint)
	cancel()
	if h.err != nil {
		return h
	}
	ctx, cancel = context.WithTimeout(ctx, hashWithin)
	defer cancel()
	for {
		answer, err := client.HashKV(ctx, endpoint, revision)
		if err == nil {
			h.hash, h.span = answer.Hash, span{answer.CompactRevision, answer.HashRevision}
			return h
		}
		if codeOf(err) != storage.CodeFuture || ctx.Err() != nil {
			h.err = err
			return h
		}
		time.Sleep(hashPause)
	}
}

// compareHashes compares those of the same span. comparable is false if a compaction came between,
// which reaches one member after the other, and where hashes differ.
func compareHashes(hashes []memberHash) (comparable bool, err error) {
	bySpan := map[span]map[uint32][]string{}
	comparable = true
	for _, h := range hashes {
		if h.err != nil {
			comparable = comparable && codeOf(h.err) != storage.CodeCompacted
			continue
		}
		if bySpan[h.span] == nil {
			bySpan[h.span] = map[uint32][]string{}
		}
		bySpan[h.span][h.hash] = append(bySpan[h.span][h.hash], h.endpoint)
	}
	for at, found := range bySpan {
		if len(found) > 1 {
			return false, diverged(at.revision, found)
		}
	}
	return comparable && len(bySpan) < 2, nil
}

func diverged(revision int64, found map[uint32][]string) error {
	var said []string
	for _, hash := range slices.Sorted(maps.Keys(found)) {
		said = append(said, fmt.Sprintf("%08x (%s)", hash, strings.Join(found[hash], ", ")))
	}
	return fmt.Errorf("etcd3: %w: their hashes up to revision %d are %s; remove the member that is wrong and add it again without data, or restore a backup",
		ErrDiverged, revision, strings.Join(said, " and "))
}

// silence says who was not compared.
func silence(comparable bool, hashes []memberHash) error {
	var errs []error
	if !comparable {
		errs = append(errs, errors.New("etcd is compacted again and again"))
	}
	for _, h := range hashes {
		if h.err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", h.endpoint, h.err))
		}
	}
	return errors.Join(errs...)
}
