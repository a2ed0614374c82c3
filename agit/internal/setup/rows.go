package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// Row is the readable form of several items that differ only in name and file.
type Row struct {
	Item
	Names []string
	Files []string
}

// Group combines items that differ only in name or, for skills and agent definitions, also in file.
func Group(items []Item) (rows []Row) {
	for _, it := range items {
		i := slices.IndexFunc(rows, func(r Row) bool {
			return r.Kind == it.Kind && r.Item.State == it.State && r.Done == it.Done && r.Why == it.Why && slices.Equal(r.Clients, it.Clients) &&
				(r.File == it.File || it.Kind == KindSkill || it.Kind == KindAgent)
		})
		if i < 0 {
			rows = append(rows, Row{Item: it})
			i = len(rows) - 1
		}
		rows[i].Names, rows[i].Files = append(rows[i].Names, it.Name), append(rows[i].Files, it.File)
	}
	return rows
}

// Items returns the kind of the items, with their names if they are few.
func (r Row) Items() string {
	const few = 2
	if len(r.Names) > few {
		return text.Count(len(r.Names), string(r.Kind), string(r.Kind)+"s")
	}
	return string(r.Kind) + " " + strings.Join(r.Names, ", ")
}

// State returns what was done, else the state; with plan, always the state.
func (r Row) State(plan bool) string {
	if r.Done != "" && !plan {
		return r.Done
	}
	return string(r.Item.State)
}

// Where returns the file, else the nearest folder above all files, in short form.
func (r Row) Where(root, home string) string {
	path := r.File
	for _, other := range r.Files {
		for path != other && !strings.HasPrefix(other, path+string(filepath.Separator)) {
			path = filepath.Dir(path)
		}
	}
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) && root != home {
		return rel
	}
	return short(path, home)
}

// short returns a path with ~ for the home folder.
func short(path, home string) string {
	if rel, err := filepath.Rel(home, path); err == nil && filepath.IsLocal(rel) {
		return "~" + string(os.PathSeparator) + rel
	}
	return path
}
