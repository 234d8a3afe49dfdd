package apimachinery

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/typeplane/typeplane/runtime/json"
)

// A quantity that takes too long to be read is not read of a stranger's data. What is stored may be
// the sum of several.
func TestQuantitiesOfStrangers(t *testing.T) {
	for text, want := range map[string]bool{
		`"1e3"`: true, `1e3`: true, `"1e999"`: true, `null`: true, `"10Mi"`: true,
		`"1e1000"`: false, `1e-99999`: false, `" 1e-99999 "`: false, `"x"`: false,
	} {
		var q resource.Quantity
		r := json.NewReader([]byte(text)).Limit(1 << 20)
		ReadJSON_Quantity(r, &q)
		if err := r.Err(); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	var q resource.Quantity
	r := json.NewReader([]byte(`"1e1002"`))
	ReadJSON_Quantity(r, &q)
	if err := r.Err(); err != nil {
		t.Errorf("what is stored: %v", err)
	}
}
