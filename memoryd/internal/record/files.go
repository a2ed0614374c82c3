package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// The places of a project's state files. They are copies for other tools, and are never read back.
const (
	StatusFile        = ".agent/status.json"
	CommunicationFile = ".journal/communication.json"
	journalFolder     = ".journal"
)

// writtenBy is in every state file: a file without it is someone else's, and is kept.
const writtenBy = "memoryd export --status-file"

// File is one state file: its path below the project's folder, with slashes, and
// its content.
type File struct {
	Path    string
	Content []byte
}

// StateFiles returns the state files of a project: the status of its agents, the retrospectives of their work, and a page of activities for
// every day. The same records make the same bytes.
func (s *Store) StateFiles(ctx context.Context, place project.Place) (files []File, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		p, err := place.Find(tx)
		if err != nil {
			return err
		}
		status, err := statusFile(tx, p)
		if err != nil {
			return err
		}
		communication, err := communicationFile(tx, p)
		if err != nil {
			return err
		}
		days, err := journalFiles(tx, p)
		files = append([]File{status, communication}, days...)
		return err
	})
	return files, err
}

// document makes a JSON file that people can read, too.
func document(name string, v any) (File, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(v)
	return File{name, b.Bytes()}, err
}

// inProject returns the agents that have done something in a project.
const inProject = `agents.removed_at IS NULL AND (
	EXISTS (SELECT 1 FROM commits x WHERE x.agent_id = agents.id AND x.project_id = ?)
	OR EXISTS (SELECT 1 FROM activities x WHERE x.agent_id = agents.id AND x.project_id = ?)
	OR EXISTS (SELECT 1 FROM retrospectives x WHERE x.agent_id = agents.id AND x.project_id = ?)
	OR EXISTS (SELECT 1 FROM score_events x WHERE x.agent_id = agents.id AND x.project_id = ?))`

func statusFile(tx *registry.Tx, p project.Project) (File, error) {
	agents, err := registry.Collect(tx, agent.Scan, `SELECT `+agent.Columns+` FROM agents WHERE `+inProject+` ORDER BY agents.name_key`, p.ID, p.ID, p.ID, p.ID)
	if err != nil {
		return File{}, err
	}
	all, err := loadAll(tx, agents)
	if err != nil {
		return File{}, err
	}
	return document(StatusFile, struct {
		WrittenBy string   `json:"written_by"`
		Project   string   `json:"project"`
		Name      string   `json:"name"`
		Agents    []Status `json:"agents"`
	}{writtenBy, p.UID, p.Name, all})
}

func communicationFile(tx *registry.Tx, p project.Project) (File, error) {
	entries, err := registry.Collect(tx, scanRetrospective,
		`SELECT a.name, x.at, '', x.scope, x.task, x.oid, x.agent_grade, x.user_grade, x.score_before, x.score_after, x.agent_note, x.user_note
		 FROM retrospectives x JOIN agents a ON a.id = x.agent_id WHERE x.project_id = ? ORDER BY x.at, x.id`, p.ID)
	if err != nil {
		return File{}, err
	}
	return document(CommunicationFile, struct {
		WrittenBy      string  `json:"written_by"`
		Retrospectives []Entry `json:"retrospectives"`
	}{writtenBy, entries})
}

func journalFiles(tx *registry.Tx, p project.Project) (files []File, err error) {
	entries, err := registry.Collect(tx, scanActivity,
		`SELECT a.name, x.at, '', x.scope, x.task, x.actions, x.outcome, x.decisions
		 FROM activities x JOIN agents a ON a.id = x.agent_id WHERE x.project_id = ? ORDER BY x.at, x.id`, p.ID)
	if err != nil {
		return nil, err
	}
	for len(entries) > 0 {
		day := entries[0].At.Format(time.DateOnly)
		n := slices.IndexFunc(entries, func(e Entry) bool { return e.At.Format(time.DateOnly) != day })
		if n < 0 {
			n = len(entries)
		}
		files = append(files, File{path.Join(journalFolder, day+".md"), journalPage(day, entries[:n])})
		entries = entries[n:]
	}
	return files, nil
}

// journalPage formats the activities of a day.
func journalPage(day string, entries []Entry) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n<!-- %s -->\n", day, writtenBy)
	for _, e := range entries {
		fmt.Fprintf(&b, "\n## %s %s: %s\n", e.At.Format("15:04"), oneLine(e.Agent), oneLine(e.Title))
		for _, part := range [][2]string{{"Actions", e.Actions}, {"Outcome", e.Outcome}, {"Decisions", e.Decisions}} {
			if part[1] != "" {
				fmt.Fprintf(&b, "\n**%s:** %s\n", part[0], strings.TrimSpace(part[1]))
			}
		}
	}
	return b.Bytes()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Wrote is the result of writing the state files.
type Wrote struct {
	Folder    string   `json:"folder"`
	Written   []string `json:"written"`
	Unchanged int      `json:"unchanged"`
}

// WriteFiles writes state files below a folder, each in one step; a file with the same content is left alone. Nothing outside the folder is
// written, whatever links it contains. When something else is in the place of one, nothing is written, and a Conflict fault names it.
func WriteFiles(folder string, files []File) (w Wrote, err error) {
	w = Wrote{Folder: folder, Written: []string{}}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return w, fault.Operation(err, "write state files into %q", folder).WithHint("name a folder that exists and can be written")
	}
	defer root.Close()
	var changed []File
	for _, f := range files {
		same, err := compare(root, f)
		switch {
		case err != nil:
			return w, err
		case same:
			w.Unchanged++
		default:
			changed = append(changed, f)
		}
	}
	for _, f := range changed {
		if err := writeFile(root, filepath.FromSlash(f.Path), f.Content); err != nil {
			return w, fault.Operation(err, "write %q in %q", f.Path, folder).WithHint("check that it can be written")
		}
		w.Written = append(w.Written, f.Path)
	}
	return w, nil
}

// compare reports whether a state file has its content already. It returns a Conflict fault when what is in its place is not of an export.
func compare(root *os.Root, f File) (same bool, err error) {
	name := filepath.FromSlash(f.Path)
	if info, err := root.Lstat(filepath.Dir(name)); err == nil && !info.IsDir() {
		return false, inPlace(path.Dir(f.Path), "is not a folder")
	}
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return false, inPlace(f.Path, "is not a file")
	}
	now, err := root.ReadFile(name)
	if err != nil {
		return false, fault.Operation(err, "read %q in %q", f.Path, root.Name()).WithHint("check that it can be read")
	}
	if same = bytes.Equal(now, f.Content); !same && !bytes.Contains(now, []byte(writtenBy)) && !ofFirst(f.Path, now) {
		return false, inPlace(f.Path, "was not written by memoryd")
	}
	return same, nil
}

// firstPage is the beginning of a journal page of version 0.1.0.
var firstPage = text.Pattern{Expr: `^# \d{4}-\d\d-\d\d\n\n## \d\d:\d\d .+: `}

// ofFirst reports whether a file has the form of an export of version 0.1.0, which did not name its origin.
func ofFirst(name string, content []byte) bool {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(content, &members) // a page has none
	keys := strings.Join(slices.Sorted(maps.Keys(members)), " ")
	switch name {
	case StatusFile:
		return keys == "agents name project"
	case CommunicationFile:
		return keys == "retrospectives"
	}
	return firstPage.Regexp().Match(content)
}

func inPlace(name, what string) error {
	return fault.Conflict("file", name, "%q %s, and nothing was exported", name, what).WithHint("move it to another place, then export again")
}

func writeFile(root *os.Root, name string, content []byte) error {
	if err := durable.MkdirAllIn(root, filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return durable.WriteFileIn(root, name, content, 0o644)
}
