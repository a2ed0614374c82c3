package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Template is the user's configuration file as `init` makes it: every key with
// its meaning and built-in value, commented out.
func Template() string {
	var b strings.Builder
	b.WriteString("# The suite's configuration. `config show` prints every value and where it comes from.\n")
	b.WriteString("# This file may hold secrets: keep it to yourself (chmod 600).\n\n")
	defaults := reflect.ValueOf(Default()).Elem()
	top, sections := keysInOrder()
	writeKeys(&b, defaults, top)
	for _, s := range sections {
		if len(s.keys) > 0 {
			fmt.Fprintf(&b, "\n[%s]\n", s.name)
			writeKeys(&b, defaults, s.keys)
		}
	}
	b.WriteString("\n# What differs for one repository:\n# [[repo]]\n# name = \"myapp\"\n# default_branch = \"main\"\n")
	return b.String()
}

type templateSection struct {
	name string
	keys []key
}

// keysInOrder groups the keys by section, as the struct declares them.
func keysInOrder() (top []key, sections []templateSection) {
	walk(reflect.TypeFor[Config](), "", nil, func(k key) {
		i := strings.LastIndex(k.name, ".")
		if i < 0 {
			top = append(top, k)
			return
		}
		name := k.name[:i]
		if len(sections) == 0 || sections[len(sections)-1].name != name {
			sections = append(sections, templateSection{name: name})
		}
		last := &sections[len(sections)-1]
		last.keys = append(last.keys, k)
	})
	return top, sections
}

func writeKeys(b *strings.Builder, defaults reflect.Value, keys []key) {
	for _, k := range keys {
		doc := k.doc
		if len(k.oneof) > 0 {
			doc += ": " + strings.Join(k.oneof, ", ")
		}
		fmt.Fprintf(b, "# %s\n# %s = %s\n", doc, k.name[strings.LastIndex(k.name, ".")+1:], tomlDefault(defaults.FieldByIndex(k.index)))
	}
}

func tomlDefault(v reflect.Value) string {
	switch x := display(v).(type) {
	case string:
		return quoteTOML(x)
	case []string:
		quoted := make([]string, len(x))
		for i, e := range x {
			quoted[i] = quoteTOML(e)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	default:
		return fmt.Sprint(x)
	}
}

// WriteTemplate makes the user's configuration file when there is none. It says
// whether it did, and which file it is.
func WriteTemplate(o Options) (path string, made bool, err error) {
	l, err := newTrustLoader(o)
	if err != nil {
		return "", false, err
	}
	path = filepath.Join(l.home, UserFileName)
	err = locked(l.home, func() error {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		made = true
		return writeFile(path, bytes.NewBufferString(Template()).Bytes())
	})
	if err != nil {
		return path, false, fault.Operation(err, "create the configuration file")
	}
	return path, made, nil
}
