package scan

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gitindex"
)

// FileNow returns a single file of a work tree as git would store it, compared with base, its earlier version. It reads only that file and
// starts git only when the content goes through a filter. ignored is true when the file is new and git would ignore it.
func FileNow(ctx context.Context, repo *git.Repo, hash Hash, path string, base Blob) (now Blob, ignored bool, err error) {
	disk := filepath.Join(repo.WorkTree, filepath.FromSlash(path))
	st := statPath(disk)
	if st.exists() && linked(repo.WorkTree, path) {
		st = Stat{} // it is behind a symbolic link, so not in the work tree
	}
	switch {
	case base.Mode == gitindex.ModeGitlink && st.Mode == modeFolder:
		if commit := submoduleHead(ctx, repo.WorkTree, []byte(path)); commit != "" {
			return Blob{Mode: base.Mode, OID: commit}, false, nil
		}
		return base, false, nil
	case !st.exists() || st.Mode == modeFolder:
		if base.Mode != 0 {
			if e, ok := indexEntry(repo, hash, path); ok && e.SkipWorktree {
				return base, false, nil // excluded by a sparse checkout
			}
		}
		return Blob{}, false, nil
	}
	got, err := readContent(disk, hash)
	if errors.Is(err, fs.ErrNotExist) {
		return Blob{}, false, nil
	}
	if err != nil {
		return Blob{}, false, fault.Operation(err, "read %q in %q", path, repo.WorkTree)
	}
	now = Blob{Mode: got.stat.Mode, OID: got.oid}
	if now == base {
		return now, false, nil
	}
	config, err := readConfig(repo)
	if err != nil {
		return Blob{}, false, err
	}
	bits, set := config.get("core.filemode")
	now.Mode = recorded(now.Mode, base.Mode, !set || isTrue(bits), true)
	if base.Mode == 0 && config.ignores(repo, path) && !tracked(repo, hash, path) {
		return Blob{}, true, nil
	}
	if now.OID != base.OID && base.Mode != 0 && config.mayConvert(repo, path, got) {
		oid, err := repo.Output(ctx, git.Options{Config: quiet}, "hash-object", "--path="+path, "--", filepath.FromSlash(path))
		if err == nil { // when a filter cannot run, all that is known is that the bytes differ
			now.OID = strings.TrimSpace(string(oid))
		}
	}
	return now, false, nil
}

// linked reports whether a folder on the way to path is a symbolic link.
func linked(root, path string) bool {
	for i, c := range path {
		if c == '/' && statPath(filepath.Join(root, filepath.FromSlash(path[:i]))).Mode != modeFolder {
			return true
		}
	}
	return false
}

// fileConfig is the part of git's configuration that affects a single file. It is read without starting git.
type fileConfig struct {
	user, own *git.Config
}

func readConfig(repo *git.Repo) (fileConfig, error) {
	own, err := repo.Config()
	if err != nil {
		return fileConfig{}, err
	}
	user, err := git.UserConfig()
	if err != nil {
		return fileConfig{}, err
	}
	return fileConfig{user, own}, nil
}

func (c fileConfig) get(key string) (string, bool) {
	if v, ok := c.own.Get(key); ok {
		return v, true
	}
	return c.user.Get(key)
}

func (c fileConfig) ignores(repo *git.Repo, path string) bool {
	excludes := userFile("ignore")
	if v, ok := c.get("core.excludesfile"); ok {
		excludes, _ = expand(v)
	}
	at := &rules{root: repo.WorkTree, shared: loadSharedRules(filepath.Join(repo.CommonDir, "info", "exclude"), excludes)}
	parts := strings.Split(path, "/")
	for _, dir := range parts[:len(parts)-1] {
		if at.ignores(dir, true) {
			return true
		}
		at = at.below(dir)
	}
	return at.ignores(parts[len(parts)-1], false)
}

// mayConvert reports whether any attribute or setting could make git store other bytes than are on disk.
func (c fileConfig) mayConvert(repo *git.Repo, path string, got content) bool {
	if got.stat.Mode == gitindex.ModeSymlink {
		return false
	}
	autocrlf, _ := c.get("core.autocrlf")
	if got.cr && autocrlf != "" && !strings.EqualFold(autocrlf, "false") {
		return true
	}
	attributes := userFile("attributes")
	if v, ok := c.get("core.attributesfile"); ok {
		attributes, _ = expand(v)
	}
	files := append(systemAttributes(), attributes, filepath.Join(repo.CommonDir, "info", "attributes"))
	for dir := filepath.Dir(filepath.FromSlash(path)); ; dir = filepath.Dir(dir) {
		files = append(files, filepath.Join(repo.WorkTree, dir, ".gitattributes"))
		if dir == "." {
			break
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if got.cr || mentionsConversion(text) {
			return true
		}
	}
	return false
}

// tracked reports whether the index has the path.
func tracked(repo *git.Repo, hash Hash, path string) bool {
	e, ok := indexEntry(repo, hash, path)
	return ok && !e.IntentToAdd
}

func indexEntry(repo *git.Repo, hash Hash, path string) (gitindex.Entry, bool) {
	buf, err := os.ReadFile(filepath.Join(repo.GitDir, "index"))
	if err != nil {
		return gitindex.Entry{}, false
	}
	ix, err := gitindex.Parse(buf, hash.Len())
	if errors.Is(err, gitindex.ErrElsewhere) {
		return gitindex.Entry{SkipWorktree: true}, true // a sparse index: paths missing from it are not checked out
	}
	if err != nil {
		return gitindex.Entry{}, false
	}
	return ix.Find(path)
}
