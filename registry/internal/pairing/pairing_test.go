package pairing

import (
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type (
	garden struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Spec              spec `json:"spec"`
	}
	spec struct {
		common  `json:",inline"`
		Width   int32             `json:"width"`
		Soil    string            `json:"soil"`
		Color   string            `json:"color"` // has another name in JSON in the older version
		Hedge   string            `json:"hedge"` // and this one in Go
		Fence   string            `json:"fence"` // and this one in both
		Beds    []bed             `json:"beds"`
		ByName  map[string]bed    `json:"byName"`
		Plain   []plain           `json:"plain"`
		Options map[string]string `json:"options"`
		Paths   *[]string         `json:"paths"` // is a string in the older version
		Tree    *tree             `json:"tree"`
	}
	common struct {
		Note string `json:"note"`
	}
	bed struct {
		Width int32  `json:"width"`
		Soil  string `json:"soil"`
	}
	plain struct {
		Width *int32 `json:"width"`
	}
	tree struct {
		Name     string `json:"name"`
		Branches []tree `json:"branches"`
	}

	oldGarden struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Spec              *oldSpec `json:"spec"`
	}
	oldSpec struct {
		Note    string             `json:"note"`
		Width   *int64             `json:"width"`
		Color   string             `json:"colour"`
		Border  string             `json:"hedge"`
		Wall    string             `json:"wall"`
		Beds    []oldBed           `json:"beds"`
		ByName  map[string]*oldBed `json:"byName"`
		Plain   []oldBed           `json:"plain"`
		Options map[string]string  `json:"options"`
		Paths   string             `json:"paths"`
		Tree    *oldTree           `json:"tree"`
	}
	oldBed struct {
		Width int32 `json:"width"`
	}
	oldTree struct {
		Name     string    `json:"name"`
		Branches []oldTree `json:"branches"`
	}
)

func TestPairs(t *testing.T) {
	f := Of(reflect.TypeFor[*garden](), reflect.TypeFor[*oldGarden]())
	for path, want := range map[string]answer{
		"":                                     {true, false},
		"<nil>":                                {true, false},
		"metadata.name":                        {true, true},
		"metadata.labels[a.b/c]":               {true, true},
		"spec":                                 {true, false},
		"spec.note":                            {true, true},
		"spec.width":                           {true, true},
		"spec.soil":                            {false, false},
		"spec.color":                           {true, true},
		"spec.hedge":                           {true, true},
		"spec.fence":                           {false, false},
		"spec.beds":                            {true, false},
		"spec.beds[3]":                         {true, false},
		"spec.beds[3].width":                   {true, true},
		"spec.beds[3].soil":                    {false, false},
		"spec.byName[a.b].width":               {true, true},
		"spec.byName[a.b].soil":                {false, false},
		"spec.plain":                           {true, true},
		"spec.options[x].y":                    {true, true}, // a key with a bracket in it
		"spec.options[k]":                      {true, true},
		"spec.paths":                           {true, false},
		"spec.paths[0]":                        {false, false},
		"spec.tree":                            {true, true},
		"spec.tree.branches[0].branches[1]":    {true, true},
		"spec.nowhere":                         {true, true},
		"spec.beds[":                           {true, false},
		"spec.beds[0].width.deeper.than.there": {true, true},
	} {
		if got := (answer{f.Shared(path), f.Whole(path)}); got != want {
			t.Errorf("%q: shared, whole is %v, want %v", path, got, want)
		}
	}
}
