package graph

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// ArtifactTypes are the sorts of artifacts.
var ArtifactTypes = []string{"code", "test", "report", "screenshot", "documentation"}

// Artifact is something a task produced.
type Artifact struct {
	ID      string         `json:"artifactId"`
	Path    string         `json:"path"`
	Type    string         `json:"type"`
	Size    int64          `json:"size,omitempty"` // bytes; 0 when unknown
	Task    string         `json:"taskId,omitempty"`
	Project string         `json:"projectId"`
	Created timestamp.Time `json:"created"`
}

// Produced is an artifact as a report names it.
type Produced struct {
	Path string `json:"path" desc:"File or folder"`
	Type string `json:"type,omitempty" enum:"code,test,report,screenshot,documentation"`
	Size int64  `json:"size,omitempty" min:"0"`
}

// typeOf guesses an artifact's type from its path when the report names none.
func typeOf(p string) string {
	name := strings.ToLower(path.Base(p))
	switch ext := path.Ext(name); {
	case slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg"}, ext):
		return "screenshot"
	case strings.Contains(name, "_test.") || strings.Contains(name, ".test.") || strings.Contains(name, ".spec.") || strings.HasPrefix(name, "test_"):
		return "test"
	case slices.Contains([]string{".md", ".txt", ".rst", ".adoc", ".pdf"}, ext):
		return "documentation"
	case slices.Contains([]string{".html", ".json", ".xml", ".csv", ".log"}, ext):
		return "report"
	}
	return "code"
}

// produce stores the artifacts of a task and returns how many are new. An artifact with a known path is updated.
func produce(tx *registry.Tx, of work.Item, list []Produced, by int64) (created int, err error) {
	for _, a := range list {
		if a.Path, err = text.Name("artifacts", strings.TrimSpace(a.Path)); err != nil {
			return created, err
		}
		if a.Type == "" {
			a.Type = typeOf(a.Path)
		}
		if !slices.Contains(ArtifactTypes, a.Type) {
			return created, fault.Validation("artifacts", "artifact type %q is not known", a.Type).
				WithHint("use code, test, report, screenshot or documentation")
		}
		n, err := tx.Exec(`UPDATE artifacts SET type = ?, size = COALESCE(?, size) WHERE produced_by = ? AND path = ?`,
			a.Type, registry.NullIfZero(a.Size), of.ID, a.Path)
		if err != nil {
			return created, err
		}
		if n > 0 {
			continue
		}
		item, err := work.Create(tx, work.NewItem{ProjectID: of.ProjectID, Kind: work.KindArtifact, Prefix: "art-", Text: a.Path,
			Status: "produced", State: work.StateDone, By: by})
		if err != nil {
			return created, err
		}
		if err := tx.Do(`INSERT INTO artifacts (item_id, path, type, size, produced_by) VALUES (?, ?, ?, ?, ?)`,
			item.ID, a.Path, a.Type, registry.NullIfZero(a.Size), of.ID); err != nil {
			return created, err
		}
		created++
	}
	return created, nil
}

// findArtifact returns an artifact by id, else by its path; the newest wins.
func findArtifact(tx *registry.Tx, idOrPath string) (work.Item, error) {
	item, err := work.Find(tx, work.KindArtifact, idOrPath)
	if !fault.Is(err, fault.KindNotFound) {
		return item, err
	}
	id, other := registry.One[int64](tx.QueryRow(`SELECT item_id FROM artifacts WHERE path = ? ORDER BY item_id DESC LIMIT 1`, idOrPath))
	if registry.NoRows(other) {
		return item, fault.NotFound(string(work.KindArtifact), idOrPath).WithHint("%s", lists[work.KindArtifact])
	}
	if other != nil {
		return item, other
	}
	return work.ByID(tx, id)
}

// measured returns a report's artifacts with their sizes in bytes. It fills in a missing size when the artifact is a file on this
// machine. It looks in folder, where the caller stands ("" for none), then in the task's worktrees, then in the repositories of its
// project.
func (s *Store) measured(ctx context.Context, taskID, folder string, list []Produced) ([]Produced, error) {
	if !slices.ContainsFunc(list, func(a Produced) bool { return a.Size == 0 }) {
		return list, nil
	}
	folders, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) ([]string, error) {
		item, err := find(tx, work.KindTask, "taskId", taskID)
		if err != nil {
			return nil, err
		}
		places, err := registry.Collect(tx, registry.One[string], `SELECT path FROM worktree_places WHERE item_id = ? AND host = ? ORDER BY id DESC`, item.ID, registry.Host())
		if err != nil {
			return nil, err
		}
		all, err := repo.All(tx)
		for _, r := range all {
			if r.ProjectID == item.ProjectID && r.Machine == "" {
				places = append(places, r.Path)
			}
		}
		return places, err
	})
	if folder != "" {
		folders = slices.Insert(folders, 0, folder)
	}
	list = slices.Clone(list)
	for i := range list {
		if list[i].Size == 0 {
			list[i].Size = sizeIn(folders, strings.TrimSpace(list[i].Path))
		}
	}
	return list, err
}

// sizeIn returns the size in bytes of a file, taken from the first of the folders that has it. It returns 0 when no folder has it or it
// is not a regular file.
func sizeIn(folders []string, name string) int64 {
	if filepath.IsAbs(name) {
		folders = []string{""}
	} else if !filepath.IsLocal(name) {
		return 0
	}
	for _, folder := range folders {
		if info, err := os.Lstat(filepath.Join(folder, name)); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return 0
}

// AddArtifacts stores artifacts of a task and returns all artifacts of the task. A missing size is read from the file, first below
// folder.
func (s *Store) AddArtifacts(ctx context.Context, taskID, folder string, list []Produced, agentName string) ([]Artifact, error) {
	list, err := s.measured(ctx, taskID, folder, list)
	if err != nil {
		return nil, err
	}
	return write(ctx, s, agentName, func(tx *registry.Tx, by int64) ([]Artifact, error) {
		item, err := find(tx, work.KindTask, "taskId", taskID)
		if err != nil {
			return nil, err
		}
		if err := task.MayEdit(tx, item, task.Caller{Agent: agentName}); err != nil {
			return nil, err
		}
		if _, err := produce(tx, item, list, by); err != nil {
			return nil, err
		}
		tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
		return artifacts(tx, ` AND artifacts.produced_by = ?`, item.ID)
	})
}

// Artifacts returns the artifacts of a task, or of a project, or all artifacts.
func (s *Store) Artifacts(ctx context.Context, projectID, taskID string) ([]Artifact, error) {
	return listed(ctx, s, projectID, func(tx *registry.Tx, where string, args ...any) ([]Artifact, error) {
		if taskID != "" {
			item, err := find(tx, work.KindTask, "taskId", taskID)
			if err != nil {
				return nil, err
			}
			where, args = where+` AND artifacts.produced_by = ?`, append(args, item.ID)
		}
		return artifacts(tx, where, args...)
	})
}

func artifacts(tx *registry.Tx, where string, args ...any) ([]Artifact, error) {
	return registry.Collect(tx, func(row registry.Scanner) (a Artifact, err error) {
		var size registry.Null[int64]
		var of registry.Null[string]
		item, err := work.Scan(row, &a.Path, &a.Type, &size, &of, &a.Project)
		a.ID, a.Created, a.Size, a.Task = item.Ref, timestamp.Of(item.CreatedAt), size.V, of.V
		return a, err
	}, `SELECT `+work.Columns+`, artifacts.path, artifacts.type, artifacts.size, task.ref, projects.uid FROM items
		JOIN artifacts ON artifacts.item_id = items.id JOIN projects ON projects.id = items.project_id
		LEFT JOIN items task ON task.id = artifacts.produced_by WHERE items.deleted_at IS NULL`+where+` ORDER BY items.id`, args...)
}
