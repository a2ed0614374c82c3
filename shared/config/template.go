package config

import (
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
	section := "" // the struct declares the keys of none first
	walk(reflect.TypeFor[Config](), "", nil, func(k key) {
		name := k.name[strings.LastIndex(k.name, ".")+1:]
		if in := strings.TrimSuffix(strings.TrimSuffix(k.name, name), "."); in != section {
			section = in
			fmt.Fprintf(&b, "\n[%s]\n", section)
		}
		doc := k.doc
		if len(k.oneof) > 0 {
			doc += ": " + strings.Join(k.oneof, ", ")
		}
		fmt.Fprintf(&b, "# %s\n# %s = %s\n", doc, name, tomlDefault(defaults.FieldByIndex(k.index)))
	})
	b.WriteString("\n# What differs for one repository:\n# [[repo]]\n# name = \"myapp\"\n# default_branch = \"main\"\n")
	return b.String()
}

func tomlDefault(v reflect.Value) string {
	switch x := display(v).(type) {
	case string:
		return quoteTOML(x)
	case []string:
		return listTOML(x)
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
		return writeFile(path, []byte(Template()), private)
	})
	if err != nil {
		return path, false, fault.Operation(err, "create the configuration file")
	}
	return path, made, nil
}
