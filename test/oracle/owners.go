package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// owners say who owns which fields of a Content: a manager is a name and an operation, as in
// "hand-1 Update".
type owners map[string]map[string]bool

// The names of fields: these, that of each finalizer, and that of each applier's token.
const (
	tokenField     = "token"
	titleField     = "title"
	groupField     = "group"
	shelfField     = "shelf"
	finalizerField = "finalizer " // and its name
	appliedField   = "applied "   // and the number of the applier
)

// fields returns what c has, by the names of the fields.
func (c Content) fields() map[string]string {
	all := map[string]string{tokenField: c.Token, titleField: c.Title, groupField: c.Group, shelfField: c.Shelf}
	for i, token := range c.Applied {
		all[appliedField+strconv.Itoa(i)] = token
	}
	for name := range strings.SplitSeq(c.Finalizers, ",") {
		if name != "" {
			all[finalizerField+name] = name
		}
	}
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}

// contentOf is the opposite of fields.
func contentOf(fields map[string]string) Content {
	c := Content{Token: fields[tokenField], Title: fields[titleField], Group: fields[groupField], Shelf: fields[shelfField]}
	var finalizers []string
	for field, value := range fields {
		if strings.HasPrefix(field, finalizerField) {
			finalizers = append(finalizers, value)
		}
	}
	slices.Sort(finalizers)
	c.Finalizers = strings.Join(finalizers, ",")
	for i := range c.Applied {
		c.Applied[i] = fields[appliedField+strconv.Itoa(i)]
	}
	return c
}

// The maps and the list that fields are in. A manager owns one by having made it, also when others
// have emptied it since: then it is the manager's that is made anew by the next field.
const (
	annotationsField = "annotations"
	labelsField      = "labels"
	finalizersField  = "finalizers"
)

// around are those that a content has.
func (c Content) around() map[string]bool {
	return map[string]bool{annotationsField: len(c.tokens()) > 0, labelsField: c.Group != "", finalizersField: c.Finalizers != ""}
}

// ownersOf reads managedFields: who owns fields, and what is around them.
func ownersOf(entries []metav1.ManagedFieldsEntry) (fields, around owners, err error) {
	fields, around = owners{}, owners{}
	for _, e := range entries {
		var owned struct {
			Metadata struct {
				Annotations map[string]any `json:"f:annotations"`
				Labels      map[string]any `json:"f:labels"`
				Finalizers  map[string]any `json:"f:finalizers"`
			} `json:"f:metadata"`
			Spec map[string]any `json:"f:spec"`
		}
		if e.FieldsV1 == nil {
			return nil, nil, fmt.Errorf("%s owns nothing", e.Manager)
		}
		if err := json.Unmarshal(e.FieldsV1.GetRawBytes(), &owned); err != nil {
			return nil, nil, fmt.Errorf("what %s owns: %w", e.Manager, err)
		}
		mine, whole, manager := map[string]bool{}, map[string]bool{}, e.Manager+" "+string(e.Operation)
		if e.Operation == metav1.ManagedFieldsOperationUpdate && e.APIVersion != bookGroup+storedVersion {
			manager += " in " + strings.TrimPrefix(e.APIVersion, bookGroup)
		}
		fields[manager], around[manager] = mine, whole
		note := func(owns map[string]bool, field string, in map[string]any, name string) {
			if _, ok := in[name]; ok {
				owns[field] = true
			}
		}
		note(mine, tokenField, owned.Metadata.Annotations, "f:"+tokenAnnotation)
		for i := range appliers {
			n := strconv.Itoa(i)
			note(mine, appliedField+n, owned.Metadata.Annotations, "f:"+appliedToken+n)
		}
		note(mine, groupField, owned.Metadata.Labels, "f:"+groupLabel)
		note(mine, titleField, owned.Spec, "f:"+titleField)
		note(mine, shelfField, owned.Spec, "f:"+shelfField)
		for item := range owned.Metadata.Finalizers {
			if name, ok := strings.CutPrefix(item, `v:"`+finalizerDomain); ok {
				mine[finalizerField+strings.TrimSuffix(name, `"`)] = true
			}
		}
		for field, in := range map[string]map[string]any{
			annotationsField: owned.Metadata.Annotations, labelsField: owned.Metadata.Labels, finalizersField: owned.Metadata.Finalizers,
		} {
			if _, ok := in["."]; ok || in != nil && len(in) == 0 {
				whole[field] = true
			}
		}
	}
	return fields, around, nil
}

// String writes each manager with its fields, all in order; parseOwners reads it.
func (o owners) String() string {
	var all []string
	for _, manager := range slices.Sorted(maps.Keys(o)) {
		if len(o[manager]) > 0 {
			all = append(all, manager+": "+strings.Join(slices.Sorted(maps.Keys(o[manager])), ", "))
		}
	}
	return strings.Join(all, "; ")
}

func parseOwners(text string) owners {
	o := owners{}
	for part := range strings.SplitSeq(text, "; ") {
		if manager, fields, ok := strings.Cut(part, ": "); ok {
			o[manager] = map[string]bool{}
			for field := range strings.SplitSeq(fields, ", ") {
				o[manager][field] = true
			}
		}
	}
	return o
}

// others says whether somebody but a manager owns a field.
func (o owners) others(manager, field string) bool {
	for other, fields := range o {
		if other != manager && fields[field] {
			return true
		}
	}
	return false
}

// changed takes what differs between two contents from everybody, and what is gone also from the
// manager.
func (o owners) changed(manager string, before, after map[string]string) {
	for name, mine := range o {
		maps.DeleteFunc(mine, func(field string, _ bool) bool {
			value, there := after[field]
			was, wasThere := before[field]
			return !there && wasThere || name != manager && (there != wasThere || value != was)
		})
	}
}

// updated is who owns what when a manager has changed an object by anything but an apply patch.
func (o owners) updated(manager string, before, after map[string]string) {
	o.changed(manager, before, after)
	if o[manager] == nil {
		o[manager] = map[string]bool{}
	}
	for field, value := range after {
		if was, ok := before[field]; !ok || was != value {
			o[manager][field] = true
		}
	}
}

// apply is what happens to an object when a manager applies some fields. It has those, and loses
// those that the manager applied before, unless they are somebody else's as well. conflicts are the
// fields that were another's and change.
func (o owners) apply(manager string, before, applied map[string]string) (after map[string]string, conflicts []string) {
	after = maps.Clone(before)
	if after == nil {
		after = map[string]string{}
	}
	for field := range o[manager] {
		// An object must have a title. If nobody names it any more the server refuses that; or
		// leaves the title to nobody, if managers of both versions are about.
		if _, again := applied[field]; !again && !o.others(manager, field) && field != titleField {
			delete(after, field)
		}
	}
	maps.Copy(after, applied)
	for field, value := range applied {
		if was, ok := before[field]; (!ok || was != value) && o.others(manager, field) {
			conflicts = append(conflicts, field)
		}
	}
	slices.Sort(conflicts)
	o[manager] = map[string]bool{}
	for field := range applied {
		o[manager][field] = true
	}
	o.changed(manager, before, after)
	return after, conflicts
}
