package database

import (
	"context"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/migration"
)

// StoragePath is where a server tells how its objects are stored.
const StoragePath = "/debug/storage"

// storageReport is what is there.
type storageReport struct {
	// Stale and Unreadable are sums over the resources: nothing is left to migrate when both are 0.
	Stale      int64 `json:"stale"`
	Unreadable int64 `json:"unreadable"`
	// Migration is of this server, nil if it leaves old forms as they are.
	Migration *migrationReport `json:"migration,omitempty"`
	Resources []resourceReport `json:"resources"`
}

type resourceReport struct {
	Resource       string `json:"resource"`
	StorageVersion string `json:"storageVersion"`
	// Written is the version in which objects are written, where that is not the storage version,
	// because servers run that can't read it.
	Written    string   `json:"written,omitempty"`
	MediaType  string   `json:"mediaType"`
	Objects    int64    `json:"objects"`
	Stale      int64    `json:"stale"`
	Unreadable int64    `json:"unreadable"`
	Problems   []string `json:"problems,omitempty"`
}

// Surveyor reports on the stores of a running server: its caches know of each object if it is
// stale.
type Surveyor struct {
	*Kinds
	Stores []storage.Interface // of the resource with the same index
	// Migrator rewrites what is stale; nil: nobody does.
	Migrator *Migrator
}

func (s *Surveyor) Report(ctx context.Context) (any, error) {
	report := storageReport{Resources: []resourceReport{}}
	if s.Migrator != nil {
		migration := s.Migrator.report()
		report.Migration = &migration
	}
	for i, r := range s.Resources {
		count, err := migration.Survey(ctx, s.Stores[i], r.KeyPrefix())
		if err != nil {
			return nil, err
		}
		line := resourceReport{
			Resource:       r.GroupResource().String(),
			StorageVersion: r.StorageVersion(s.Options[i]).String(),
			MediaType:      string(s.Options[i].StorageMediaType),
			Objects:        count.Entries,
			Stale:          count.Stale,
			Unreadable:     count.Unreadable,
		}
		if held := s.Options[i].Written.Version(); !held.Empty() {
			line.Written = held.String()
		}
		for _, err := range count.Examples {
			line.Problems = append(line.Problems, err.Error())
		}
		report.Stale += count.Stale
		report.Unreadable += count.Unreadable
		report.Resources = append(report.Resources, line)
	}
	return report, nil
}
