package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gofrs/flock"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
)

// Set writes one key into the user's configuration file, leaving its comments
// and order alone. Lists take one element per value; other keys take one value.
// The result is checked as a whole before the file is replaced, and the file is
// its owner's alone afterwards.
func Set(o Options, name string, values ...string) error {
	name = strings.ToLower(name)
	k, ok := schema()[name]
	if !ok {
		return unknownKey(name)
	}
	literal, err := k.literal(values)
	if err != nil {
		return fault.Validation(name, "%s %v", name, err)
	}
	if o.Check != nil {
		if err := o.Check(name, listed(values)...); err != nil {
			return err
		}
	}
	return editUserFile(o, name, func(data []byte) ([]byte, error) { return replaceSetting(data, name, literal) })
}

// Append adds values to a list of the user's configuration file, written as by Set. Values that the list already has are left out.
func Append(o Options, name string, values ...string) error {
	name = strings.ToLower(name)
	k, ok := schema()[name]
	if !ok {
		return unknownKey(name)
	}
	if k.kind != listType {
		return fault.Validation(name, "%s is not a list", name)
	}
	return editUserFile(o, name, func(data []byte) ([]byte, error) {
		settings, err := (&file{shown: UserFileName, data: data}).parse()
		if err != nil {
			return nil, err
		}
		var at any = settings
		for part := range strings.SplitSeq(name, ".") {
			of, _ := at.(map[string]any)
			at = of[part]
		}
		var list []string
		elements, _ := at.([]any)
		for _, e := range elements {
			list = append(list, fmt.Sprint(e))
		}
		for _, v := range values {
			if !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
		if len(list) == 0 {
			return data, nil
		}
		literal, err := k.literal(list)
		if err != nil {
			return nil, fault.Validation(name, "%s %v", name, err)
		}
		return replaceSetting(data, name, literal)
	})
}

// SetProject writes one key into the project's own configuration file, which is
// made when it is missing. Its comments, order and line endings stay, and so does a link to another file of the project. A key that a project may
// not set is a Validation fault. A key that needs trust still needs it afterwards.
func SetProject(o Options, name, value string) error {
	name = strings.ToLower(name)
	k, ok := schema()[name]
	if !ok {
		return unknownKey(name)
	}
	if k.has(ruleSecret) || k.has(ruleUser) {
		return fault.Validation(name, "%s is not for a project's file, which others read", name).WithHint("set it in your own configuration")
	}
	literal, err := k.literal([]string{value})
	if err != nil {
		return fault.Validation(name, "%s %v", name, err)
	}
	return editProjectFile(o, name, func(data []byte) ([]byte, error) { return replaceSetting(data, name, literal) })
}

// ClearProject removes the keys of a section from the project's own configuration file.
func ClearProject(o Options, section string) error {
	return editProjectFile(o, section, func(data []byte) (_ []byte, err error) {
		for name := range schema() {
			if strings.HasPrefix(name, section+".") && err == nil {
				data, err = removeSetting(data, name)
			}
		}
		return data, err
	})
}

func editProjectFile(o Options, name string, edit func([]byte) ([]byte, error)) error {
	l, err := newTrustLoader(o)
	if err != nil {
		return err
	}
	read := func() (*file, error) {
		f, err := readProjectFile(o.Project, ProjectFileName, projectFile)
		if f == nil {
			f = &file{path: filepath.Join(o.Project, ProjectFileName)}
		}
		f.shown = ProjectFileName
		return f, err
	}
	return l.edit(name, read, 0o644, edit)
}

// Unset removes one key from the user's configuration file, so that the layer
// below holds again. A key that is not set is not an error.
func Unset(o Options, name string) error {
	name = strings.ToLower(name)
	if _, ok := schema()[name]; !ok {
		return unknownKey(name)
	}
	return editUserFile(o, name, func(data []byte) ([]byte, error) { return removeSetting(data, name) })
}

// IsSecret reports whether a key holds a secret, which must not be given on a command line.
func IsSecret(name string) bool { return schema()[strings.ToLower(name)].has(ruleSecret) }

// literal writes values as TOML after checking them against the key.
func (k key) literal(values []string) (string, error) {
	if k.kind == listType {
		for _, element := range listed(values) {
			if why := useless(k.name, element); why != "" {
				return "", fmt.Errorf("has the element %q, which %s", element, why)
			}
		}
		return listTOML(listed(values)), nil
	}
	if len(values) != 1 {
		return "", fmt.Errorf("takes one value, not %d", len(values))
	}
	v, err := k.parse(values[0])
	if err == nil {
		err = limit(k.name, v)
	}
	if err != nil {
		return "", err
	}
	switch k.kind.Kind() {
	case reflect.Bool, reflect.Int:
		return fmt.Sprint(v), nil
	}
	return quoteTOML(values[0]), nil
}

// listed returns the elements of a list given as one value in the form that config show prints, else the values as they are.
func listed(values []string) []string {
	var list []string
	if len(values) == 1 && strings.HasPrefix(values[0], "[") && json.Unmarshal([]byte(values[0]), &list) == nil {
		return list
	}
	return values
}

// quoteTOML writes a basic string. JSON's escapes are a subset of TOML's.
func quoteTOML(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(text) != nil { // strings always encode
		return strconv.Quote(text)
	}
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}

func listTOML(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = quoteTOML(v)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func editUserFile(o Options, name string, edit func([]byte) ([]byte, error)) error {
	l, err := newTrustLoader(o)
	if err != nil {
		return err
	}
	path := filepath.Join(l.home, UserFileName)
	if o.File != "" {
		if path, err = absolute(o.File, o.Dir, o.UserHome); err != nil {
			return err
		}
	}
	return l.edit(name, func() (*file, error) {
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
			if to, no := os.Readlink(path); no == nil { // to a file that is yet to be made
				if !filepath.IsAbs(to) {
					to = filepath.Join(filepath.Dir(path), to)
				}
				path = to
			}
		}
		return &file{path: path, shown: Shorten(path, o.UserHome), data: data}, err
	}, private, edit)
}

// edit changes a configuration file under the lock of the home folder. A result with a setting that would be refused is not written.
func (l *loader) edit(name string, read func() (*file, error), mode fs.FileMode, edit func([]byte) ([]byte, error)) error {
	return asFault(locked(l.home, func() error {
		f, err := read()
		if err != nil {
			return err
		}
		if _, err := f.parse(); err != nil {
			return err // the edit did not make it worse
		}
		plain, marked := bytes.CutPrefix(f.data, mark)
		edited, err := edit(plain)
		if err != nil {
			return err
		}
		if marked {
			edited = slices.Concat(mark, edited)
		}
		if err := checkEdited(f, edited, l.options); err != nil {
			return err
		}
		return writeFile(f.path, edited, mode)
	}), name)
}

// checkEdited loads the edited text as the user's file, so that no edit leaves
// a configuration that cannot be loaded.
func checkEdited(f *file, edited []byte, o Options) error {
	check := &loader{source: &source{options: o, origins: map[string]origin{}}, values: map[string]any{}, lookup: func(string) string { return "" }}
	g := &file{path: f.path, shown: f.shown, data: edited}
	settings, err := g.parse()
	if err != nil {
		return fault.Operation(err, "%s cannot be edited automatically here", f.shown).WithHint("edit it by hand")
	}
	normalise(settings, userFile)
	return check.addLayer(g, settings)
}

func asFault(err error, name string) error {
	if err == nil || errors.As(err, new(*fault.Fault)) {
		return err
	}
	return fault.Operation(err, "set %s", name)
}

// replaceSetting returns the document with key = literal in place of the key's
// value, or added to its table.
func replaceSetting(data []byte, name, literal string) ([]byte, error) {
	found, ok, err := findSetting(data, name)
	if err != nil {
		return nil, err
	}
	if ok {
		return splice(data, found.value, found.end, literal), nil
	}
	table, field := "", name
	if i := strings.LastIndex(name, "."); i >= 0 {
		table, field = name[:i], name[i+1:]
	}
	at, ok := endOfTable(data, table)
	line := field + " = " + literal + "\n"
	if !ok {
		if at, ok = endOfDotted(data, table); ok {
			line = name + " = " + literal + "\n"
		}
	}
	if !ok {
		at, line = len(data), "["+table+"]\n"+line
		if at > 0 {
			line = "\n" + line
		}
	}
	if at > 0 && data[at-1] != '\n' {
		line = "\n" + line
	}
	if bytes.Contains(data, []byte("\r\n")) {
		line = strings.ReplaceAll(line, "\n", "\r\n")
	}
	return splice(data, at, at, line), nil
}

// removeSetting returns the document without the key's lines.
func removeSetting(data []byte, name string) ([]byte, error) {
	found, ok, err := findSetting(data, name)
	if err != nil || !ok {
		return data, err
	}
	start := bytes.LastIndexByte(data[:found.start], '\n') + 1
	return splice(data, start, lineEnd(data, found.end), ""), nil
}

func findSetting(data []byte, name string) (found setting, ok bool, err error) {
	inTable, plain := false, ""
	eachSetting(data, func(s setting) {
		path := s.name()
		switch {
		case s.header:
		case strings.HasPrefix(name, path+".") && s.value < len(data) && data[s.value] != '{':
			plain = path
		case path == name && s.inline:
			inTable = true
		case path == name && !ok:
			found, ok = s, true
		case strings.HasPrefix(name, path+"."):
			inTable = true // its table is written inline
		}
	})
	if plain != "" {
		return found, false, fault.Operation(nil, "%s cannot be edited, since the file has a value for %s, which is a section", name, plain).
			WithHint("take that line out by hand")
	}
	if inTable && !ok {
		return found, false, fault.Operation(nil, "%s is part of an inline table, which is not edited automatically", name).
			WithHint("edit the file by hand")
	}
	return found, ok, nil
}

// endOfTable is where a new key of the table goes: after its last key, else
// after its header. Top-level keys go before the first header.
func endOfTable(data []byte, table string) (at int, ok bool) {
	at, ok = 0, table == ""
	current, first := "", -1
	eachSetting(data, func(s setting) {
		path := s.name()
		if s.header {
			current = path
			if first < 0 {
				first = s.start
			}
		}
		switch {
		case current != table:
		case s.header:
			at, ok = lineEnd(data, s.start), true
		case !s.inline:
			at = lineEnd(data, s.end)
		}
	})
	if !ok {
		return len(data), false
	}
	if table == "" && at == 0 && first >= 0 {
		return bytes.LastIndexByte(data[:first], '\n') + 1, true
	}
	if table == "" && at == 0 {
		return len(data), true
	}
	return at, true
}

// endOfDotted is where a new key goes in a table that is written as dotted keys,
// which TOML does not let a [table] add to.
func endOfDotted(data []byte, table string) (at int, ok bool) {
	inTable := false
	eachSetting(data, func(s setting) {
		inTable = inTable || s.header
		path := s.name()
		if !inTable && !s.inline && strings.HasPrefix(path, table+".") {
			at, ok = lineEnd(data, s.end), true
		}
	})
	return at, ok
}

// lineEnd is the offset after the line break that follows at.
func lineEnd(data []byte, at int) int {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(data)
}

func splice(data []byte, start, end int, text string) []byte {
	return slices.Concat(data[:start], []byte(text), data[end:])
}

// locked runs change while no other process can change files in the folder.
func locked(folder string, change func() error) error {
	if err := durable.MkdirAll(folder, 0o700); err != nil {
		return fault.Operation(err, "create %q", folder).WithHint("set AGIT_HOME to a folder that can be written")
	}
	lock := flock.New(filepath.Join(folder, "config.lock"), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock %q: %w", folder, err)
	}
	defer lock.Close() // the process's end releases it too
	return change()
}

// private is the mode of files that may hold secrets.
const private = 0o600

// writeFile replaces a file durably in one step. A symbolic link stays: the file that it points to is replaced.
func writeFile(path string, data []byte, mode fs.FileMode) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if err := durable.WriteFile(path, data, mode); err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	return nil
}
