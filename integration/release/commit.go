package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// common is the folder of the module that the programs' modules require.
const common = "shared"

// release is a commit on top of a revision in which every installable module requires shared at the version itself. In the workspace a
// replace directive points to the folder beside them, which `go install` refuses.
type release struct {
	repo    string // git's folder
	work    string // holds the commit's files in tree, and its index
	version string
	commit  string
	when    time.Time
	modules []string // folders of the modules that have a version: shared first
	prefix  string   // their paths, without the folder
}

// newRelease creates the commit. Nothing refers to it until tag does.
func newRelease(ctx context.Context, repo, revision, version string) (_ *release, err error) {
	r := &release{version: version}
	if r.repo, err = (&release{}).git(ctx, "-C", repo, "rev-parse", "--absolute-git-dir"); err != nil {
		return nil, err
	}
	if r.work, err = os.MkdirTemp("", "agit-release-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	parent, err := r.git(ctx, "rev-parse", "--verify", "--quiet", revision+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("%q is not a commit", revision)
	}
	if err := r.export(ctx, parent); err != nil {
		return nil, err
	}
	if err := r.find(); err != nil {
		return nil, err
	}
	if err := r.rewrite(); err != nil {
		return nil, err
	}
	// The same revision makes the same commit: its dates are those of the revision.
	date, err := r.git(ctx, "show", "--no-patch", "--format=%cI", parent)
	if err != nil {
		return nil, err
	}
	if r.when, err = time.Parse(time.RFC3339, date); err != nil {
		return nil, err
	}
	if _, err := r.git(ctx, "--work-tree="+r.tree(), "-c", "core.autocrlf=false", "add", "--all", "--force", "."); err != nil {
		return nil, err
	}
	tree, err := r.git(ctx, "write-tree")
	if err != nil {
		return nil, err
	}
	r.commit, err = r.git(ctx, "commit-tree", tree, "-p", parent, "-m", "Release "+version, "-m",
		"The modules require each other at this version, so that `go install` takes them.")
	return r, err
}

func (r *release) close() { _ = os.RemoveAll(r.work) }

func (r *release) tree() string { return filepath.Join(r.work, "tree") }

// git runs git on the repository with the release's own index, and does not touch the user's index and files.
func (r *release) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = os.Environ()
	if r.repo != "" {
		cmd.Dir = r.work
		cmd.Env = append(cmd.Env, "GIT_DIR="+r.repo, "GIT_INDEX_FILE="+filepath.Join(r.work, "index"))
	}
	if !r.when.IsZero() {
		date := r.when.Format(time.RFC3339)
		cmd.Env = append(cmd.Env, "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	}
	out, err := cmd.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return "", fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}

// export writes the commit's files into the release's own folder.
func (r *release) export(ctx context.Context, commit string) error {
	if err := os.Mkdir(r.tree(), 0o755); err != nil {
		return err
	}
	if _, err := r.git(ctx, "read-tree", commit); err != nil {
		return err
	}
	_, err := r.git(ctx, "-c", "core.autocrlf=false", "checkout-index", "--all", "--prefix="+r.tree()+string(filepath.Separator))
	return err
}

// find lists the modules that get a version: shared, and those with a program.
func (r *release) find() error {
	files, err := filepath.Glob(filepath.Join(r.tree(), "*", "go.mod"))
	if err != nil {
		return err
	}
	r.modules = []string{common}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		folder := filepath.Dir(file)
		name := filepath.Base(folder)
		if name == common {
			r.prefix = path.Dir(modfile.ModulePath(text))
		} else if _, err := os.Stat(filepath.Join(folder, "main.go")); err == nil {
			r.modules = append(r.modules, name)
		}
	}
	if r.prefix == "" {
		return fmt.Errorf("the commit has no module %s", common)
	}
	return nil
}

func (r *release) path(name string) string { return r.prefix + "/" + name }

// rewrite adds the licence to each module, and makes program modules require shared at the version, with its checksums.
func (r *release) rewrite() error {
	licence, err := os.ReadFile(filepath.Join(r.tree(), "LICENSE"))
	if err != nil {
		return err
	}
	for _, name := range r.modules {
		if err := os.WriteFile(filepath.Join(r.tree(), name, "LICENSE"), licence, 0o644); err != nil {
			return err
		}
	}
	sums, err := r.sums(common)
	if err != nil {
		return err
	}
	for _, name := range r.modules[1:] {
		if err := r.require(name, sums); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (r *release) require(name, sums string) error {
	file := filepath.Join(r.tree(), name, "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	mod, err := modfile.Parse(file, text, nil)
	if err != nil {
		return err
	}
	for _, replace := range mod.Replace {
		if replace.Old.Path != r.path(common) {
			return fmt.Errorf("go.mod replaces %s, which `go install` refuses", replace.Old.Path)
		}
	}
	if err := errors.Join(mod.AddRequire(r.path(common), r.version), mod.DropReplace(r.path(common), "")); err != nil {
		return err
	}
	mod.Cleanup()
	if text, err = mod.Format(); err != nil {
		return err
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return err
	}
	known, err := os.ReadFile(filepath.Join(r.tree(), name, "go.sum"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(filepath.Join(r.tree(), name, "go.sum"), append([]byte(sums), known...), 0o644)
}

// sums are the lines of a go.sum for a module of the release.
func (r *release) sums(name string) (string, error) {
	packed := filepath.Join(r.work, name+".zip")
	if err := r.pack(name, packed); err != nil {
		return "", err
	}
	whole, err := dirhash.HashZip(packed, dirhash.Hash1)
	if err != nil {
		return "", err
	}
	mod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return os.Open(filepath.Join(r.tree(), name, "go.mod"))
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%[1]s %[2]s %[3]s\n%[1]s %[2]s/go.mod %[4]s\n", r.path(name), r.version, whole, mod), nil
}

// pack writes a module of the release as the go command packs it.
func (r *release) pack(name, file string) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	err = zip.CreateFromDir(out, module.Version{Path: r.path(name), Version: r.version}, filepath.Join(r.tree(), name))
	return errors.Join(err, out.Close())
}

// tags are the names of the release: its own, and one for each module, in the form that the go command expects.
func (r *release) tags() []string {
	all := []string{r.version}
	for _, name := range r.modules {
		all = append(all, name+"/"+r.version)
	}
	return all
}

// tag makes all of the tags, or none when one exists already.
func (r *release) tag(ctx context.Context) error {
	lines := "start\n"
	for _, tag := range r.tags() {
		lines += fmt.Sprintf("create refs/tags/%s %s\n", tag, r.commit)
	}
	file := filepath.Join(r.work, "refs")
	if err := os.WriteFile(file, []byte(lines+"prepare\ncommit\n"), 0o600); err != nil {
		return err
	}
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	cmd := exec.CommandContext(ctx, "git", "update-ref", "--stdin")
	cmd.Stdin, cmd.Env = in, append(os.Environ(), "GIT_DIR="+r.repo)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("tag the release: %s", strings.TrimSpace(string(said)))
	}
	return nil
}

func joined(words []string) string { return strings.Join(words, " ") }
