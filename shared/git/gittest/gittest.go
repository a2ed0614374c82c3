// Package gittest makes real repositories for tests, cut off from the user's
// and the machine's git configuration. It is for tests only. A Repo belongs to
// one test.
package gittest

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/agit-suite/agit/shared/git"
)

var isolate sync.Once

// Isolate sets this process's environment so that git reads no configuration
// of the user or machine and commits as a fixed author. New calls it.
func Isolate() {
	isolate.Do(func() {
		for name, value := range map[string]string{
			"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
			"GIT_AUTHOR_NAME": "Ada Author", "GIT_AUTHOR_EMAIL": "ada@example.org",
			"GIT_COMMITTER_NAME": "Carl Committer", "GIT_COMMITTER_EMAIL": "carl@example.org",
			"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false", // saves a process in each commit
		} {
			os.Setenv(name, value)
		}
	})
}

// Repo is a repository in a temporary folder.
type Repo struct {
	t testing.TB
	// Dir is the root of the working tree (or the bare repository), symbolic
	// links resolved.
	Dir string
}

// New makes an empty repository on branch main.
func New(t testing.TB) *Repo { return NewAt(t, filepath.Join(TempDir(t), "repo")) }

// NewAt makes an empty repository on branch main in dir, unless there is one.
func NewAt(t testing.TB, dir string) *Repo {
	t.Helper()
	Isolate()
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		return &Repo{t, dir}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	made, err := empty()
	if err == nil {
		err = os.CopyFS(filepath.Join(dir, ".git"), made)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, ".git", "info"), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &Repo{t, dir}
}

// empty returns the .git folder of a repository without commits, made once in a process, so that a test starts one git less.
var empty = sync.OnceValues(func() (fs.FS, error) {
	dir, err := os.MkdirTemp("", "agit-gittest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("git", "init", "--quiet", "--template=", "--initial-branch=main", dir)
	cmd.Env = git.Environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git init: %w\n%s", err, out)
	}
	files := fstest.MapFS{}
	folder := os.DirFS(filepath.Join(dir, ".git"))
	return files, fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		file := &fstest.MapFile{Mode: info.Mode()}
		if info.Mode().IsRegular() {
			file.Data, err = fs.ReadFile(folder, name)
		}
		files[name] = file
		return err
	})
})

// NewBare makes an empty bare repository whose HEAD is main.
func NewBare(t testing.TB) *Repo {
	t.Helper()
	Isolate()
	r := &Repo{t, filepath.Join(TempDir(t), "bare.git")}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.Git("init", "--quiet", "--bare", "--template=", "--initial-branch=main")
	return r
}

// TempDir is t.TempDir with symbolic links resolved.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// At is the same repository seen from another working tree or folder.
func (r *Repo) At(dir string) *Repo { return &Repo{r.t, dir} }

// Repo opens the repository as the code under test sees it.
func (r *Repo) Repo() *git.Repo {
	r.t.Helper()
	repo, err := git.Find(r.Dir)
	if err != nil {
		r.t.Fatal(err)
	}
	return repo
}

// Git runs git and returns what it printed, trimmed; the test fails when git does.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	out, err := r.TryGit(args...)
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// TryGit runs git and returns what it printed, both streams, trimmed.
func (r *Repo) TryGit(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.Dir
	cmd.Env = git.Environment()
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// Path is a file of the working tree.
func (r *Repo) Path(name string) string { return filepath.Join(r.Dir, filepath.FromSlash(name)) }

// Write makes or replaces a file.
func (r *Repo) Write(name, content string) {
	r.t.Helper()
	path := r.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// Read returns a file's content, "" when it is missing.
func (r *Repo) Read(name string) string {
	r.t.Helper()
	text, err := os.ReadFile(r.Path(name))
	if err != nil && !os.IsNotExist(err) {
		r.t.Fatal(err)
	}
	return string(text)
}

// Remove deletes a file.
func (r *Repo) Remove(name string) {
	r.t.Helper()
	if err := os.Remove(r.Path(name)); err != nil {
		r.t.Fatal(err)
	}
}

// Commit commits everything, after writing files given as name and content in
// turn, and returns the commit's name.
func (r *Repo) Commit(message string, files ...string) string {
	r.t.Helper()
	for i := 0; i+1 < len(files); i += 2 {
		r.Write(files[i], files[i+1])
	}
	r.Git("add", "--all")
	r.Git("commit", "--quiet", "--allow-empty", "--message", message)
	return r.Head()
}

// Branch makes a branch at HEAD without checking it out.
func (r *Repo) Branch(name string) { r.t.Helper(); r.Git("branch", name) }

// Checkout switches to a branch or commit.
func (r *Repo) Checkout(name string) { r.t.Helper(); r.Git("checkout", "--quiet", name) }

// Head is the commit checked out.
func (r *Repo) Head() string {
	r.t.Helper()
	head, err := r.Repo().Head(r.t.Context())
	if err != nil || head.OID == "" {
		r.t.Fatalf("the commit checked out in %s is %q, %v", r.Dir, head.OID, err)
	}
	return head.OID
}

// Worktree adds a linked worktree on a new branch beside the repository and
// returns it.
func (r *Repo) Worktree(branch string) *Repo {
	r.t.Helper()
	dir := filepath.Join(filepath.Dir(r.Dir), "wt-"+strings.ReplaceAll(branch, "/", "-"))
	r.Git("worktree", "add", "--quiet", "-b", branch, dir)
	return r.At(dir)
}
