package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
)

// manifest records what was written to which file. Without it, only the exact white space around removed entries is lost.
type manifest struct {
	Version int                `json:"version"`
	Files   map[string]*record `json:"files"`
	Choices map[string]choice  `json:"choices,omitempty"` // by scope, client and root
}

// record is what was written to one file.
type record struct {
	Made    bool     `json:"made,omitempty"`    // the file did not exist
	Whole   bool     `json:"whole,omitempty"`   // setup made it, or it held only white space
	Blank   string   `json:"blank,omitempty"`   // that white space
	Folders []string `json:"folders,omitempty"` // made for it, the outermost first
	Entries []entry  `json:"entries"`
	// Containers are the containers made around entries, in the order in which they were made.
	Containers []edit.Added `json:"containers,omitempty"`
}

func (r *record) clone() *record {
	if r == nil {
		return nil
	}
	c := *r
	c.Entries, c.Containers = slices.Clone(r.Entries), slices.Clone(r.Containers)
	return &c
}

// entry is the record of one item in a file.
type entry struct {
	ID  string `json:"id"`           // kind and name
	Sum string `json:"sum"`          // of what was written
	In  string `json:"in,omitempty"` // the container it stands in
	edit.Added
}

const (
	manifestName    = "setup.json"
	manifestVersion = 1
)

func readManifest(suite string) (*manifest, error) {
	m := &manifest{Version: manifestVersion, Files: map[string]*record{}}
	path := filepath.Join(suite, manifestName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(text, m)
	}
	if err != nil {
		return nil, fault.Operation(err, "read %q, setup's record of the files that it wrote", path).WithHint("move it away; then setup goes by the files that it finds")
	}
	if m.Version > manifestVersion {
		return nil, fault.Conflict("file", path, "%q was written by a newer agit", path).WithHint("use that one, or upgrade this one")
	}
	if m.Files == nil {
		m.Files = map[string]*record{}
	}
	return m, nil
}

// save writes the manifest with the records of this run's files, if they or something else of it changed. It is written before the files: a
// record without its entry does no harm.
func (m *manifest) save(suite string, files []*file, changed bool) error {
	for _, f := range files {
		if !f.changed() && !f.dirty {
			continue
		}
		changed = true
		rec := f.rec
		if f.changed() && f.err != nil { // it was not written
			rec = f.old
		}
		switch {
		case rec != nil && (len(rec.Entries) > 0 || len(rec.Containers) > 0):
			m.Files[f.place] = rec
		case f.written || rec == nil:
			delete(m.Files, f.place)
		}
	}
	if !changed {
		return nil
	}
	for path := range m.Files {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && !expected(files, path) {
			delete(m.Files, path) // with its project
		}
	}
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return fault.Operation(err, "write what setup did")
	}
	if err := makeSuite(suite); err != nil {
		return err
	}
	path := filepath.Join(suite, manifestName)
	if err := durable.WriteFile(path, append(text, '\n'), 0o600); err != nil {
		return fault.Operation(err, "write what setup did into %q", suite)
	}
	durable.Adopt(path)
	return nil
}

func expected(files []*file, path string) bool {
	for _, f := range files {
		if f.place == path {
			return !f.gone
		}
	}
	return false
}

// makeSuite makes the suite's folder.
func makeSuite(suite string) error {
	if err := durable.MkdirAll(suite, 0o700); err != nil {
		return fault.Operation(err, "make %q", suite).WithHint("set AGIT_HOME to a folder that can be written")
	}
	return nil
}

// lock lets one run at a time change files.
func lock(suite string) (func(), error) {
	if err := makeSuite(suite); err != nil {
		return nil, err
	}
	l := flock.New(filepath.Join(suite, "setup.lock"), flock.SetPermissions(0o600))
	if err := l.Lock(); err != nil {
		return nil, fault.Operation(err, "lock %q", suite)
	}
	durable.Adopt(filepath.Join(suite, "setup.lock"))
	return func() { _ = l.Close() }, nil // the process's end releases it too
}

// sumOf returns a checksum of a value or text, which shows whether it is still what was written.
func sumOf(value any) string {
	text, err := json.Marshal(edit.Plain(value)) // maps in the order of their keys
	if err != nil {
		return ""
	}
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:8])
}

// choice is a person's choice of servers for one client, in a project or in the user's own configuration. Later runs keep it.
type choice struct {
	Servers []string `json:"servers,omitempty"` // when empty, all that are installed
	None    bool     `json:"none,omitempty"`    // no server at all
}

// AllServers is the value of Options.Servers that takes an earlier choice back.
const AllServers = "all"

// checkServers refuses a choice of servers that no one can mean.
func (o *Options) checkServers() error {
	for _, name := range o.Servers {
		if !slices.Contains(Servers, name) && (name != AllServers || len(o.Servers) > 1) {
			return fault.Validation("servers", "%q is not a server of the suite", name).WithHint("they are %s; %s alone is all of them", strings.Join(Servers, ", "), AllServers)
		}
	}
	return nil
}

// chosenServers returns the servers of a client that this run is about: those of its options, else those of the client's earlier choice. A
// removal does not go by an earlier choice.
func (s *Setup) chosenServers(r *recipe) choice {
	o := s.Options
	all := slices.Equal(o.Servers, []string{AllServers})
	switch {
	case o.NoServers:
		return choice{None: true}
	case all && o.Remove:
		return choice{Servers: Servers} // and nothing but servers
	case all:
		return choice{}
	case len(o.Servers) > 0 || o.Remove:
		return choice{Servers: o.Servers}
	}
	return s.records.Choices[s.choiceKey(r)]
}

// choiceKey names the place that a client's choice holds for.
func (s *Setup) choiceKey(r *recipe) string {
	return string(s.Options.Scope) + " " + r.Name + " " + s.root
}

// keepChoices records the choice for each client of this run, and reports whether any differs from the one before. A removal of
// everything forgets them.
func (s *Setup) keepChoices() (changed bool) {
	if s.Options.Remove && len(s.Options.Servers) > 0 {
		return false
	}
	for _, r := range s.chosen {
		c := choice{}
		if !s.Options.Remove {
			c = s.chosenServers(r)
		}
		changed = s.records.keep(s.choiceKey(r), c) || changed
	}
	return changed
}

// keep records a choice, and reports whether it differs from the one before.
func (m *manifest) keep(key string, c choice) (changed bool) {
	if reflect.DeepEqual(m.Choices[key], c) {
		return false
	}
	if c.None || len(c.Servers) > 0 {
		if m.Choices == nil {
			m.Choices = map[string]choice{}
		}
		m.Choices[key] = c
	} else {
		delete(m.Choices, key)
	}
	return true
}
