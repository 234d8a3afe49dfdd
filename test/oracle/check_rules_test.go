package main

import (
	"slices"
	"strings"
	"testing"
)

// ruled is story in a namespace with a quota of two books, and with webhooks. Afterwards the books
// are deleted with the namespace.
//
//	revision   1               2        3  4        5        6  7            8          9
//	n          made                                             terminating             gone
//	its quota  no book         1 book      2 books  1 book                   no book
func ruled() *History {
	h := story()
	h.Hooked = true
	for i := range h.Truth.Versions {
		ver := &h.Truth.Versions[i]
		ver.Stamp = stampOf(ver.Content)
	}
	h.Truth.Versions = append(h.Truth.Versions, Version{Key: "n/b", Revision: 8, Deleted: true})
	h.Truth.Last = 9
	h.Truth.Namespaces = []Namespace{{Name: "n", Revision: 1}, {Name: "n", Revision: 7, Terminating: true}, {Name: "n", Revision: 9, Gone: true}}
	for _, at := range []struct{ revision, used int64 }{{1, 0}, {2, 1}, {4, 2}, {5, 1}, {8, 0}} {
		h.Truth.Quotas = append(h.Truth.Quotas, Quota{Namespace: "n", Revision: at.revision, Hard: 2, Used: at.used})
	}
	for i := range h.Watches {
		h.Watches[i].Open = false // they end before the namespace does
	}
	h.Ops = append(h.Ops,
		refusal(Create, 70, "n/a", Content{Token: "t7"}, 403, "Forbidden: unable to create new content in namespace n because it is being terminated"),
		refusal(Create, 48, "n/c", Content{Token: "t8"}, 403, "Forbidden: exceeded quota: books"),
		refusal(Apply, 120, "n/c", Content{}, 404, `NotFound: namespaces "n" not found`),
		refusal(Patch, 70, "n/b", Content{Token: "t9", Title: neverTitle}, 403, "Forbidden: green books don't climb"))
	return h
}

func refusal(verb Verb, at int, key string, sent Content, status int, message string) Op {
	return Op{Verb: verb, Start: 10 * ms, End: 200 * ms, Client: at, Outcome: Failed, Status: status, Message: message, Key: key, Sent: sent, Remaining: -1}
}

// Indices of the refusals of ruled, from the end.
const (
	overQuota   = 3
	noNamespace = 2
	byWebhook   = 1
)

func TestRules(t *testing.T) {
	for _, v := range Check(ruled()) {
		t.Errorf("of a correct history: %s", v)
	}
	last := func(h *History, n int) *Op { return &h.Ops[len(h.Ops)-n] }
	for _, c := range []struct {
		name, property, text string
		breaks               func(*History)
	}{
		{"more than the quota allows", "C16", "makes 2 books of namespace n, whose quota allows 1", func(h *History) {
			for i := range h.Truth.Quotas {
				h.Truth.Quotas[i].Hard = 1
			}
		}},
		{"not charged", "C16", "says 1 at revision 4, and there are 2", func(h *History) { h.Truth.Quotas = slices.Delete(h.Truth.Quotas, 2, 3) }},
		{"charged without a book", "C16", "says 2 at revision 3, and there are 1", func(h *History) {
			h.Truth.Quotas = slices.Insert(h.Truth.Quotas, 2, Quota{Namespace: "n", Revision: 3, Hard: 2, Used: 2})
		}},
		{"created in a namespace that goes", "C17", "n/b@4 (t3) was created in a namespace", func(h *History) { h.Truth.Namespaces[1].Revision = 3 }},
		{"created in no namespace", "C17", "n/a@2 (t1) was created in a namespace", func(h *History) { h.Truth.Namespaces[0].Revision = 2 }},
		{"left by its namespace", "C17", "went at revision 7, and left [n/b@6 (t4)]", func(h *History) { h.Truth.Namespaces[2].Revision = 7 }},
		{"emptied without a reason", "C2", "more deletions happened", func(h *History) { h.Truth.Namespaces[1].Revision = 8 }},
		{"stored as no webhook saw it", "C18", "n/b@4 (t3) was not shown", func(h *History) { h.Truth.Versions[2].Stamp = "" }},
		{"refused and stored", "C18", "is what a webhook refuses", func(h *History) {
			ver := &h.Truth.Versions[2]
			ver.Title = neverTitle
			ver.Stamp = stampOf(ver.Content)
		}},
		{"climbed all the same", "C18", "is what a webhook refuses", func(h *History) {
			before, after := &h.Truth.Versions[2], &h.Truth.Versions[4]
			before.Shelf, after.Shelf, after.Group = "low", "high", "green"
			before.Stamp, after.Stamp = stampOf(before.Content), stampOf(after.Content)
		}},
		{"quota was not full", "C12", "exceeded quota", func(h *History) { last(h, overQuota).End = 25 * ms }},
		{"namespace was there", "C12", "namespaces \"n\" not found", func(h *History) { h.Truth.Namespaces = h.Truth.Namespaces[:2]; last(h, noNamespace).Start = 40 * ms }},
		{"the administrator is not known", "C12", "the administrator was refused", func(h *History) { h.Ops[getB].Outcome, h.Ops[getB].Status = Failed, 401 }},
		{"the administrator may not", "C12", "the administrator was refused", func(h *History) { last(h, overQuota).Message = "Forbidden: no" }},
		{"webhook refuses no such thing", "C12", "don't climb", func(h *History) { last(h, byWebhook).Sent.Title = "fine" }},
	} {
		h := ruled()
		c.breaks(h)
		if found := Check(h); !slices.ContainsFunc(found, func(v Violation) bool { return v.Property == c.property && strings.Contains(v.Text, c.text) }) {
			t.Errorf("%s: no %s with %q in %v", c.name, c.property, c.text, found)
		}
	}
}

// TestSealed: what the servers would not have encrypted is none of theirs.
func TestSealed(t *testing.T) {
	s, err := newSealed(t.TempDir() + "/encryption.yaml")
	if err != nil {
		t.Fatal(err)
	}
	nonce := make([]byte, s.aead.NonceSize())
	value := s.aead.Seal(append([]byte(sealPrefix), nonce...), nonce, []byte("a book"), []byte("/key"))
	if got, err := s.open("/key", value); err != nil || string(got) != "a book" {
		t.Errorf("got %q %v", got, err)
	}
	for key, value := range map[string][]byte{"/other": value, "/key": []byte("a book")} {
		if got, err := s.open(key, value); err == nil {
			t.Errorf("%s: got %q", key, got)
		}
	}
}
