package server

import "testing"

func TestMaskCredentials(t *testing.T) {
	for query, want := range map[string]string{
		"":                                     "",
		"limit=5&continue=abc&watch":           "limit=5&continue=abc&watch",
		"labelSelector=access_token%3Dx":       "labelSelector=access_token%3Dx",
		"fieldSelector=a=access_token&x=token": "fieldSelector=a=access_token&x=token",
		"access_token=eyJ.a.b":                 "access_token=***",
		"limit=5&access_token=eyJ.a.b&watch=1": "limit=5&access_token=***&watch=1",
		"access_token=a&access_token=b":        "access_token=***&access_token=***",
		"access_token=":                        "access_token=***",
		"access_token":                         "access_token",
		"access_token=a=b%26c":                 "access_token=***",
		"a;access_token=x;b=1":                 "a;access_token=***;b=1",
		"&&access_token=x&&":                   "&&access_token=***&&",
		"access%5Ftoken=x":                     "access%5Ftoken=***",
		"%61ccess_%74oken=x&a=%zz":             "%61ccess_%74oken=***&a=%zz",
		"access_token%zz=x":                    "access_token%zz=***",
		"Access-Token=x&accessToken=y":         "Access-Token=***&accessToken=***",
		"id_token=x&refresh_token=y&token=z":   "id_token=***&refresh_token=***&token=***",
		"password=x&client_secret=y&api-key=z": "password=***&client_secret=***&api-key=***",
		"Authorization=Bearer+x":               "Authorization=***",
		"tokens=5&secretName=a":                "tokens=5&secretName=a",
	} {
		if got := maskCredentials(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// BenchmarkMaskCredentials is what a query without credentials costs.
func BenchmarkMaskCredentials(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		maskCredentials("allowWatchBookmarks=true&resourceVersion=12345&timeoutSeconds=400&watch=true")
	}
}
