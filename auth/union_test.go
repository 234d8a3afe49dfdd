package auth_test

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/certtest"
)

// as authenticates everybody as a user, or fails.
type as struct {
	user *auth.User
	err  error
}

func (a as) Authenticate(*http.Request) (*auth.User, error) { return a.user, a.err }

func TestUnion(t *testing.T) {
	jane, wrong := as{user: &auth.User{Name: "jane", Groups: []string{"dev"}}}, as{err: errors.New("wrong")}
	janeIn := &auth.User{Name: "jane", Groups: []string{"dev", auth.GroupAuthenticated}}
	nobody := &auth.User{Name: auth.UserAnonymous, Groups: []string{auth.GroupUnauthenticated}}
	for name, tc := range map[string]struct {
		list    auth.Authenticator
		want    *auth.User
		problem string
	}{
		"the first that knows":             {auth.Union{as{}, jane, as{user: &auth.User{Name: "joe"}}}, janeIn, ""},
		"an error keeps nobody out":        {auth.Union{wrong, jane}, janeIn, ""},
		"nobody knows":                     {auth.Union{as{}, as{}}, nil, ""},
		"all errors":                       {auth.Union{wrong, as{err: errors.New("bad")}}, nil, "wrong\nbad"},
		"anonymous":                        {auth.OrAnonymous{Authenticator: auth.Union{as{}}}, nobody, ""},
		"a wrong credential is not nobody": {auth.OrAnonymous{Authenticator: auth.Union{wrong}}, nil, "wrong"},
		"anonymous by impersonation":       {auth.Union{as{user: nobody}}, nobody, ""},
	} {
		user, err := tc.list.Authenticate(new(http.Request))
		if diff := cmp.Diff(tc.want, user); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		if (err == nil) != (tc.problem == "") || err != nil && err.Error() != tc.problem {
			t.Errorf("%s: %v", name, err)
		}
	}
	if jane.user.In(auth.GroupAuthenticated) {
		t.Error("the user of another authenticator was modified")
	}
}

func TestBearer(t *testing.T) {
	file, err := auth.ReadTokenFile(strings.NewReader("# of the tests\nt-1,jane,u-1,\"dev, ops\"\nt-2, joe,\n"), []string{"api"})
	if err != nil {
		t.Fatal(err)
	}
	bearer := auth.Bearer{Tokens: auth.Tokens{file}, Audiences: []string{"api"}}
	for header, want := range map[string]string{
		"Bearer t-1": "jane/u-1/dev,ops,system:authenticated", "bearer  t-2 ": "joe//system:authenticated",
		"Bearer t-3": "error", "Bearer t-1 t-2": "error", "": "", "Basic t-1": "", "Bearer": "", "t-1": "",
	} {
		user, err := bearer.Authenticate(&http.Request{Header: http.Header{"Authorization": {header}}})
		got := ""
		switch {
		case err != nil:
			got = "error"
		case user != nil:
			got = user.Name + "/" + user.UID + "/" + strings.Join(user.Groups, ",")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
	if found, err := file.AuthenticateToken(context.Background(), "t-1", []string{"other"}); found != nil || err != nil {
		t.Errorf("for another audience: %v, %v", found, err)
	}
	for text, want := range map[string]string{"a,b": "2 fields", ",b,c": "must be there", "a,b,c\na,d,e": "line 2: its token is there", "a,b,c,d,e": "5 fields", "\"": "token file"} {
		if _, err := auth.ReadTokenFile(strings.NewReader(text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestFrontProxy(t *testing.T) {
	ca, stranger := certtest.New(t), certtest.New(t)
	proxy, err := auth.NewFrontProxy(auth.FrontProxyConfig{
		CA: ca.PEM, AllowedNames: []string{"aggregator"},
		UsernameHeaders: []string{"X-Remote-User", "X-User"}, UIDHeaders: []string{"X-Remote-Uid"}, GroupHeaders: []string{"X-Remote-Group"}, ExtraPrefixes: []string{"x-remote-extra-"},
	})
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{"X-Remote-User": {"jane"}, "X-Remote-Uid": {"7"}, "X-Remote-Group": {"dev", "", "ops"}, "X-Remote-Extra-Acme.com%2fproject": {"p"}, "Accept": {"x"}}
	jane := &auth.User{Name: "jane", UID: "7", Groups: []string{"dev", "ops"}, Extra: map[string][]string{"acme.com/project": {"p"}}, Deliberate: true}
	for name, tc := range map[string]struct {
		cert   *x509.Certificate
		header http.Header
		want   *auth.User
		wrong  bool
	}{
		"the proxy":       {cert: ca.Client(t, "aggregator").Leaf, header: header, want: jane},
		"a second header": {cert: ca.Client(t, "aggregator").Leaf, header: http.Header{"X-User": {"joe"}}, want: &auth.User{Name: "joe", Deliberate: true}},
		"no proxy":        {cert: ca.Client(t, "other").Leaf, header: header, wrong: true},
		"of another CA":   {cert: stranger.Client(t, "aggregator").Leaf, header: header, wrong: true},
		"no headers":      {cert: ca.Client(t, "aggregator").Leaf, header: http.Header{"X-Remote-Group": {"system:masters"}}},
		"no certificate":  {header: header},
	} {
		req := over()
		if tc.cert != nil {
			req = over(tc.cert)
		}
		req.Header = tc.header.Clone()
		user, err := proxy.Authenticate(req)
		if diff := cmp.Diff(tc.want, user); diff != "" || (err != nil) != tc.wrong {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
		req.Header.Del("Accept")
		if len(req.Header) > 0 {
			t.Errorf("%s: left over: %v", name, req.Header)
		}
	}
}
