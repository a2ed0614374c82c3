package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/viper"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

// maxFile bounds a configuration file; larger ones are not configuration.
const maxFile = 1 << 20

// fileKind is the kind of a file, which decides how far it is trusted.
type fileKind int

const (
	userFile fileKind = iota
	legacyUser
	projectFile
	legacyProject
)

func (k fileKind) fromProject() bool { return k == projectFile || k == legacyProject }
func (k fileKind) legacy() bool      { return k == legacyUser || k == legacyProject }

// part is the part of a file's settings that counts.
type part int

const (
	allKeys     part = iota
	agentsKeys       // all but the keys of persons, as of a file that an agent named
	personsOnly      // the keys of persons alone
)

// file is one configuration file that was read.
type file struct {
	path  string
	shown string // the path for people
	kind  fileKind
	mode  fs.FileMode
	holds part
	data  []byte
	lines map[string]int // by key as written, made when a line is first needed
}

// ProjectError reports that a project's file cannot be read as configuration.
type ProjectError struct {
	Name string // .agit.toml or .pm/config.json
	Err  error
}

// Error returns the message of its cause.
func (e *ProjectError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ProjectError) Unwrap() error { return e.Err }

// ErrOutside reports that a project's file is a link out of the project.
var ErrOutside = errors.New("it is a link that leads outside of the project")

// readProjectFile reads a file of a project by its name there. Links are followed
// only inside the project: a clone must not have other files read.
func readProjectFile(project, name string, kind fileKind) (*file, error) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return nil, nil // no folder, no file
	}
	defer root.Close() // only read
	path := filepath.Join(project, filepath.FromSlash(name))
	local := filepath.FromSlash(name)
	if _, err := root.Stat(local); err != nil && !durable.Missing(err) && !errors.Is(err, fs.ErrPermission) {
		return nil, ErrOutside
	}
	return readOpened(path, kind, root.Stat, root.Open, local)
}

// readProject reads a file of the project by its name there; nil for one that does not exist.
func (l *loader) readProject(name string) (*file, error) {
	kind := projectFile
	if name == legacyProjectFile {
		kind = legacyProject
	}
	if l.options.Content == nil {
		return readProjectFile(l.options.Project, name, kind)
	}
	path := filepath.Join(l.options.Project, filepath.FromSlash(name))
	data, err := l.options.Content(name)
	switch {
	case err != nil || data == nil:
		return nil, err
	case len(data) > maxFile:
		return nil, fault.Validation("config", "the configuration file %q is larger than 1 MB", path)
	}
	return &file{path: path, kind: kind, mode: 0o600, data: data}, nil
}

// readFile reads a file; it returns nil for one that does not exist.
func readFile(path string, kind fileKind) (*file, error) {
	return readOpened(path, kind, os.Stat, os.Open, path)
}

func readOpened(path string, kind fileKind, stat func(string) (fs.FileInfo, error), open func(string) (*os.File, error), name string) (*file, error) {
	info, err := stat(name)
	if durable.Missing(err) {
		return nil, nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, fault.Operation(fs.ErrPermission, "look for the configuration file %q", path).WithHint("`ls -ld %s` shows whose its folder is; AGIT_HOME names another", text.ShellWord(filepath.Dir(filepath.Dir(path))))
	}
	if err != nil {
		return nil, fault.Operation(err, "read the configuration file %q", path)
	}
	if !info.Mode().IsRegular() {
		return nil, fault.Validation("config", "the configuration file %q is not a regular file", path)
	}
	f, err := open(name)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fault.Operation(fs.ErrPermission, "read the configuration file %q", path).WithHint("`ls -l %s` shows whose it is", text.ShellWord(path))
	}
	if err != nil {
		return nil, fault.Operation(err, "read the configuration file %q", path)
	}
	defer f.Close() // only read
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fault.Operation(err, "read the configuration file %q", path)
	}
	if len(data) > maxFile {
		return nil, fault.Validation("config", "the configuration file %q is larger than 1 MB", path)
	}
	return &file{path: path, kind: kind, mode: info.Mode(), data: data}, nil
}

// hash identifies the content of a file, for trust.
func (f *file) hash() string {
	sum := sha256.Sum256(f.data)
	return hex.EncodeToString(sum[:])
}

// format returns the format of the file. semfora-pm's .json files often hold YAML.
func (f *file) format() string {
	switch {
	case !f.kind.legacy():
		return "toml"
	case json.Valid(f.data):
		return "json"
	}
	return "yaml"
}

// mark is the byte order mark, with which editors of Windows begin a file. It is not TOML.
var mark = []byte("\ufeff")

// parse returns the file's settings as nested maps with lower-case keys.
func (f *file) parse() (map[string]any, error) {
	if len(bytes.TrimSpace(f.data)) == 0 {
		return nil, nil
	}
	v := viper.New()
	v.SetConfigType(f.format())
	if err := v.ReadConfig(bytes.NewReader(bytes.TrimPrefix(f.data, mark))); err != nil {
		return nil, f.malformed(err)
	}
	return v.AllSettings(), nil
}

// malformed returns an error with the place where the file cannot be parsed.
func (f *file) malformed(err error) error {
	at := f.shown
	if syntax, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := syntax.Position()
		return fault.Validation("config", "%s:%d:%d is not TOML: %s", at, line, column,
			strings.TrimPrefix(syntax.Error(), "toml: ")).WithHint("correct the line")
	}
	text := strings.TrimPrefix(err.Error(), "While parsing config: ")
	return fault.Validation("config", "%s cannot be read as configuration: %s", at, text).WithHint("correct the file")
}

// addFile reads one file and adds its settings as a layer.
func (l *loader) addFile(path string, kind fileKind) error {
	f, err := readFile(path, kind)
	if f == nil || err != nil {
		return err
	}
	return l.add(f)
}

// add adds a file that was read as a layer.
func (l *loader) add(f *file) error {
	f.shown = l.show(f)
	l.files = append(l.files, f)
	settings, err := f.parse()
	if err != nil {
		return err
	}
	if len(settings) == 0 {
		return nil
	}
	normalise(settings, f.kind)
	return l.addLayer(f, settings)
}

// show writes a project's file relative to the project, and other files with ~.
func (l *loader) show(f *file) string {
	if f.kind.fromProject() {
		if rel, err := filepath.Rel(l.options.Project, f.path); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return Shorten(f.path, l.options.UserHome)
}

// addLayer checks every setting of a file and takes over those it may make.
func (l *loader) addLayer(f *file, settings map[string]any) error {
	if tables, ok := settings[repoSection]; ok {
		if err := l.addRepos(f, tables); err != nil {
			return err
		}
		delete(settings, repoSection)
	}
	return l.take(f, settings, schema(), "", "", l.values)
}

// take adds to values the settings of a file, or of a table in it, that the file may make. at is what stands before their keys in the file,
// and shown what stands there for people.
func (l *loader) take(f *file, settings map[string]any, keys map[string]key, at, shown string, values map[string]any) error {
	leaves := map[string]any{}
	flatten("", settings, keys, leaves)
	gate := &gate{l: l, f: f}
	for _, name := range slices.Sorted(maps.Keys(leaves)) {
		if f.holds == personsOnly && !IsPersons(shown+name) {
			continue
		}
		k, ok := keys[name]
		if !ok {
			l.unknown(name, f.at(at+name), keyNames(keys))
			continue
		}
		v, err := l.accept(f, k, at+name, leaves[name])
		if err != nil {
			return err
		}
		if ok, err := gate.admits(k, at+name, shown+name, leaves[name], v); err != nil {
			return err
		} else if ok {
			values[name] = v
			l.origins[shown+name] = origin{file: f, key: at + name}
		}
	}
	gate.close()
	return nil
}

// accept expands, converts and checks one raw value of a file.
func (l *loader) accept(f *file, k key, name string, raw any) (any, error) {
	if text, ok := raw.(string); ok && credential(name) && !f.kind.fromProject() {
		raw = expand(text, l.lookup)
	}
	v, err := k.convert(raw)
	if err == nil {
		err = limit(k.name, v)
	}
	if err != nil {
		return nil, fault.Validation(name, "%s: %s %v", f.at(name), name, err)
	}
	return l.useful(f.at(name)+": "+name, k, v), nil
}

// useful leaves out the elements of a list that never have an effect, with a warning that begins with where they stand.
func (l *loader) useful(where string, k key, v any) any {
	list, ok := v.([]string)
	if !ok {
		return v
	}
	return slices.DeleteFunc(slices.Clone(list), func(element string) bool {
		why := useless(k.name, element)
		if why != "" {
			l.warnings = append(l.warnings, fmt.Sprintf("%s is without its element %q, which %s", where, element, why))
		}
		return why != ""
	})
}

// flatten returns the leaves of nested maps by dotted name. A map in place of a value of the schema stays a leaf, so that the error is
// about its type.
func flatten(prefix string, settings map[string]any, keys map[string]key, into map[string]any) {
	for name, value := range settings {
		_, isKey := keys[prefix+name]
		if nested, ok := value.(map[string]any); ok && !isKey {
			flatten(prefix+name+".", nested, keys, into)
			continue
		}
		into[prefix+name] = value
	}
}

// unknown adds a warning about an unknown key, with the nearest known one.
func (l *loader) unknown(name, at string, known []string) {
	sentence := fmt.Sprintf("unknown configuration key %s", name)
	if at != "" {
		sentence = at + ": " + sentence
	}
	if near := text.Nearest(name, known); near != "" {
		sentence += fmt.Sprintf("; did you mean %s?", near)
	}
	l.warnings = append(l.warnings, sentence)
}

// credential reports whether ${VAR} is replaced in a field: only in fields that identify the user to a tracker. Commands are left to the
// shell that runs them.
func credential(name string) bool {
	return strings.HasPrefix(name, "providers.") && !strings.HasSuffix(name, "_command")
}

// expand replaces each ${VAR} by the variable's value, or by nothing when it is
// not set. A $ without braces stays: secrets hold such characters.
func expand(text string, lookup func(string) string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "${")
		if !ok {
			break
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !isVariable(name) {
			b.WriteString(before + "${")
			text = rest
			continue
		}
		b.WriteString(before + lookup(name))
		text = after
	}
	return b.String() + text
}

func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// isReference reports whether a raw value is one ${VAR} and no secret itself.
func isReference(raw any) bool {
	text, ok := raw.(string)
	if !ok || !strings.HasPrefix(text, "${") {
		return false
	}
	name, rest, _ := strings.Cut(text[2:], "}")
	return rest == "" && isVariable(name) && strings.HasSuffix(text, "}")
}
