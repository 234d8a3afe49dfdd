// Package encryption keeps values encrypted at rest, in the formats and with the configuration file
// of Kubernetes, so that one reads what the other wrote.
//
// It puts a storage.Form around another one: Stored encodes and then encrypts, Canonical decrypts
// and then decodes. Stores, caches and readers see no difference except Entry.Stale, which is set
// on what another provider or key than the first one wrote. Start reading at Open, then form.go;
// config.go is the file, box.go and its neighbours are the formats, and kms.go is the life with a
// KMS plug-in.
//
// This package never writes to a store. It never puts a key or a plain value into an error or a
// log, and never takes an unreadable value for a missing one.
package encryption
