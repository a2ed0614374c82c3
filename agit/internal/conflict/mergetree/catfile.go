package mergetree

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/shared/git"
)

// contentsPerRun bounds how many texts one run of git returns.
const contentsPerRun = 2000

// Contents returns the texts of blobs, each named by its object or as "commit:path". A blob that is missing or larger than limit bytes has
// no text. store may be nil when all are in the repository.
func Contents(ctx context.Context, repo *git.Repo, store *ObjectStore, names []string, limit int) (map[string]string, error) {
	const failed = "read the files that worktrees changed"
	texts := make(map[string]string, len(names))
	lines := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return strings.Contains(n, "\n") }) // such a name cannot be a line
	for batch := range slices.Chunk(lines, contentsPerRun) {
		o := git.Options{Stdin: strings.NewReader(strings.Join(batch, "\n") + "\n"), Env: store.env()}
		out, err := repo.Output(ctx, o, "cat-file", "--batch")
		if err != nil {
			return nil, git.Fault(err, failed)
		}
		for _, n := range batch {
			var o object
			if o, out, err = nextObject(out); err != nil {
				return nil, git.Fault(err, failed)
			}
			if o.kind == "blob" && len(o.content) <= limit {
				texts[n] = string(o.content)
			}
		}
	}
	return texts, nil
}

// object is an answer of git cat-file --batch; it is zero for an object that the repository does not have.
type object struct {
	oid, kind string
	content   []byte
}

// nextObject takes the first answer off those of git cat-file --batch.
func nextObject(out []byte) (o object, rest []byte, err error) {
	head, rest, _ := bytes.Cut(out, []byte{'\n'})
	fields := strings.Fields(string(head))
	if len(fields) > 1 && slices.Contains([]string{"missing", "ambiguous", "submodule"}, fields[len(fields)-1]) {
		return o, rest, nil
	}
	if len(fields) != 3 {
		return o, nil, fmt.Errorf("git cat-file: %.80q is not an answer", head)
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil || size < 0 || size >= len(rest) {
		return o, nil, fmt.Errorf("git cat-file: %.80q is not an answer", head)
	}
	return object{fields[0], fields[1], rest[:size]}, rest[size+1:], nil
}

// BlobsAt returns the file's blob in each of the commits, in one run of git; a commit that lacks the file has a zero blob. It reads the
// folders above the file, since only these hold its mode.
func BlobsAt(ctx context.Context, repo *git.Repo, commits []string, file string) (map[string]scan.Blob, error) {
	blobs := map[string]scan.Blob{}
	if strings.ContainsRune(file, '\n') { // such a name cannot be a line
		for _, c := range commits {
			out, err := repo.Output(ctx, git.Options{Env: []string{"GIT_LITERAL_PATHSPECS=1"}}, "ls-tree", "-z", "--full-tree", c, "--", file)
			if err != nil {
				return nil, git.Fault(err, "read %q in commits", file)
			}
			blobs[c] = parseTreeLine(string(out))
		}
		return blobs, nil
	}
	dir, name := path.Split(file)
	var input strings.Builder
	for _, c := range commits {
		fmt.Fprintf(&input, "%s:%s\n", c, strings.TrimSuffix(dir, "/"))
	}
	out, err := repo.Output(ctx, git.Options{Stdin: strings.NewReader(input.String())}, "cat-file", "--batch")
	if err != nil {
		return nil, git.Fault(err, "read %q in commits", file)
	}
	for _, c := range commits {
		var o object
		if o, out, err = nextObject(out); err != nil {
			return nil, git.Fault(err, "read %q in commits", file)
		}
		if o.kind == "tree" { // else there is no such folder
			blobs[c] = findInTree(o.content, name, len(o.oid)/2)
		}
	}
	return blobs, nil
}

// findInTree searches a tree object, a sequence of "mode SP name NUL oid".
func findInTree(tree []byte, name string, hashLen int) scan.Blob {
	for len(tree) > 0 {
		head, rest, ok := bytes.Cut(tree, []byte{0})
		if !ok || len(rest) < hashLen {
			return scan.Blob{}
		}
		mode, entry, _ := bytes.Cut(head, []byte{' '})
		if string(entry) == name {
			blob, err := blobOf(string(mode), hex.EncodeToString(rest[:hashLen]))
			if err != nil || blob.Mode == 0o040000 {
				return scan.Blob{}
			}
			return blob
		}
		tree = rest[hashLen:]
	}
	return scan.Blob{}
}

// parseTreeLine reads "mode SP type SP oid TAB name NUL".
func parseTreeLine(line string) scan.Blob {
	meta, _, _ := strings.Cut(line, "\t")
	f := strings.Fields(meta)
	if len(f) != 3 || f[1] == "tree" {
		return scan.Blob{}
	}
	blob, _ := blobOf(f[0], f[2]) // none, if it cannot be read
	return blob
}

// blobOf returns an object with its mode as git writes it. Mode 0 means that there is none.
func blobOf(mode, oid string) (scan.Blob, error) {
	m, err := strconv.ParseUint(mode, 8, 32)
	if err != nil || m == 0 {
		return scan.Blob{}, err
	}
	return scan.Blob{Mode: uint32(m), OID: oid}, nil
}
