package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

func (d *Doctor) registry(ctx context.Context, _ bool) ([]Check, error) {
	report, err := d.DB.Check(ctx)
	if err != nil {
		return nil, err
	}
	if len(report.Problems) > 0 {
		return damaged(ctx, report.Path, report.Problems[0]), nil
	}
	if report.Engine != registry.EngineSQLite { // its files and its limits are the server's
		return []Check{{Name: "registry", Category: "registry", Status: OK,
			Message: fmt.Sprintf("%s is sound: schema %d, PostgreSQL %s, %s", report.Path, report.SchemaVersion, report.EngineVersion, text.Size(report.StoredBytes))}}, nil
	}
	sound := Check{Name: "registry", Category: "registry", Status: OK,
		Message: fmt.Sprintf("%s is sound: schema %d, SQLite %s, journal %s, %s of at most %s", report.Path, report.SchemaVersion, report.SQLiteVersion, report.JournalMode,
			text.Size(report.StoredBytes), text.Size(report.LimitBytes))}
	checks := []Check{canWrite(sound, registryFiles(report.Path), orElsewhere)}
	if report.StoredBytes > report.LimitBytes*9/10 {
		checks = append(checks, Check{Name: "registry size", Category: "registry", Status: Warning,
			Message: fmt.Sprintf("the registry uses %s of %s", text.Size(report.StoredBytes), text.Size(report.LimitBytes)),
			Fix:     "raise max_database_size, or give unused pages back with `agit db vacuum`"})
	}
	return checks, nil
}

// Damaged is the report on a registry that cannot be used: no other check is possible then. err holds what is wrong with it.
func Damaged(ctx context.Context, path string, err error) Report {
	return Report{Checks: damaged(ctx, path, fault.From(err).Message)}
}

// damaged names the command that mends a registry and the copies it can use.
func damaged(ctx context.Context, path, problem string) []Check {
	if !strings.Contains(problem, path) {
		problem = path + ": " + problem
	}
	broken := Check{Name: "registry", Category: "registry", Status: Error, Message: problem,
		Fix: "no copy was found beside it; `agit db restore FILE` puts a backup from elsewhere back and keeps the damaged file"}
	copies := registry.Copies(ctx, path)
	if len(copies) > 0 {
		broken.Fix = fmt.Sprintf("`agit db restore %s` puts the newest copy back and keeps the damaged file", text.ShellWord(copies[0].Path))
	}
	checks := []Check{broken}
	for _, c := range copies {
		checks = append(checks, Check{Name: "copy", Category: "registry", Status: OK,
			Message: fmt.Sprintf("%s, of %s, is sound", c.Path, c.Modified.Local().Format("2006-01-02 15:04"))})
	}
	return checks
}

// leftovers looks for copies of the registry that killed processes left.
func (d *Doctor) leftovers(_ context.Context, fix bool) ([]Check, error) {
	left := d.DB.Leftovers()
	if len(left) == 0 {
		return nil, nil
	}
	c := Check{Name: "leftovers", Category: "registry", Status: Warning,
		Message: fmt.Sprintf("processes that were killed left copies of a registry that nothing needs: %s", strings.Join(left, ", ")),
		Fix:     "`agit doctor --fix` removes them; the next `agit db merge` does too"}
	if !fix {
		return []Check{c}, nil
	}
	for _, path := range left {
		if err := os.RemoveAll(path); err != nil {
			c.Message += ": " + err.Error()
			return []Check{c}, nil
		}
	}
	c.Status, c.Fix = Fixed, "removed"
	return []Check{c}, nil
}

// registryFiles are what must be written for the registry to take anything.
func registryFiles(path string) []string {
	return []string{filepath.Dir(path), path, path + "-wal", path + "-shm", path + "-present"}
}

// repoFolders are the folders that git and agit write for a commit, a branch or a worktree.
func repoFolders(r repo.Repo) []string {
	folders := []string{r.CommonDir, filepath.Join(r.CommonDir, "refs"), filepath.Join(r.CommonDir, "refs", "heads"), r.Path, filepath.Join(r.CommonDir, "objects"),
		filepath.Join(r.CommonDir, "agit"), filepath.Join(r.CommonDir, "agit", "trash")}
	fanned, _ := os.ReadDir(filepath.Join(r.CommonDir, "objects")) // `sudo git` leaves some that are root's
	for _, entry := range fanned {
		if entry.IsDir() {
			folders = append(folders, filepath.Join(r.CommonDir, "objects", entry.Name()))
		}
	}
	return folders
}

// unwritable names the first of the paths that exists and cannot be written, why, and what to do; "" when all can.
func unwritable(paths []string, elsewhere string, writable func(string) error) (problem, fix string) {
	for _, path := range paths {
		err := writable(path)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if errors.Is(err, syscall.EROFS) {
			return fmt.Sprintf("%q cannot be written: its file system is read-only", path), "mount it for writing" + elsewhere
		}
		return fmt.Sprintf("%q cannot be written: permission denied", path),
			fmt.Sprintf("`ls -ld %s` shows whose it is; `chmod u+w` lets you write what is yours", text.ShellWord(path)) + elsewhere
	}
	return "", ""
}

// orElsewhere is what else helps where the registry cannot be written.
const orElsewhere = "; or set AGIT_HOME to a folder of your own"

// Shut is the report on a registry that could not be opened because it cannot be written; false when that is not why.
func Shut(path string) (Report, bool) {
	c := canWrite(Check{Name: "registry", Category: "registry", Status: OK}, registryFiles(path), orElsewhere)
	return Report{Checks: []Check{c}}, c.Status == Error
}

// Unopened is the report on a registry that could not be opened, for the reason err, with the room on its disk.
func Unopened(path string, err error) Report {
	free, known := durable.Free(filepath.Dir(path))
	return Report{Checks: room([]Check{failed("registry", "registry", err)}, "registry", free, known)}
}

// canWrite turns a passed check into an error when one of the paths cannot be written.
func canWrite(c Check, paths []string, elsewhere string) Check {
	if problem, fix := unwritable(paths, elsewhere, durable.Writable); problem != "" && c.Status == OK {
		c.Status, c.Message, c.Fix = Error, problem, fix
	}
	return c
}

// scarce is how little room is worth a warning: worktrees are checkouts, and an
// upgrade of the registry keeps a copy of it.
const scarce = 1 << 30

// full is how little room keeps git and the registry from writing.
const full = 16 << 20

// disk looks how much room is left where the registry and the repositories are, and whether temporary files can be made.
func (d *Doctor) disk(all []repo.Repo) []Check {
	home := filepath.Dir(d.DB.Path())
	free, known := durable.Free(home)
	checks := room(nil, "registry", free, known)
	for _, r := range all {
		there, known := durable.Free(r.Path)
		checks = room(checks, "repository "+r.Name, there, known)
	}
	dir, err := os.MkdirTemp("", "agit-doctor-")
	if err != nil {
		checks = append(checks, failed("temporary files", "disk", git.TempFault(err)))
	}
	_ = os.Remove(dir)
	if len(checks) > 0 {
		return checks
	}
	message := "the system does not say how much room is left"
	if known {
		message = fmt.Sprintf("%d GB are free where the registry is", free>>30)
	}
	return []Check{{Name: "disk", Category: "disk", Status: OK, Message: message}}
}

func room(checks []Check, whose string, free uint64, known bool) []Check {
	if !known || free >= scarce {
		return checks
	}
	c := Check{Name: "disk", Category: "disk", Status: Warning, Message: fmt.Sprintf("%d MB are left where the %s is", free>>20, whose),
		Fix: "make room; `agit cleanup` moves worktrees that are done into the trash, which is emptied after its time"}
	if free < full { // no command of ours may work
		c.Status, c.Message, c.Fix = Error, fmt.Sprintf("hardly any room is left where the %s is: %d kB are left", whose, free>>10), "free some space on that disk"
	}
	return append(checks, c)
}
