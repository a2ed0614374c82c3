package git

import (
	"context"
	"errors"
	"path"
	"strings"
)

// ErrLeadsOut reports that a file of a commit is a link that leads out of the commit, or nowhere.
var ErrLeadsOut = errors.New("it is a link that leads out of the commit")

// maxLinks bounds how many links lead to a file.
const maxLinks = 8

// FileAt returns the content of a file in a commit, or nil if it does not exist. Links are followed inside the commit; for other links, and
// for anything that is not a file, it returns ErrLeadsOut.
func FileAt(ctx context.Context, r *Repo, commit, name string) ([]byte, error) {
	for range maxLinks {
		out, err := r.Output(ctx, Options{Env: []string{"GIT_LITERAL_PATHSPECS=1"}}, "ls-tree", "-z", "--full-tree", commit, "--", name)
		if err != nil {
			return nil, err
		}
		records := Records(out)
		if len(records) == 0 {
			return nil, nil
		}
		entry, _, _ := strings.Cut(records[0], "\t")
		fields := strings.Fields(entry)
		if len(fields) != 3 || fields[1] != "blob" {
			return nil, ErrLeadsOut
		}
		content, err := r.Output(ctx, Options{}, "cat-file", "blob", fields[2])
		if err != nil {
			return nil, err
		}
		if content == nil {
			content = []byte{}
		}
		if fields[0] != "120000" {
			return content, nil
		}
		target := path.Join(path.Dir(name), string(content))
		if path.IsAbs(string(content)) || target == ".." || strings.HasPrefix(target, "../") {
			return nil, ErrLeadsOut
		}
		name = target
	}
	return nil, ErrLeadsOut
}
