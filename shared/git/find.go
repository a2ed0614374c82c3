package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Find returns the repository that path lies in, reading files only. Like git it looks for a .git folder or file, or a bare repository, in
// path and the folders above it; a path inside a .git folder belongs to its repository. It returns a *fault.Fault of kind NotFound when
// there is none.
func Find(path string) (*Repo, error) {
	start, err := filepath.Abs(path)
	if err != nil { // it is relative to nothing
		return nil, fault.Operation(nil, "the current folder does not exist any more").WithHint("change to another folder")
	}
	info, err := os.Stat(start)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.NotFound("folder", path).WithHint("check the spelling, or give the folder's new place")
	case err != nil:
		return nil, fault.Operation(err, "look at %q", path)
	}
	start = real(start)
	if !info.IsDir() {
		start = filepath.Dir(start)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if repo, err := at(dir); repo != nil || err != nil {
			return repo, err
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	missing := fault.NotFound("repository", path)
	missing.Message = fmt.Sprintf("%q is not inside a git repository", path)
	return nil, missing.WithHint("give the folder of one")
}

// at returns the repository whose root is exactly dir, or nil.
func at(dir string) (*Repo, error) {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Stat(dotGit)
	switch {
	case err == nil && info.IsDir():
		if isGitDir(dotGit) {
			return open(real(dotGit), dir)
		}
	case err == nil:
		gitDir, err := ReadGitFile(dotGit)
		if err != nil {
			return nil, err
		}
		if !isGitDir(gitDir) {
			return nil, fault.Operation(nil, "%q points to %q, which is not a git directory (any more)", dotGit, gitDir).
				WithHint("if the repository was moved, run `git worktree repair` in its main folder")
		}
		return open(gitDir, dir)
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission):
		return nil, fault.Operation(err, "look at %q", dotGit)
	}
	if isGitDir(dir) {
		return open(dir, "")
	}
	return nil, nil
}

// ReadGitFile returns the git directory that a .git file points to.
func ReadGitFile(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fault.Operation(err, "read %q", path)
	}
	target, ok := strings.CutPrefix(string(text), "gitdir:")
	target = strings.Trim(target, " \r\n")
	if !ok || target == "" {
		return "", fault.Operation(nil, "%q is neither a git directory nor a file that points to one", path)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(path), target)
	}
	return real(target), nil
}

// isGitDir is git's own test: a HEAD, and objects and refs here or in the
// common directory.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	common := commonDir(dir)
	return isFolder(filepath.Join(common, "objects")) && isFolder(filepath.Join(common, "refs"))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func commonDir(gitDir string) string {
	text, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	common := strings.TrimRight(string(text), "\r\n")
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitDir, common)
	}
	return real(common)
}

// open describes the repository with this git directory; workTree is the folder
// its .git was found in, empty when the git directory itself was.
func open(gitDir, workTree string) (*Repo, error) {
	r := &Repo{GitDir: gitDir, CommonDir: commonDir(gitDir)}
	if r.Linked() {
		if workTree == "" { // inside .git/worktrees/NAME
			back, err := ReadBackPointer(gitDir)
			if err != nil {
				return nil, err
			}
			workTree = real(filepath.Dir(back))
		}
		r.WorkTree = workTree
		return r, nil
	}
	config, err := r.Config()
	if err != nil {
		return nil, err
	}
	if place, ok := config.Get("core.worktree"); ok && place != "" {
		if !filepath.IsAbs(place) {
			place = filepath.Join(gitDir, place)
		}
		r.WorkTree = real(place)
		return r, nil
	}
	bare, set := config.Bool("core.bare")
	switch {
	case set && bare:
		r.Bare = true
	case workTree != "":
		r.WorkTree = workTree
	case filepath.Base(gitDir) == ".git":
		r.WorkTree = filepath.Dir(gitDir)
	default:
		if r.WorkTree = notedFolder(gitDir); r.WorkTree == "" {
			r.Bare, r.Elsewhere = true, set
		}
	}
	return r, nil
}

// folderNote is the file in the git directory that NoteFolder writes.
const folderNote = "agit/folder"

// NoteFolder records the main working tree in a git directory that lies apart from it (git init --separate-git-dir, or a link in the place
// of .git), so that it can be found from a linked worktree.
func (r *Repo) NoteFolder() error {
	if r.Linked() || r.Bare || r.WorkTree == "" || real(filepath.Join(r.WorkTree, ".git")) == filepath.Join(r.WorkTree, ".git") && filepath.Dir(r.GitDir) == r.WorkTree {
		return nil
	}
	path := filepath.Join(r.GitDir, filepath.FromSlash(folderNote))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fault.Operation(err, "note in %q where its files are", r.GitDir)
	}
	if err := os.WriteFile(path, []byte(r.WorkTree+"\n"), 0o644); err != nil {
		return fault.Operation(err, "note in %q where its files are", r.GitDir)
	}
	return nil
}

// notedFolder returns the recorded folder, if its .git still leads to the git directory.
func notedFolder(gitDir string) string {
	text, err := os.ReadFile(filepath.Join(gitDir, filepath.FromSlash(folderNote)))
	if err != nil {
		return ""
	}
	folder := strings.TrimRight(string(text), "\r\n")
	at := filepath.Join(folder, ".git")
	info, err := os.Stat(at)
	if err != nil || !filepath.IsAbs(folder) {
		return ""
	}
	leads := real(at)
	if !info.IsDir() {
		if leads, err = ReadGitFile(at); err != nil {
			return ""
		}
	}
	if leads != gitDir {
		return ""
	}
	return real(folder)
}

// ReadBackPointer returns the .git file that a linked worktree's git directory names as its own.
func ReadBackPointer(gitDir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(gitDir, "gitdir"))
	if err != nil {
		return "", fault.Operation(err, "read where worktree %q is", filepath.Base(gitDir))
	}
	back := strings.TrimRight(string(text), "\r\n")
	if !filepath.IsAbs(back) { // worktree.useRelativePaths
		back = filepath.Join(gitDir, back)
	}
	return filepath.Clean(back), nil
}
