package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

// BuiltIn is the origin of a value that no one set.
const BuiltIn = "built-in"

// origin is where a value came from: a file and the key in it, or the name of a
// variable or flag.
type origin struct {
	file *file
	key  string
	text string
}

func (o origin) String() string {
	switch {
	case o.file != nil:
		return o.file.at(o.key)
	case o.text != "":
		return o.text
	}
	return BuiltIn
}

// Value is one key with its value and where that came from. Secrets are masked.
type Value struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Origin string `json:"origin"`
	Doc    string `json:"doc,omitempty"`
	// Ignored are the settings of the key in a project's files that have no effect.
	Ignored []Ignored `json:"ignored,omitempty"`
}

// Ignored is a setting of a project's file that has no effect.
type Ignored struct {
	Value  any    `json:"value,omitempty"` // empty for secrets
	Origin string `json:"origin"`
	Why    string `json:"why"`
}

// Sentence returns for people which setting of a key was ignored, and why.
func (i Ignored) Sentence(key string) string {
	value := ""
	if i.Value != nil {
		value = " = " + Value{Value: i.Value}.Text()
	}
	return fmt.Sprintf("ignored: %s%s in %s: %s", key, value, i.Origin, i.Why)
}

// Text writes the value as `config set` reads it.
func (v Value) Text() string {
	switch x := v.Value.(type) {
	case string:
		return x
	case []string, []any:
		text, err := json.Marshal(x)
		if err != nil {
			return fmt.Sprint(x)
		}
		return string(text)
	}
	return fmt.Sprint(v.Value)
}

// Origins returns all the keys in order. Keys of [[repo]] tables come last, and only if they are set.
func (c *Config) Origins() []Value {
	names := Keys()
	values := make([]Value, 0, len(names))
	for _, name := range names {
		values = append(values, c.value(name))
	}
	for _, r := range c.Repos {
		fields := reflect.ValueOf(r)
		for _, field := range keyNames(repoSchema()) {
			shown := repoKey(r.Name, field)
			from, set := c.source.origins[shown]
			if ignored := c.source.ignored[shown]; set || ignored != nil {
				k := repoSchema()[field]
				values = append(values, Value{Key: shown, Value: display(fields.FieldByIndex(k.index)), Origin: from.String(), Doc: k.doc, Ignored: ignored})
			}
		}
	}
	return values
}

// IsSet reports whether the key was set, as opposed to its built-in value.
func (c *Config) IsSet(name string) bool {
	_, set := c.source.origins[name]
	return set
}

func (c *Config) value(name string) Value {
	k := schema()[name]
	shown := display(reflect.ValueOf(c).Elem().FieldByIndex(k.index))
	if name == "database.path" {
		shown = c.Database.Place()
	}
	return Value{Key: name, Value: shown,
		Origin: c.source.origins[name].String(), Doc: k.doc, Ignored: c.source.ignored[name]}
}

// Get returns one key; an unknown one is a NotFoundError with the nearest known.
func (c *Config) Get(name string) (Value, error) {
	name = strings.ToLower(name)
	if _, ok := schema()[name]; ok {
		return c.value(name), nil
	}
	for _, v := range c.Origins() {
		if strings.EqualFold(v.Key, name) {
			return v, nil
		}
	}
	return Value{}, unknownKey(name)
}

func unknownKey(name string) error {
	f := fault.NotFound("configuration key", name)
	if near := text.Nearest(name, Keys()); near != "" {
		return f.WithHint("did you mean %s?", near)
	}
	return f.WithHint("`agit config show` lists all keys")
}

// display turns a typed value into its form for JSON and people.
func display(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case time.Duration:
		return FormatDuration(x)
	case fmt.Stringer: // a size, or a secret that hides itself
		return x.String()
	case []string:
		if x == nil {
			return []string{}
		}
		return x
	default:
		return x
	}
}

// Warnings are sentences people should see once: unknown keys, settings a
// project may not make, secrets in a file that others can read.
func (c *Config) Warnings() []string { return c.source.warnings }

// UntrustedWarning returns a sentence about hooks and hosts that the project sets but the user has not trusted, or "". Commands that would
// have used them print it.
func (c *Config) UntrustedWarning() string {
	if len(c.source.untrusted) == 0 {
		return ""
	}
	return fmt.Sprintf("not used until you trust this project: %s; look at it, then run `agit config trust`",
		strings.Join(c.source.untrusted, ", "))
}

// Home is the suite's folder, $AGIT_HOME or ~/.agit.
func (c *Config) Home() string { return c.source.home }

// UserFile is the user's configuration file, whether or not it exists.
func (c *Config) UserFile() string { return c.source.userFile }

// LoadedFiles are the files that were read, in the order of their layers.
func (c *Config) LoadedFiles() []string {
	paths := make([]string, len(c.source.files))
	for i, f := range c.source.files {
		paths[i] = f.path
	}
	return paths
}
