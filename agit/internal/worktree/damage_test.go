package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a power cut leaves is found, told, and left as it is.
func TestCheckFindsDamage(t *testing.T) {
	object := func(f *fixture, oid string) string {
		return filepath.Join(f.repo.CommonDir, "objects", oid[:2], oid[2:])
	}
	for name, test := range map[string]struct {
		harm func(f *fixture, w Worktree) string // gives the file that was damaged
		want []string
	}{
		"empty commit of main": {func(f *fixture, _ Worktree) string { return object(f, f.main.Head()) },
			[]string{"is empty or damaged", "behind the default branch main"}},
		"empty file of a worktree": {func(f *fixture, w Worktree) string { return object(f, f.tree(w).Git("rev-parse", "HEAD:new/x")) },
			[]string{"is empty or damaged"}},
		"zeros for a commit of a worktree": {func(f *fixture, w Worktree) string { return object(f, f.tree(w).Head()) },
			[]string{"is empty or damaged", "behind branch agit/x"}},
		"empty file in the trash": {func(f *fixture, w Worktree) string {
			oid := f.tree(w).Git("rev-parse", "HEAD:new/x")
			_, err := f.Remove(context.Background(), Remove{Worktree: w.Ref, AbandonWork: true})
			must(f.t, err)
			return object(f, oid)
		}, []string{"is empty or damaged"}},
		"ref of zeros":    {func(f *fixture, _ Worktree) string { return filepath.Join(f.repo.CommonDir, "refs", "heads", "main") }, []string{"ref refs/heads/main", "by its reflog it named"}},
		"reflog of zeros": {func(f *fixture, _ Worktree) string { return filepath.Join(f.repo.CommonDir, "logs", "HEAD") }, []string{"holds zero bytes"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := setUp(t)
			w := f.worked("x")
			f.sound()
			path := test.harm(f, w)
			must(t, os.Chmod(path, 0o644))
			zeros := ""
			if strings.Contains(name, "zeros") {
				zeros = strings.Repeat("\x00", 41)
			}
			must(t, os.WriteFile(path, []byte(zeros), 0o644))
			for range 2 { // the second time after the fix, which leaves it
				found, err := f.Check(context.Background(), "")
				if err != nil {
					t.Fatal(err)
				}
				var texts []string
				for _, finding := range found {
					if finding.Kind == Damaged {
						texts = append(texts, finding.Text+"; "+finding.Remedy)
						must(t, finding.Fix(context.Background()))
					}
				}
				for _, want := range test.want {
					if all := strings.Join(texts, "\n"); !strings.Contains(all, want) {
						t.Errorf("lacks %q:\n%s", want, all)
					}
				}
			}
			if now, err := os.ReadFile(path); err != nil || string(now) != zeros {
				t.Errorf("it was changed: %q %v", now, err)
			}
		})
	}
}
