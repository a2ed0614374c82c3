package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// rule is what a file that comes with a clone may do to a key. Config's comment explains each.
type rule string

const (
	ruleFree   rule = "free"
	ruleMore   rule = "more"
	ruleLess   rule = "less"
	ruleOn     rule = "on"
	ruleOff    rule = "off"
	ruleInside rule = "inside"
	ruleTrust  rule = "trust"
	ruleUser   rule = "user"
	ruleSecret rule = "secret"
)

func rulesOf(tag string) (rules []rule) {
	for _, r := range strings.Fields(tag) {
		rules = append(rules, rule(r))
	}
	return rules
}

func (k key) has(r rule) bool { return slices.Contains(k.rules, r) }

// refuses returns why a clone's file may not set a key, whose value without the file is before; "" when it may.
func (k key) refuses(v, before any) string {
	for _, r := range k.rules {
		switch r {
		case ruleFree, ruleTrust: // trust is checked elsewhere
			continue
		case ruleMore:
			if k.amount(v) < k.amount(before) {
				return fmt.Sprintf("a project may not set it below %v", plain(before))
			}
		case ruleLess:
			if k.amount(v) > k.amount(before) {
				return fmt.Sprintf("a project may not set it above %v", plain(before))
			}
		case ruleOn:
			if v == false && before == true {
				return "a project may not turn it off"
			}
		case ruleOff:
			if v == true && before == false {
				return "a project may not turn it on"
			}
		case ruleInside:
			if dir := v.(string); dir != "" && !insideProject(dir) {
				return "a project may only name a folder inside itself"
			}
		default: // user, secret, and a key without a rule
			return "a project may not set it"
		}
	}
	if len(k.rules) == 0 {
		return "a project may not set it"
	}
	return ""
}

// amount makes numbers and times comparable.
func (k key) amount(v any) float64 {
	if k.none != "" && fmt.Sprint(reflect.ValueOf(v).Convert(reflect.TypeFor[int64]()).Int()) == k.none {
		return float64(1 << 62)
	}
	return float64(reflect.ValueOf(v).Convert(reflect.TypeFor[int64]()).Int())
}

// plain writes a typed value as people write it.
func plain(v any) any {
	if d, ok := v.(time.Duration); ok {
		return FormatDuration(d)
	}
	return v
}
