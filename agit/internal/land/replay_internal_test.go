package land

import (
	"fmt"
	"testing"
)

func FuzzParseCommits(f *testing.F) {
	entry := func(content string) string { return fmt.Sprintf("%040d commit %d\n%s\n", 1, len(content), content) }
	f.Add([]byte(entry("tree 1\nparent 2\nparent 3\nauthor A <a@b> 1700000000 +0100\nencoding latin1\n\nSubject\n\nbody\n") + entry("tree 1\n\n")))
	f.Add([]byte(entry("author >< >\n\nno tree")))
	f.Add([]byte("1 commit 99999999999999999999\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		commits, err := parseCommits(out)
		if err == nil && len(commits) == 0 && len(out) > 0 {
			t.Error("commits were lost")
		}
		for _, c := range commits {
			_ = coAuthors(c.Message, commits)
			if o := c.as(); len(o.Env) != 3 {
				t.Errorf("%q", o.Env)
			}
		}
	})
}
