package git

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// Head is the target of a HEAD.
type Head struct {
	// Ref is the full name of the branch, empty when HEAD is detached.
	Ref string
	// OID is the commit, empty on a branch without one and in a worktree that git is making.
	OID string
}

// Branch is the branch's short name, empty when HEAD is detached.
func (h Head) Branch() string { return strings.TrimPrefix(h.Ref, "refs/heads/") }

// Head reads this working tree's HEAD.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	if r.otherRefFormat() {
		ref, err := r.symbolicRef(ctx, "HEAD")
		if err != nil {
			return Head{}, err
		}
		oid, err := r.refFromGit(ctx, "HEAD")
		return Head{Ref: ref, OID: oid}, err
	}
	text, err := os.ReadFile(filepath.Join(r.GitDir, "HEAD"))
	if err != nil {
		return Head{}, fault.Operation(err, "read HEAD of %q", r.Dir())
	}
	value := strings.TrimSpace(string(text))
	ref, symbolic := strings.CutPrefix(value, "ref:")
	if !symbolic {
		switch {
		case !IsOID(value): // a power cut or a full disk leaves it empty
			return Head{}, fault.Operation(nil, "HEAD of %q names neither a branch nor a commit", r.Dir()).
				WithHint("write the branch of that folder into %q, as in `ref: refs/heads/main`", filepath.Join(r.GitDir, "HEAD"))
		case value == ZeroOID(value): // `git worktree add` begins with it
			value = ""
		}
		return Head{OID: value}, nil
	}
	ref = strings.TrimSpace(ref)
	oid, err := r.Resolve(ctx, ref)
	return Head{Ref: ref, OID: oid}, err
}

// Resolve returns the object a full ref name ("refs/heads/main") points at, or
// "" when there is no such ref. Symbolic refs are followed.
func (r *Repo) Resolve(ctx context.Context, ref string) (string, error) {
	if r.otherRefFormat() {
		return r.refFromGit(ctx, ref)
	}
	for range 5 { // git's own limit on symbolic refs
		value, err := r.looseRef(ref)
		if err != nil {
			return "", err
		}
		if value == "" {
			return r.packedRef(ref)
		}
		next, symbolic := strings.CutPrefix(value, "ref:")
		if !symbolic {
			return value, nil
		}
		ref = strings.TrimSpace(next)
	}
	return "", fault.Operation(nil, "ref %q of %q points at itself", ref, r.Dir())
}

// symbolicRef returns the target of a symbolic ref, "" for another ref.
func (r *Repo) symbolicRef(ctx context.Context, ref string) (string, error) {
	if r.otherRefFormat() {
		target, err := r.Run(ctx, "symbolic-ref", "-q", ref)
		if ExitCode(err) == 1 {
			return "", nil
		}
		return target, err
	}
	value, err := r.looseRef(ref)
	if err != nil {
		return "", err
	}
	if target, ok := strings.CutPrefix(value, "ref:"); ok {
		return strings.TrimSpace(target), nil
	}
	return "", nil
}

func (r *Repo) looseRef(ref string) (string, error) {
	path := filepath.Join(r.CommonDir, filepath.FromSlash(ref))
	text, err := os.ReadFile(path)
	if err == nil && !namesObject(string(text)) && strings.HasPrefix(ref, "refs/") {
		return "", fault.Operation(nil, "ref %q of %q names no object", ref, r.Dir()).
			WithHint("a power cut can empty a ref that was not synced; `agit doctor` names its last commit")
	}
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	// If refs/heads/a/b exists, refs/heads/a is a folder, and if refs/heads/a exists, it is a file.
	if info, statErr := os.Stat(path); statErr != nil && !errors.Is(statErr, fs.ErrPermission) || statErr == nil && info.IsDir() {
		return "", nil
	}
	return "", fault.Operation(err, "read ref %q", ref)
}

func (r *Repo) packedRef(ref string) (string, error) {
	found := ""
	err := r.eachPackedRef(func(oid, name string) bool {
		if name == ref {
			found = oid
		}
		return found == ""
	})
	return found, err
}

func (r *Repo) eachPackedRef(yield func(oid, name string) bool) error {
	file, err := os.Open(filepath.Join(r.CommonDir, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Operation(err, "read packed refs of %q", r.Dir())
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		oid, name, ok := strings.Cut(lines.Text(), " ")
		if !ok || !IsOID(oid) {
			continue // header and peeled tags
		}
		if !yield(oid, name) {
			return nil
		}
	}
	return lines.Err()
}

// Branches are the short names of the local branches, sorted.
func (r *Repo) Branches(ctx context.Context) ([]string, error) {
	if r.otherRefFormat() {
		out, err := r.Run(ctx, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
		if err != nil || out == "" {
			return nil, err
		}
		return strings.Split(out, "\n"), nil
	}
	names, err := r.looseRefs("refs/heads/")
	if err != nil {
		return nil, fault.Operation(err, "list branches of %q", r.Dir())
	}
	err = r.eachPackedRef(func(_, name string) bool {
		if short, ok := strings.CutPrefix(name, "refs/heads/"); ok {
			names = append(names, short)
		}
		return true
	})
	slices.Sort(names)
	return slices.Compact(names), err
}

// looseRefs returns the names behind a beginning of the refs that are files of their own.
func (r *Repo) looseRefs(beginning string) (names []string, err error) {
	root := filepath.Join(r.CommonDir, filepath.FromSlash(beginning))
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, ".lock") {
			return err
		}
		rel, err := filepath.Rel(root, path)
		names = append(names, filepath.ToSlash(rel))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return names, err
}

// RemoteBranch is a remote-tracking branch as it was fetched last.
type RemoteBranch struct {
	Name string // short, with the remote's: "origin/main"
	OID  string
}

// RemoteBranches returns the remote-tracking branches, by name; symbolic ones, such as origin/HEAD, are left out.
func (r *Repo) RemoteBranches(ctx context.Context) ([]RemoteBranch, error) {
	const root = "refs/remotes/"
	found := map[string]string{}
	if r.otherRefFormat() {
		out, err := r.Run(ctx, "for-each-ref", "--format=%(objectname) %(refname) %(symref)", root)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(out) {
			if f := strings.Fields(line); len(f) == 2 {
				found[strings.TrimPrefix(f[1], root)] = f[0]
			}
		}
		return sortedBranches(found), nil
	}
	if err := r.eachPackedRef(func(oid, name string) bool {
		if short, ok := strings.CutPrefix(name, root); ok {
			found[short] = oid
		}
		return true
	}); err != nil {
		return nil, err
	}
	names, err := r.looseRefs(root)
	if err != nil {
		return nil, fault.Operation(err, "list remote branches of %q", r.Dir())
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(r.CommonDir, filepath.FromSlash(root+name)))
		if oid := strings.TrimSpace(string(text)); err == nil && IsOID(oid) { // a ref that was packed meanwhile was read before
			found[name] = oid
		}
	}
	return sortedBranches(found), nil
}

func sortedBranches(found map[string]string) []RemoteBranch {
	all := make([]RemoteBranch, 0, len(found))
	for name, oid := range found {
		all = append(all, RemoteBranch{name, oid})
	}
	slices.SortFunc(all, func(a, b RemoteBranch) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// FetchedAt returns when a fetch last wrote its result, the zero time when none did.
func (r *Repo) FetchedAt() time.Time {
	info, err := os.Stat(filepath.Join(r.CommonDir, "FETCH_HEAD"))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// otherRefFormat reports whether refs are kept in another format than files (reftable), so that only git itself can read them.
func (r *Repo) otherRefFormat() bool {
	_, err := os.Stat(filepath.Join(r.CommonDir, "reftable"))
	return err == nil
}

func (r *Repo) refFromGit(ctx context.Context, ref string) (string, error) {
	oid, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref)
	if ExitCode(err) == 1 {
		return "", nil
	}
	return oid, err
}

// ValidBranch reports whether git accepts name as a new branch's, by the rules
// of git-check-ref-format(1), --branch.
func ValidBranch(name string) bool {
	if name == "" || name == "@" || name == "HEAD" || name[0] == '-' || len(name) > maxBranch ||
		strings.HasSuffix(name, ".") || strings.Contains(name, "..") || strings.Contains(name, "@{") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) })
}

// maxBranch keeps a branch, its reflog and its lock file within the 255 bytes
// that file systems give one name.
const maxBranch = 240
