package mergetree

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// contentsPerRun bounds how many texts one run of git returns.
const contentsPerRun = 2000

// Contents returns the texts of blobs, each named by its object or as "commit:path". A blob that is missing or larger than limit bytes has
// no text. store may be nil when all are in the repository.
func Contents(ctx context.Context, repo *git.Repo, store *ObjectStore, names []string, limit int) (map[string]string, error) {
	texts := make(map[string]string, len(names))
	for len(names) > 0 {
		batch := names[:min(len(names), contentsPerRun)]
		names = names[len(batch):]
		if err := contentsOf(ctx, repo, store, batch, limit, texts); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

func contentsOf(ctx context.Context, repo *git.Repo, store *ObjectStore, names []string, limit int, texts map[string]string) error {
	const failed = "read the files that worktrees changed"
	var input strings.Builder
	var asked []string
	for _, n := range names {
		if !strings.Contains(n, "\n") { // such a name cannot be a line
			fmt.Fprintln(&input, n)
			asked = append(asked, n)
		}
	}
	o := git.Options{Stdin: strings.NewReader(input.String()), Env: store.env()}
	out, err := repo.Output(ctx, o, "cat-file", "--batch")
	if err != nil {
		return git.Fault(err, failed)
	}
	for _, n := range asked {
		var o object
		if o, out, err = nextObject(out); err != nil {
			return git.Fault(err, failed)
		}
		if o.kind == "blob" && len(o.content) <= limit {
			texts[n] = string(o.content)
		}
	}
	return nil
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
