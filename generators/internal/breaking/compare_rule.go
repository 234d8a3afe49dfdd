package breaking

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// rules compares what may stand in a field: what was allowed must be allowed.
func (c *comparer) rules(old, now *model.Field, say func(message, cure string)) {
	for _, rule := range now.Rules {
		if rule.Name == "cel" {
			continue // there may be several
		}
		was, had := find(old.Rules, rule)
		where := ""
		if rule.Under != "" {
			where = "for " + rule.Under + ", "
		}
		switch {
		case had && !tighter(rule.Name, was, rule.Value):
		case had:
			say(fmt.Sprintf("%s%s is %s, and was %s", where, rule.Name, rule.Value, was), "what was valid must stay valid: keep "+was)
		case rule.Value == "false":
		default:
			say(strings.TrimSpace(where+"it is restricted now: "+rule.Name+" "+rule.Value), "what was valid must stay valid: restrict it in a new version")
		}
	}
	for _, rule := range now.Rules {
		if rule.Name == "cel" && !slices.Contains(old.Rules, rule) {
			say("it has a new rule: "+rule.Value, "what was valid must stay valid: leave it out, or let it hold for changed values only")
		}
	}
	c.enum(old, now, say)
}

// find is what a rule asked for that held in the same place. One that held in any case is no
// tighter under a condition.
func find(rules []model.Rule, rule model.Rule) (value string, ok bool) {
	under := []string{rule.Under}
	if strings.HasPrefix(rule.Under, "if") && !strings.Contains(rule.Under, " ") {
		under = append(under, "")
	}
	for _, u := range under {
		for _, r := range rules {
			if r.Name == rule.Name && r.Under == u {
				return r.Value, true
			}
		}
	}
	return "", false
}

// enum compares the values that are allowed.
func (c *comparer) enum(old, now *model.Field, say func(message, cure string)) {
	if len(now.Enum) == 0 {
		return
	}
	has := func(list []model.Value, json string) bool {
		return slices.ContainsFunc(list, func(v model.Value) bool { return v.JSON == json })
	}
	if len(old.Enum) == 0 {
		var values []string
		for _, v := range now.Enum {
			values = append(values, v.JSON)
		}
		say("only "+strings.Join(values, ", ")+" are allowed now", "what was valid must stay valid: close the set in a new version")
	}
	for _, v := range old.Enum {
		if !has(now.Enum, v.JSON) {
			say("the value "+v.JSON+" is no longer allowed", "keep it, and say in its comment that it is deprecated")
		}
	}
}

// tighter tells whether a rule allows less than it did.
func tighter(name, was, is string) bool {
	if was == is {
		return false
	}
	for _, prefix := range []string{"items.", "keys."} {
		name = strings.TrimPrefix(name, prefix)
	}
	a, okA := new(big.Rat).SetString(was)
	b, okB := new(big.Rat).SetString(is)
	switch {
	case okA && okB && strings.HasPrefix(name, "max"):
		return b.Cmp(a) < 0
	case okA && okB && strings.HasPrefix(name, "min"):
		return b.Cmp(a) > 0
	case okA && okB && name == "multipleOf":
		return a.Sign() == 0 || b.Sign() == 0 || !new(big.Rat).Quo(a, b).IsInt()
	}
	return is != "false"
}
