package clients

import "testing"

func TestTooOld(t *testing.T) {
	for mod, want := range map[string]string{
		"":                                 "",
		"require k8s.io/client-go v0.37.2": "",
		"require k8s.io/client-go v0.37.0": "",
		"require k8s.io/client-go v0.36.9": "v0.36.9",
		"require k8s.io/client-go v0.40.0": "",
		"require k8s.io/client-go v0.30.0\nreplace k8s.io/client-go => ../mine":      "",
		"require (\n\tk8s.io/api v0.30.0\n\tk8s.io/client-go v0.30.0 // indirect\n)": "v0.30.0",
	} {
		if got := tooOld([]byte("module example.com\n\n" + mod + "\n")); got != want {
			t.Errorf("%s: %q, want %q", mod, got, want)
		}
	}
}
