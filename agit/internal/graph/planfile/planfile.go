// Package planfile reads the plans of other trackers from their files and returns them as entries of a plan. It changes nothing, runs
// no other program and keeps no state.
package planfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/textfile"
)

// mostBytes is the largest plan that is read.
const mostBytes = 64 << 20

// Names are the supported trackers.
var Names = []string{"beads", "td", "backlog", "taskmaster"}

// Read returns the plan of a tracker at path: its file, or a folder that holds it in the usual place.
func Read(name, path string) ([]graph.PlanEntry, error) {
	switch name {
	case "beads":
		return readFile(path, beads, ".beads/issues.jsonl", ".beads/beads.jsonl", "issues.jsonl")
	case "td":
		return readTD(path)
	case "taskmaster":
		return readFile(path, taskmaster, ".taskmaster/tasks/tasks.json", "tasks/tasks.json", "tasks.json")
	case "backlog":
		return backlog(path)
	}
	return nil, fault.Validation("tracker", "tracker %q is not known", name).WithHint("use %s, or - to read a plan", strings.Join(Names, ", "))
}

func readFile(path string, parse func([]byte) ([]graph.PlanEntry, error), places ...string) ([]graph.PlanEntry, error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		root, err := os.OpenRoot(path) // a link in a clone must not import files from outside
		if err != nil {
			return nil, fault.Operation(err, "read %q", path)
		}
		defer root.Close()
		for _, place := range places {
			file, err := root.Open(filepath.FromSlash(place))
			if err != nil {
				continue
			}
			data, err := textfile.Whole(file, place, mostBytes)
			if err != nil {
				return nil, err
			}
			return parse(data)
		}
		return nil, fault.NotFound("plan", path).WithHint("name the file itself; looked for %s", strings.Join(places, ", "))
	}
	data, err := textfile.ReadAtMost(path, path, mostBytes)
	if fault.Is(err, fault.KindNotFound) {
		return nil, fault.NotFound("plan", path).WithHint("name the tracker's file or folder")
	}
	if err != nil {
		return nil, err
	}
	return parse(data)
}

// marks are the files that show that a tracker keeps a plan in a folder.
var marks = map[string][]string{
	"beads":      {".beads/issues.jsonl", ".beads/beads.jsonl"},
	"td":         {".todos"},
	"backlog":    {"backlog/tasks/*.md"},
	"taskmaster": {".taskmaster/tasks/tasks.json"},
}

// Present returns the trackers that keep a plan in a folder, in the order of Names. It reads no plan.
func Present(folder string) (found []string) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil
	}
	defer root.Close()
	for _, name := range Names {
		for _, pattern := range marks[name] {
			if at, err := fs.Glob(root.FS(), filepath.ToSlash(pattern)); err == nil && len(at) > 0 {
				found = append(found, name)
				break
			}
		}
	}
	return found
}
