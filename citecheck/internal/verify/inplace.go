package verify

import (
	"context"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/textfile"
)

// InPlace reports for each citation whether its text is at its line, without consulting history: each file is read once. A citation without
// a text is in place when its file exists.
func (c *Checker) InPlace(ctx context.Context, citations []Citation) ([]bool, error) {
	there := make([]bool, len(citations))
	byPath := map[string][]int{}
	jobs := make([]*job, len(citations))
	for i, citation := range c.withoutSecrets(citations) {
		jobs[i] = newJob(c.prefix, citation)
		if !jobs[i].done {
			byPath[jobs[i].path] = append(byPath[jobs[i].path], i)
		}
	}
	for path, which := range byPath {
		_, got, err := c.read(ctx, path)
		if err != nil {
			return nil, git.Fault(err, "read %q", path)
		}
		var f *textfile.File
		for _, i := range which {
			j := jobs[i]
			if got.is != present || len(j.snippet.lines) == 0 {
				there[i] = got.is != absent
				continue
			}
			if f == nil {
				f = c.parse(got.data)
			}
			there[i] = f == nil || j.line() < 0 || j.snippet.at(f, j.line()) != none
		}
	}
	return there, nil
}
