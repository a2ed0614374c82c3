// Package project finds the project that a folder belongs to, and keeps the rows of projects and of the folders seen for them. It writes
// `projects` and `project_folders`; nothing else does. Safe for concurrent use.
package project

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// Identity identifies the project of a folder.
type Identity struct {
	UID    string // stable id: a hash of the remote, else of the host and the folder
	Name   string
	Remote string // normalised; "" without one
	Folder string // real path of the repository's root, else of the folder
	Mark   string // of a repository: see MarkFile
}

// Identify finds the project of a folder without starting a process: by the
// remote of its repository, else the real path of the git root, else of the
// folder itself. Every clone and worktree of one remote is one project.
func Identify(folder string) (Identity, error) {
	real, err := realPath(folder)
	if err != nil {
		return Identity{}, fault.Validation("path", "folder %q cannot be read: %v", folder, err).WithHint("name a folder that exists")
	}
	repo, err := git.Find(real)
	if fault.Is(err, fault.KindNotFound) {
		return Identity{UID: folderID(real), Name: nameOf(real), Folder: real}, nil
	}
	if err != nil {
		return Identity{}, err
	}
	root := repo.MainFolder()
	id := Identity{Name: strings.TrimSuffix(nameOf(root), ".git"), Folder: root, Mark: Mark(repo.CommonDir)}
	remote, err := repo.RemoteURL()
	if err != nil {
		return Identity{}, err
	}
	if id.Remote = NormaliseRemote(remote); id.Remote != "" {
		id.UID = hash("remote", id.Remote)
		id.Name = path.Base(id.Remote)
		return id, nil
	}
	id.UID = folderID(root)
	return id, nil
}

func realPath(folder string) (string, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// nameOf names a project by its folder, whose bytes need not be valid UTF-8.
func nameOf(folder string) string { return strings.ToValidUTF8(filepath.Base(folder), "?") }

// folderID returns the id of a project without a remote: a hash of the host and the folder.
func folderID(folder string) string { return hash("folder", registry.Host()+"\x00"+folder) }

func hash(kind, value string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + value))
	return "p-" + hex.EncodeToString(sum[:8])
}

// NormaliseRemote reduces a git remote to host/path, so that all ways to write one remote become one text: scheme, user, port, `.git`, case
// and trailing slashes do not matter. A remote in the file system becomes its clean absolute path. "" stays "".
func NormaliseRemote(remote string) string {
	remote = strings.TrimSpace(remote)
	if remote == "" {
		return ""
	}
	host, where, local := splitRemote(remote)
	if local {
		if abs, err := filepath.Abs(where); err == nil {
			where = abs
		}
		if real, err := filepath.EvalSymlinks(where); err == nil {
			where = real
		}
		return strings.TrimSuffix(strings.TrimRight(filepath.ToSlash(where), "/"), ".git")
	}
	where = strings.TrimSuffix(strings.Trim(path.Clean("/"+where), "/"), ".git")
	where = strings.TrimSuffix(where, "/")
	return strings.ToLower(host + "/" + where)
}

// splitRemote splits the forms of git-clone(1), "GIT URLS": URLs, the scp form [user@]host:path, and plain paths.
func splitRemote(remote string) (host, where string, local bool) {
	if scheme, _, ok := strings.Cut(remote, "://"); ok && !strings.ContainsAny(scheme, "/\\") {
		u, err := url.Parse(remote)
		if err != nil {
			return "", remote, true
		}
		if u.Scheme == "file" {
			return "", u.Path, true
		}
		return u.Hostname(), u.Path, false
	}
	address := remote
	if user, rest, ok := strings.Cut(remote, "@"); ok && !strings.ContainsAny(user, ":/\\") {
		address = rest
	}
	if v6, rest, ok := strings.Cut(address, "]:"); ok && strings.HasPrefix(v6, "[") {
		return v6[1:], rest, false
	}
	before, after, ok := strings.Cut(address, ":")
	if ok && !strings.ContainsAny(before, "/\\") && !(len(before) == 1 && strings.HasPrefix(after, "\\")) {
		return before, after, false
	}
	return "", remote, true
}
