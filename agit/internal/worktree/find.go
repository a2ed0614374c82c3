package worktree

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// naming is one way to look a worktree up.
type naming struct {
	repoID int64  // 0 looks in all
	ref    string // what was typed
	dir    string // the folder that a relative one is taken from, "" for nowhere
	trash  bool   // of several, prefer those in the trash to those with a folder
}

// find returns the worktree that ref names: its id or the beginning of one, its branch, its folder or one below that, the folder's name
// or the words that it begins with, its task, or the agent it was made for; then working trees without a row, see others.go. Names are
// compared without case. A NotFound fault names the nearest one, a Validation fault all that an ambiguous name may mean.
func (n naming) find(tx *registry.Tx) (Worktree, error) {
	if w, err := n.otherAt(tx); err != nil || w.Path != "" {
		return w, err
	}
	exact, err := n.query(tx, `(w.ref = ? OR w.branch = ? OR w.path = ?)`, text.Key(n.ref), n.ref, n.ref)
	if err != nil {
		return Worktree{}, err
	}
	if one, ok := n.prefer(exact); ok {
		return one, nil
	}
	key := text.Key(n.ref)
	for _, way := range []func() ([]Worktree, error){
		func() ([]Worktree, error) { return n.atFolder(tx) },
		func() ([]Worktree, error) { return n.lastOver(tx, `a.name_key = ?`, key) },
		func() ([]Worktree, error) {
			return n.lastOver(tx, `w.item_id IN (SELECT id FROM items WHERE ref_key = ? AND deleted_at IS NULL)`, key)
		},
		func() ([]Worktree, error) { return n.withPrefix(tx) },
		func() ([]Worktree, error) { return n.withName(tx, func(name string) bool { return name == key }) },
		func() ([]Worktree, error) { // before its suffix, as lists show it
			return n.withName(tx, func(name string) bool {
				suffix, found := strings.CutPrefix(name, key+"-")
				return found && !strings.Contains(suffix, "-")
			})
		},
		func() ([]Worktree, error) { // it begins with the words
			if len(n.ref) < shortest {
				return nil, nil
			}
			return n.withName(tx, func(name string) bool { return strings.HasPrefix(name, strings.TrimSuffix(key, "-")+"-") })
		},
	} {
		found, err := way()
		if err != nil {
			return Worktree{}, err
		}
		if found = n.meant(tx, found); len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return Worktree{}, ambiguous(n.ref, found)
		}
	}
	found, others, err := n.otherNamed(tx)
	switch {
	case err != nil:
		return Worktree{}, err
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return Worktree{}, ambiguous(n.ref, found)
	}
	return Worktree{}, n.notFound(tx, others)
}

func (n naming) query(tx *registry.Tx, where string, args ...any) ([]Worktree, error) {
	return registry.Collect(tx, scan, selection+`WHERE (? = 0 OR w.repo_id = ?) AND `+where+` ORDER BY CASE WHEN w.host = ? THEN 0 ELSE 1 END, w.id DESC LIMIT 50`,
		append(append([]any{n.repoID, n.repoID}, args...), registry.Host())...)
}

// atFolder takes ref for a folder: the worktree's own, also where that is in the trash with a shell that stood in it, or, when it is written
// as a path, one below it.
func (n naming) atFolder(tx *registry.Tx) ([]Worktree, error) {
	at := n.ref
	path := at == "." || at == ".." || strings.ContainsRune(at, '/') || strings.ContainsRune(at, filepath.Separator)
	if !filepath.IsAbs(at) {
		if n.dir == "" {
			return nil, nil
		}
		at = filepath.Join(n.dir, at)
	}
	at, err := filepath.EvalSymlinks(at)
	if err != nil {
		return nil, nil // a branch or an agent, if anything
	}
	folders := []any{at}
	if path {
		folders = upwards(at)
	}
	marks, _ := registry.In(folders)
	found, err := n.query(tx, `(w.path IN (`+marks+`) OR w.id IN (SELECT worktree_id FROM trash WHERE trash.status = 'kept' AND trash.path IN (`+marks+`)))`,
		append(folders, folders...)...)
	if len(found) > 1 { // the innermost; one path has one live worktree
		slices.SortStableFunc(found, func(a, b Worktree) int { return len(b.Path) - len(a.Path) })
		if one, ok := n.prefer(slices.DeleteFunc(found, func(w Worktree) bool { return w.Path != found[0].Path })); ok {
			return []Worktree{one}, nil
		}
	}
	return found, err
}

// lastOver returns the worktrees of an agent or a task; of those that are all done with, only the one that landed last, else the one that
// was removed last: a call that is repeated means that one.
func (n naming) lastOver(tx *registry.Tx, where, key string) ([]Worktree, error) {
	found, err := n.query(tx, where, key)
	found = n.meant(tx, found)
	if n.trash || len(found) < 2 || slices.ContainsFunc(found, func(w Worktree) bool { return w.FinishedAt == nil }) {
		return found, err
	}
	return []Worktree{slices.MaxFunc(found, func(a, b Worktree) int {
		landed := func(w Worktree) int {
			if w.Status == Completed {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(landed(a), landed(b)), a.FinishedAt.Compare(b.FinishedAt.Time))
	})}, err
}

// shortest is the least length of the beginning of an id, without its "w-".
const shortest = 3

func (n naming) withPrefix(tx *registry.Tx) ([]Worktree, error) {
	key := strings.TrimPrefix(text.Key(n.ref), "w-")
	if len(key) < shortest || strings.Trim(key, "0123456789abcdefghijklmnopqrstuvwxyz") != "" {
		return nil, nil
	}
	return n.query(tx, `w.ref LIKE ?`, "w-"+key+"%")
}

func (n naming) withName(tx *registry.Tx, fits func(name string) bool) ([]Worktree, error) {
	if strings.ContainsAny(n.ref, `/\`) {
		return nil, nil
	}
	finished := `w.` + repo.LiveWorktree
	if n.trash {
		finished = `w.status IN ('completed', 'trashed') AND (w.made_by = '' OR EXISTS
			(SELECT 1 FROM trash WHERE trash.worktree_id = w.id AND trash.status = 'kept'))` // the folder may still exist when others made it
	}
	all, err := registry.Collect(tx, scan, selection+`WHERE (? = 0 OR w.repo_id = ?) AND w.host = ? AND `+finished+` ORDER BY w.id DESC LIMIT 1000`,
		n.repoID, n.repoID, registry.Host())
	return slices.DeleteFunc(all, func(w Worktree) bool { return !fits(text.Key(filepath.Base(w.Path))) }), err
}

// meant keeps the worktrees that the call can be about, if there are any: those with a folder or in the trash, and those in the repository
// that the call is made in.
func (n naming) meant(tx *registry.Tx, found []Worktree) []Worktree {
	narrow := func(fits func(Worktree) bool) {
		if kept := slices.DeleteFunc(slices.Clone(found), func(w Worktree) bool { return !fits(w) }); len(kept) > 0 {
			found = kept
		}
	}
	narrow(func(w Worktree) bool { return w.Status.Live() != n.trash })
	if n.repoID == 0 && n.dir != "" && len(found) > 1 {
		if here, err := repo.AtFolder(tx, n.dir); err == nil {
			narrow(func(w Worktree) bool { return w.RepoID == here.ID })
		}
	}
	return found
}

// prefer takes one of several rows that share a branch or path.
func (n naming) prefer(found []Worktree) (Worktree, bool) {
	if len(found) == 0 {
		return Worktree{}, false
	}
	return found[max(0, slices.IndexFunc(found, func(w Worktree) bool { return w.Status.Live() != n.trash }))], true
}

// ByRef returns the worktree of an id; a NotFound fault when there is none.
func ByRef(tx *registry.Tx, ref string) (Worktree, error) {
	w, err := scan(tx.QueryRow(selection+`WHERE w.ref = ?`, text.Key(ref)))
	if registry.NoRows(err) {
		err = fault.NotFound("worktree", ref)
	}
	return w, err
}

// AtFolder returns the worktree of this machine that a folder lies in, the innermost of
// several; a NotFound fault when it lies in none.
func AtFolder(tx *registry.Tx, folder string) (Worktree, error) {
	at, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return Worktree{}, fault.NotFound("worktree", folder)
	}
	marks, folders := registry.In(upwards(at))
	w, err := scan(tx.QueryRow(selection+`WHERE w.host = ? AND w.`+repo.LiveWorktree+` AND w.path IN (`+marks+`) ORDER BY LENGTH(w.path) DESC LIMIT 1`,
		append([]any{registry.Host()}, folders...)...))
	if registry.NoRows(err) {
		err = fault.NotFound("worktree", folder)
	}
	return w, err
}

// maxDepth bounds the folders above one that are looked at.
const maxDepth = 100

// upwards returns a folder and those above it, the innermost first.
func upwards(folder string) (folders []any) {
	for len(folders) < maxDepth {
		folders = append(folders, folder)
		if folder == filepath.Dir(folder) {
			break
		}
		folder = filepath.Dir(folder)
	}
	return folders
}

func ambiguous(ref string, found []Worktree) error {
	names := text.Each(found, func(w Worktree) string { return fmt.Sprintf("%s (%s)", w.Ref, cmp.Or(w.Branch, "on no branch")) })
	return fault.Validation("worktree_id", "%q may be any of %d worktrees: %s", ref, len(found), text.Few(names)).WithHint("give the id")
}

// notFound names what is nearest to the name; others are those without a row.
func (n naming) notFound(tx *registry.Tx, others []string) error {
	f := fault.NotFound("worktree", n.ref)
	if n.ref == "." {
		f.Message = "the folder you are in is not in a worktree that agit made"
		return f.WithHint("name a worktree of `agit status`, or change to its folder (`agit cd`)")
	}
	if n.trash {
		return f.WithHint("`agit cleanup --trash` lists what can be restored")
	}
	var task, status string
	switch err := tx.QueryRow(`SELECT ref, status FROM items WHERE ref_key = ? AND kind = 'task' AND deleted_at IS NULL LIMIT 1`, text.Key(n.ref)).Scan(&task, &status); {
	case err == nil:
		f.Message = fmt.Sprintf("task %q, which is %s, has no worktree", task, strings.ReplaceAll(status, "_", " "))
		if status == "completed" || status == "failed" {
			return f.WithHint("`agit tasks show %s` shows what came of it", text.ShellWord(task))
		}
		return f.WithHint("`agit begin %s` makes one", text.ShellWord(task))
	case !registry.NoRows(err):
		return err
	}
	if r, err := repo.Find(tx, n.ref); err == nil {
		f.Message = fmt.Sprintf("%q is a repository, and not a worktree", r.Name)
		return f.WithHint("`agit status %s` lists its worktrees; `agit repos --remove %[1]s` takes the repository off agit's lists", text.ShellWord(r.Name))
	} else if !fault.Is(err, fault.KindNotFound) && !fault.Is(err, fault.KindValidation) {
		return err
	}
	refs, err := registry.Collect(tx, registry.One[string],
		`SELECT ref FROM worktrees WHERE (? = 0 OR repo_id = ?) AND `+repo.LiveWorktree+` ORDER BY id DESC LIMIT 1000`, n.repoID, n.repoID)
	if err != nil {
		return err
	}
	if near := text.Nearest(n.ref, append(refs, others...)); near != "" {
		return f.WithHint("did you mean %q?", near)
	}
	if len(refs)+len(others) == 0 {
		return f.WithHint("there is none yet: `agit spawn` makes one")
	}
	return f.WithHint("`agit status` lists the worktrees; a branch, a task, an agent or a folder names one too")
}
