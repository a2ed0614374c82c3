package config

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

// TrustState is the user's decision about one project file.
type TrustState string

// The states of trust.
const (
	Trusted   TrustState = "trusted"
	Changed   TrustState = "changed" // trusted once, but its content has changed
	Untrusted TrustState = "untrusted"
)

// ProjectFile is a configuration file of a project and whether it is trusted.
type ProjectFile struct {
	Path  string     `json:"path"`
	Name  string     `json:"name"` // .agit.toml or .pm/config.json
	State TrustState `json:"state"`
	// Needs are the settings that take effect only with trust.
	Needs []Value `json:"needs"`

	key  string // the path trust is kept under
	hash string
}

// trustFileName holds one line per trusted text of a file: its SHA-256, the file's quoted path, and which of the judging keys it sets, "-"
// for none. Lines of older versions lack the last part.
const trustFileName = "trusted"

// ProjectFiles reads the configuration files of the project in o. Each lists the settings that need trust and whether the file has it.
func ProjectFiles(o Options) ([]ProjectFile, error) {
	l, err := newTrustLoader(o)
	if err != nil {
		return nil, err
	}
	out := []ProjectFile{}
	for _, name := range []string{legacyProjectFile, ProjectFileName} {
		f, err := l.readProject(name)
		if errors.Is(err, ErrOutside) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		f.shown = name
		p := ProjectFile{Path: f.path, Name: name, key: l.trustKey(f), hash: f.hash(), Needs: []Value{}}
		if p.State, err = l.trustState(p.key, p.hash); err != nil {
			return nil, err
		}
		if p.Needs, err = l.needs(f); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func newTrustLoader(o Options) (*loader, error) {
	l := &loader{source: &source{options: o, origins: map[string]origin{}}, values: map[string]any{}}
	l.readEnv()
	var err error
	l.home, err = HomeFolder(l.env["AGIT_HOME"], o.UserHome)
	return l, err
}

// needs lists the settings of a file that wait for trust, in order, without those that a project may not make even with trust.
func (l *loader) needs(f *file) ([]Value, error) {
	settings, err := f.parse()
	if err != nil {
		return nil, err
	}
	normalise(settings, f.kind)
	values := []Value{}
	add := func(keys map[string]key, prefix, shown string, table map[string]any) {
		leaves := map[string]any{}
		flatten("", table, keys, leaves)
		for _, name := range slices.Sorted(maps.Keys(leaves)) {
			k := keys[name]
			if !k.has(ruleTrust) {
				continue
			}
			if v, err := l.accept(f, k, prefix+name, leaves[name]); err == nil && k.refuses(v, l.before(k, shown+name)) != "" {
				continue
			}
			values = append(values, Value{Key: shown + name, Value: leaves[name], Origin: f.at(prefix + name), Doc: k.doc})
		}
	}
	tables, _ := settings[repoSection].([]any)
	delete(settings, repoSection)
	add(schema(), "", "", settings)
	for i, element := range tables {
		if table, ok := element.(map[string]any); ok {
			add(repoSchema(), fmt.Sprintf("%s[%d].", repoSection, i), repoKey(fmt.Sprint(table["name"]), ""), table)
		}
	}
	return values, nil
}

// Trust lets the files' hooks and hosts take effect, for the content that was read when they were listed: the user trusts what the user
// saw. Other trusted texts of a file stay trusted, because branches differ.
func Trust(o Options, files []ProjectFile) error {
	return changeTrust(o, files, true)
}

// Untrust withdraws trust from all texts of the project's files, including files that are gone: nothing of them is remembered.
func Untrust(o Options) error {
	l, err := newTrustLoader(o)
	if err != nil {
		return err
	}
	var files []ProjectFile
	for _, name := range []string{legacyProjectFile, ProjectFileName} {
		files = append(files, ProjectFile{key: l.trustKey(&file{path: filepath.Join(o.Project, filepath.FromSlash(name))})})
	}
	return changeTrust(o, files, false)
}

func changeTrust(o Options, files []ProjectFile, grant bool) error {
	l, err := newTrustLoader(o)
	if err != nil {
		return err
	}
	err = locked(l.home, func() error {
		entries, err := l.readTrust()
		if err != nil {
			return err
		}
		for _, f := range files {
			entries = without(entries, f.key, f.hash, !grant)
			if grant {
				entries = bounded(append(entries, trustEntry{f.hash, f.key, f.judging()}), f.key)
			}
		}
		var b bytes.Buffer
		for _, e := range entries {
			b.WriteString(e.line())
		}
		return writeFile(l.trustPath(), b.Bytes(), private)
	})
	if err != nil {
		return fault.Operation(err, "record trust")
	}
	return nil
}

// without drops the entry of one text of a file, or the entries of all its texts.
func without(entries []trustEntry, path, hash string, all bool) []trustEntry {
	return slices.DeleteFunc(entries, func(e trustEntry) bool { return e.path == path && (all || e.hash == hash) })
}

// mostTexts is how many texts of one file are trusted at once: the newest ones.
const mostTexts = 100

func bounded(entries []trustEntry, path string) []trustEntry {
	more := -mostTexts
	for _, e := range entries {
		if e.path == path {
			more++
		}
	}
	return slices.DeleteFunc(entries, func(e trustEntry) bool {
		if e.path != path || more <= 0 {
			return false
		}
		more--
		return true
	})
}

// trusts reports whether the file's content is trusted.
func (l *loader) trusts(f *file) (bool, error) {
	state, err := l.trustState(l.trustKey(f), f.hash())
	return state == Trusted, err
}

func (l *loader) trustState(path, hash string) (TrustState, error) {
	entries, err := l.readTrust()
	if err != nil {
		return Untrusted, err
	}
	state := Untrusted
	for _, e := range entries {
		switch {
		case e.path != path:
		case e.hash == hash:
			return Trusted, nil
		default:
			state = Changed
		}
	}
	return state, nil
}

// trustKey returns the path that trust is kept under: the file's place in the folder that stands for the whole project, with symbolic links
// resolved.
func (l *loader) trustKey(f *file) string {
	root := cmp.Or(l.options.TrustRoot, l.options.Project)
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	name, err := filepath.Rel(l.options.Project, f.path)
	if err != nil {
		name = f.path
	}
	return filepath.Join(root, name)
}

func (l *loader) trustPath() string { return filepath.Join(l.home, trustFileName) }

// readTrust reads the record of trust. A file that others can write is refused: anyone could have added a line.
func (l *loader) readTrust() ([]trustEntry, error) {
	info, err := os.Stat(l.trustPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Operation(err, "read the record of trust")
	}
	if writableByOthers(info.Mode()) {
		return nil, fault.Validation("config", "%s can be written by other users, so that nothing in it counts", l.trustPath()).
			WithHint("run `chmod 600 %s` after looking at it", text.ShellWord(l.trustPath()))
	}
	data, err := os.ReadFile(l.trustPath())
	if err != nil {
		return nil, fault.Operation(err, "read the record of trust")
	}
	var entries []trustEntry
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		if e, ok := parseTrust(lines.Text()); ok {
			entries = append(entries, e)
		}
	}
	return entries, lines.Err()
}
