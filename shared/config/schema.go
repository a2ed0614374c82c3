package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	envPrefix   = "AGIT_CFG_"
	repoSection = "repo"
)

// key is one entry of the schema that Config's tags make.
type key struct {
	name  string // "agent.stale_after"
	kind  reflect.Type
	rules []rule
	none  string // the value that counts as more than any other
	oneof []string
	doc   string
	index []int // of the field in its struct, for reflect
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	sizeType     = reflect.TypeFor[Size]()
	secretType   = reflect.TypeFor[Secret]()
	listType     = reflect.TypeFor[[]string]()
)

// schema is every key outside [[repo]] by name; repoSchema those inside one.
// Both are made when the first file or variable asks for them.
var (
	schema     = sync.OnceValue(func() map[string]key { return keysOf(reflect.TypeFor[Config]()) })
	repoSchema = sync.OnceValue(func() map[string]key { return keysOf(reflect.TypeFor[Repo]()) })
)

func keysOf(t reflect.Type) map[string]key {
	keys := make(map[string]key)
	walk(t, "", nil, func(k key) { keys[k.name] = k })
	return keys
}

func walk(t reflect.Type, prefix string, index []int, visit func(key)) {
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("mapstructure")
		if name == "" || name == repoSection && prefix == "" {
			continue
		}
		at := append(append([]int(nil), index...), i)
		if f.Type.Kind() == reflect.Struct {
			walk(f.Type, prefix+name+".", at, visit)
			continue
		}
		visit(key{name: prefix + name, kind: f.Type, rules: rulesOf(f.Tag.Get("rule")), none: f.Tag.Get("none"),
			oneof: strings.Fields(f.Tag.Get("oneof")), doc: f.Tag.Get("doc"), index: at})
	}
}

// keyNames are the names of a schema in order.
func keyNames(keys map[string]key) []string { return slices.Sorted(maps.Keys(keys)) }

// Keys are all the keys outside [[repo]], in order, for completion.
func Keys() []string { return keyNames(schema()) }

// EnvName is the variable that sets a key: AGIT_CFG_AGENT_STALE_AFTER for
// agent.stale_after.
func EnvName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}
