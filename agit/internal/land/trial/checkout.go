package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// place is where the gate of a repository's trials runs: a working tree with a git directory of its own, which reads the objects
// of the trial and, through those, of the user's repository.
type place struct {
	dir  string
	repo *git.Repo
}

// keptIndex names the copy of the index from before a gate ran: it has no flags that hide a file from git.
const keptIndex = "agit-kept.index"

// at brings the checkout to a commit, as new: files that an earlier gate left there are gone.
func (t *trying) at(ctx context.Context, commit string) (*place, error) {
	c := &place{dir: filepath.Join(t.folder(), t.r.UID)}
	if err := c.bring(ctx, t, commit, true); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := os.RemoveAll(c.dir); err != nil {
			return nil, fault.Operation(err, "remove the checkout %q of an earlier trial", c.dir)
		}
		if err := c.bring(ctx, t, commit, false); err != nil {
			return nil, err
		}
	}
	other, err := land.Strangers(ctx, c.repo, commit, c.dir)
	if err != nil {
		return nil, err
	}
	if len(other) > 0 {
		return nil, fault.Operation(nil, "in the checkout that the gate would judge, %s not as the worktrees have them: %s", text.Count(len(other), "file is", "files are"), text.Few(other)).
			WithHint("look for a filter or attribute in git's configuration that is in no commit, then try again")
	}
	err = t.Landings.Trees.Inclusion(t.g, t.r, t.judgement.Set, t.judgement.Commit).Copy(ctx, c.dir, t.Landings.Trees.Notice)
	return c, err
}

// bring writes the files of a commit. With kept it starts from the checkout of an earlier trial.
func (c *place) bring(ctx context.Context, t *trying, commit string, kept bool) error {
	gitDir := filepath.Join(c.dir, ".git")
	index := filepath.Join(gitDir, "index")
	if kept {
		if err := c.own(gitDir); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(gitDir, keptIndex), index); err != nil {
			return err
		}
	}
	if err := c.write(ctx, t, gitDir, commit); err != nil {
		return err
	}
	c.repo = &git.Repo{GitDir: gitDir, CommonDir: gitDir, WorkTree: c.dir}
	if _, err := c.repo.Run(ctx, "read-tree", "--reset", "-u", commit); err != nil {
		return git.Fault(err, "check out the merged worktrees in %q", c.dir)
	}
	if _, err := c.repo.Run(ctx, "clean", "-ffdxq"); err != nil {
		return git.Fault(err, "clear the checkout %q", c.dir)
	}
	data, err := os.ReadFile(index)
	if err == nil {
		err = os.WriteFile(filepath.Join(gitDir, keptIndex), data, 0o600)
	}
	if err != nil {
		return fault.Operation(err, "keep the index of %q", c.dir)
	}
	return nil
}

// own refuses any folder but the checkout that a trial made: a gate runs what an agent wrote, and could put a link in its place.
func (c *place) own(gitDir string) error {
	for _, dir := range []string{c.dir, gitDir} {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			return fault.Operation(err, "%q is not the folder that a trial made", dir)
		}
	}
	return nil
}

// write makes the git directory anew, whatever a gate did to it. It has the settings of the user's repository, for filters, its branches,
// tags and cut-off history, for gates that ask git about them, and no hooks.
func (c *place) write(ctx context.Context, t *trying, gitDir, commit string) (err error) {
	refs, err := t.g.Run(ctx, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags", "refs/remotes")
	if err != nil {
		return git.Fault(err, "list the branches and tags for a trial")
	}
	shallow, err := os.ReadFile(filepath.Join(t.g.CommonDir, "shallow"))
	if err != nil && !os.IsNotExist(err) {
		return fault.Operation(err, "read where the history of %q is cut off", t.g.CommonDir)
	}
	err = nil
	for _, name := range []string{"refs", "packed-refs", "shallow", "objects", "info", "config", "HEAD"} {
		err = errors.Join(err, os.RemoveAll(filepath.Join(gitDir, name)))
	}
	for _, folder := range []string{"refs", filepath.Join("objects", "info"), filepath.Join("objects", "pack")} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(gitDir, folder), 0o700))
	}
	for name, content := range map[string]string{
		"HEAD": commit + "\n", "config": t.config(c.dir, len(commit) == 64), "packed-refs": refs + "\n", "shallow": string(shallow),
		filepath.Join("objects", "info", "alternates"): git.Quote(t.states.Objects()) + "\n",
	} {
		if content == "" { // an empty file of them makes the history count as cut off
			continue
		}
		err = errors.Join(err, os.WriteFile(filepath.Join(gitDir, name), []byte(content), 0o600))
	}
	if err != nil {
		return fault.Operation(err, "make the checkout of a trial in %q", c.dir)
	}
	return nil
}

// config is git's configuration of the checkout.
func (t *trying) config(dir string, sha256 bool) string {
	version, extensions := 0, ""
	if sha256 {
		version, extensions = 1, "[extensions]\n\tobjectformat = sha256\n"
	}
	if config, err := t.g.Config(); err == nil { // what a partial clone lacks is fetched into the checkout's own git directory
		if remote, ok := config.Get("extensions.partialclone"); ok {
			version, extensions = 1, extensions+"[extensions]\n\tpartialClone = "+setting(remote)+"\n"
		}
	}
	return fmt.Sprintf("[include]\n\tpath = %s\n[core]\n\trepositoryformatversion = %d\n\tbare = false\n\tworktree = %s\n"+
		"\tlogAllRefUpdates = false\n\thooksPath = %s\n\tfsmonitor = false\n\tsparseCheckout = false\n%s",
		setting(filepath.Join(t.g.CommonDir, "config")), version, setting(dir), os.DevNull, extensions)
}

// setting returns a value as git's configuration files write it.
func setting(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(value) + `"`
}
