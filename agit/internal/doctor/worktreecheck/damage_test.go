package worktreecheck_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/doctor/worktreecheck"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/git"
)

// The remains of a power cut are found, reported, and left as they are.
func TestCheckFindsDamage(t *testing.T) {
	object := func(f *worktreetest.Fixture, oid string) string {
		return filepath.Join(f.Repo.CommonDir, "objects", oid[:2], oid[2:])
	}
	for name, test := range map[string]struct {
		harm func(f *worktreetest.Fixture, w worktree.Worktree) string // gives the file that was damaged
		want []string
	}{
		"empty commit of main": {func(f *worktreetest.Fixture, _ worktree.Worktree) string { return object(f, f.Main.Head()) },
			[]string{"is empty or damaged", "behind the default branch main"}},
		"empty file of a worktree": {func(f *worktreetest.Fixture, w worktree.Worktree) string {
			return object(f, f.Tree(w).Git("rev-parse", "HEAD:new/x"))
		},
			[]string{"is empty or damaged"}},
		"zeros for a commit of a worktree": {func(f *worktreetest.Fixture, w worktree.Worktree) string { return object(f, f.Tree(w).Head()) },
			[]string{"is empty or damaged", "behind branch agit/x"}},
		"empty file in the trash": {func(f *worktreetest.Fixture, w worktree.Worktree) string {
			oid := f.Tree(w).Git("rev-parse", "HEAD:new/x")
			_, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref, AbandonWork: true})
			worktreetest.Must(f.T, err)
			return object(f, oid)
		}, []string{"is empty or damaged"}},
		"ref of zeros": {func(f *worktreetest.Fixture, _ worktree.Worktree) string {
			return filepath.Join(f.Repo.CommonDir, "refs", "heads", "main")
		}, []string{"ref refs/heads/main", "by its reflog it named"}},
		"reflog of zeros": {func(f *worktreetest.Fixture, _ worktree.Worktree) string {
			return filepath.Join(f.Repo.CommonDir, "logs", "HEAD")
		}, []string{"holds zero bytes"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := worktreetest.New(t)
			w := f.Worked("x")
			f.Sound()
			path := test.harm(f, w)
			worktreetest.Must(t, os.Chmod(path, 0o644))
			zeros := ""
			if strings.Contains(name, "zeros") {
				zeros = strings.Repeat("\x00", 41)
			}
			worktreetest.Must(t, os.WriteFile(path, []byte(zeros), 0o644))
			for range 2 { // the second time after the fix, which leaves it
				found, err := f.Audits.Check(context.Background(), "")
				if err != nil {
					t.Fatal(err)
				}
				var texts []string
				for _, finding := range found {
					if finding.Kind == worktreecheck.Damaged {
						texts = append(texts, finding.Text+"; "+finding.Remedy)
						worktreetest.Must(t, finding.Fix(context.Background()))
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

// A `git worktree add` of anyone that was killed stops git in the whole repository, until the check completes its entry.
func TestCheckCompletesEntry(t *testing.T) {
	f := worktreetest.New(t)
	other := filepath.Join(t.TempDir(), "other")
	f.Main.Git("worktree", "add", "--quiet", "--detach", other)
	pointer := filepath.Join(f.Repo.CommonDir, "worktrees", "other", "commondir")
	worktreetest.Must(t, os.WriteFile(pointer, nil, 0o644))
	_, err := f.Main.Repo().Run(context.Background(), "worktree", "list")
	if fault := git.Fault(err, "list"); !strings.Contains(fault.Hint, "agit doctor --fix") {
		t.Fatal(fault)
	}
	found, err := f.Audits.Check(context.Background(), "")
	if err != nil || len(found) != 1 || found[0].Kind != worktreecheck.FolderBroken || !strings.Contains(found[0].Text, pointer) {
		t.Fatalf("%+v, %v", found, err)
	}
	for range 2 {
		worktreetest.Must(t, found[0].Fix(context.Background()))
	}
	f.Sound()
	if list := f.Main.Git("worktree", "list"); !strings.Contains(list, other) {
		t.Error(list)
	}
	f.Main.Git("worktree", "remove", other)
	worktreetest.Must(t, found[0].Fix(context.Background()))
}

// Worktrees that people and clients made are looked at too, and what git cannot use in them is named with the command that mends it. A
// worktree on a disk that is not attached is locked, and left alone.
func TestCheckLooksAtOthers(t *testing.T) {
	f := worktreetest.New(t)
	own := f.Worked("x")
	entry := func(name, file string) string { return filepath.Join(f.Repo.CommonDir, "worktrees", name, file) }
	write := func(path, text string) { t.Helper(); worktreetest.Must(t, os.WriteFile(path, []byte(text), 0o600)) }
	dir := map[string]string{}
	for _, name := range []string{"sound", "gone", "away", "locked", "head", "index", "pointer", "copied"} {
		dir[name] = filepath.Join(t.TempDir(), name)
		f.Main.Git("worktree", "add", "-q", "-b", name, dir[name])
	}
	f.Sound()
	f.Main.Git("worktree", "lock", dir["locked"])
	worktreetest.Must(t, os.RemoveAll(dir["gone"]))
	worktreetest.Must(t, os.RemoveAll(dir["locked"]))
	worktreetest.Must(t, os.Rename(dir["away"], dir["away"]+"-now"))
	write(entry("head", "HEAD"), "")
	write(entry("index", "index"), "junk")
	write(filepath.Join(dir["pointer"], ".git"), "gitdir: /nowhere/.git/worktrees/pointer\n")
	original := filepath.Join(t.TempDir(), ".git", "worktrees", "copied")
	worktreetest.Must(t, os.MkdirAll(original, 0o755))
	write(filepath.Join(dir["copied"], ".git"), "gitdir: "+original+"\n")
	write(filepath.Join(checkout.Entries(f.Main.Repo(), own.Path)[0], "HEAD"), "")
	found, err := f.Audits.Check(t.Context(), "")
	worktreetest.Must(t, err)
	in := "`git -C " + f.Main.Dir + " worktree repair"
	want := []worktreecheck.Finding{
		{Kind: worktreecheck.Damaged, Worktree: own.Ref, Text: "names neither a branch nor a commit", Remedy: "write `ref: refs/heads/" + own.Branch + "` into"},
		{Kind: worktreecheck.FolderMoved, Text: "worktree away was moved from", Remedy: in + " " + dir["away"] + "-now`"},
		{Kind: worktreecheck.FolderBroken, Text: "git lists the worktree at \"" + dir["copied"], Remedy: "`rm -r " + entry("copied", "") + "`"},
		{Kind: worktreecheck.FolderMissing, Text: "worktree gone is gone from", Remedy: in + " NEWPATH`"},
		{Kind: worktreecheck.Damaged, Text: "names neither a branch nor a commit", Remedy: "write the branch of that folder into"},
		{Kind: worktreecheck.Damaged, Text: "index file smaller than expected", Remedy: "`git -C " + dir["index"] + " reset`"},
		{Kind: worktreecheck.FolderBroken, Text: "worktree pointer at", Remedy: in + "`"},
	}
	for i, w := range want {
		if i >= len(found) || found[i].Kind != w.Kind || found[i].Worktree != w.Worktree || !strings.Contains(found[i].Text, w.Text) || !strings.Contains(found[i].Remedy, w.Remedy) || found[i].Fixable() {
			t.Fatalf("found\n%+v\nwant %d\n%+v", found, i, w)
		}
	}
	if len(found) != len(want) {
		t.Errorf("found %+v", found)
	}
}
