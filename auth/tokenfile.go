package auth

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// TokenFile knows the tokens of a list: each line is
//
//	token,user,uid[,"group,group…"]
//
// as in kube-apiserver's --token-auth-file.
type TokenFile struct {
	users     map[[sha256.Size]byte]*User
	audiences []string
}

var _ TokenAuthenticator = (*TokenFile)(nil)

// ReadTokenFile reads the list. audiences are those that its tokens are meant for: the server's
// own.
func ReadTokenFile(r io.Reader, audiences []string) (*TokenFile, error) {
	f := &TokenFile{users: map[[sha256.Size]byte]*User{}, audiences: slices.Clone(audiences)}
	lines := csv.NewReader(r)
	lines.FieldsPerRecord, lines.Comment, lines.TrimLeadingSpace = -1, '#', true
	for {
		record, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err != nil {
			return nil, fmt.Errorf("auth: token file: %w", err)
		}
		if err := f.add(record); err != nil {
			line, _ := lines.FieldPos(0)
			return nil, fmt.Errorf("auth: token file, line %d: %w", line, err)
		}
	}
}

func (f *TokenFile) add(record []string) error {
	if len(record) < 3 || len(record) > 4 {
		return fmt.Errorf(`want token,user,uid[,"group,group…"], got %d fields`, len(record))
	}
	token, user := record[0], &User{Name: record[1], UID: record[2]}
	if token == "" || user.Name == "" {
		return errors.New("a token and a user must be there")
	}
	if len(record) == 4 {
		for group := range strings.SplitSeq(record[3], ",") {
			if group = strings.TrimSpace(group); group != "" {
				user.Groups = append(user.Groups, group)
			}
		}
	}
	sum := sha256.Sum256([]byte(token))
	if f.users[sum] != nil {
		return errors.New("its token is there already, in an earlier line")
	}
	f.users[sum] = user
	return nil
}

// AuthenticateToken looks the token up by its hash, so that how long it takes says nothing about
// the tokens that exist.
func (f *TokenFile) AuthenticateToken(_ context.Context, token string, audiences []string) (*Token, error) {
	user := f.users[sha256.Sum256([]byte(token))]
	good := intersect(audiences, f.audiences)
	if user == nil || len(good) == 0 {
		return nil, nil
	}
	return &Token{User: user, Audiences: good}, nil
}
