package git_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestObjects(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("a.txt", "one\n")
	repo.Write("dir/b \"x\".txt", strings.Repeat("b", 5000))
	repo.Git("config", "core.symlinks", "true")
	link(t, "a.txt", repo.Path("link"))
	link(t, "../a.txt", repo.Path("dir/up"))
	link(t, "../../out", repo.Path("dir/out"))
	link(t, "none", repo.Path("dangling"))
	head := repo.Commit("base")
	ctx := context.Background()
	objects := repo.Repo().Objects(ctx)
	for name, want := range map[string]git.Object{
		head + ":a.txt":              {Found: git.Found, Type: "blob", Size: 4, Data: []byte("one\n")},
		"HEAD:link":                  {Found: git.Found, Type: "blob", Size: 4, Data: []byte("one\n")},
		"HEAD:dir/up":                {Found: git.Found, Type: "blob", Size: 4, Data: []byte("one\n")},
		"HEAD:dir/b \"x\".txt":       {Found: git.Found, Type: "blob", Size: 5000},
		"HEAD:none":                  {Found: git.Missing},
		"nothing^{commit}":           {Found: git.Missing},
		"HEAD:dir/out":               {Found: git.LeavesTree, Size: 6, Data: []byte("../out")},
		"HEAD:dangling":              {Found: git.BrokenLink},
		"HEAD:a.txt/x":               {Found: git.BrokenLink},
		"HEAD:a\nb":                  {Found: git.Missing},
		"":                           {Found: git.Missing},
		"HEAD^{commit}":              {Found: git.Found, Type: "commit"},
		strings.Repeat("0", 40):      {Found: git.Missing},
		"HEAD:" + repo.Path("a.txt"): {Found: git.Missing},
	} {
		got, err := objects.Read(ctx, name, 1000)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if got.Found != want.Found || got.Type != want.Type || want.Data != nil && string(got.Data) != string(want.Data) || want.Size == 5000 && got.Data != nil {
			t.Errorf("%q: %+v, want %+v", name, got, want)
		}
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if got, err := objects.Read(ctx, "HEAD:a.txt", 1000); err != nil || string(got.Data) != "one\n" {
					t.Errorf("%+v, %v", got, err)
				}
			}
		})
	}
	wg.Wait()
	if err := objects.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := objects.Read(ctx, "HEAD", 1); err == nil {
		t.Error("read after it was closed")
	}
	stopped, stop := context.WithCancel(ctx)
	objects = repo.Repo().Objects(stopped)
	defer objects.Close()
	if _, err := objects.Read(stopped, "HEAD", 1); err != nil {
		t.Fatal(err)
	}
	stop()
	if _, err := objects.Read(stopped, "HEAD", 1); err == nil {
		t.Error("read after it was cancelled")
	}
}

func TestHistoryParsers(t *testing.T) {
	repo := gittest.New(t)
	first := repo.Commit("first", "a.txt", "one\ntwo\n", "ü \"x\".txt", "x\n")
	second := repo.Commit("second", "a.txt", "one\n2\n")
	repo.Remove("ü \"x\".txt")
	third := repo.Commit("third")
	repo.Write("a.txt", "one\n2\nthree\n")
	ctx := context.Background()
	r := repo.Repo()
	run := func(args ...string) []byte {
		out, err := r.Output(ctx, git.Options{}, args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	blamed, err := git.ParseBlame(run(git.BlameArgs("", "a.txt", []int{1, 2, 3})...))
	if err != nil || len(blamed) != 3 || blamed[0].OID != first || !blamed[0].Boundary || blamed[1].OID != second || blamed[1].Boundary || blamed[2].Committed() {
		t.Errorf("blame %+v, %v", blamed, err)
	}
	versions, err := git.ParseVersions(run(append(git.VersionArgs(), "HEAD", "--", "a.txt", "ü \"x\".txt")...))
	if err != nil || len(versions) != 4 || versions[0].Commit != third || versions[0].Path != "ü \"x\".txt" || !git.ZeroName(versions[0].New) ||
		versions[1].Commit != second || versions[1].Path != "a.txt" {
		t.Errorf("versions %+v, %v", versions, err)
	}
	deletions, err := git.ParseDeletions(run(append(git.DeletionArgs(3), "HEAD", "--", "a.txt", "ü \"x\".txt")...))
	if err != nil || len(deletions) != 1 || deletions[0] != (git.Deletion{Commit: third, Parent: second, Path: "ü \"x\".txt"}) {
		t.Errorf("deletions %+v, %v", deletions, err)
	}
	files, err := git.ParseIndexList(run(git.ListIndexArgs()...))
	if err != nil || len(files) != 1 || files[0].Path != "a.txt" || files[0].Mode != "100644" || files[0].Skipped {
		t.Errorf("index %+v, %v", files, err)
	}
	tree, err := git.ParseTreeList(run("ls-tree", "-r", "-z", "--full-tree", first))
	if err != nil || len(tree) != 2 || tree[1].Path != "ü \"x\".txt" {
		t.Errorf("tree %+v, %v", tree, err)
	}
	repo.Git("mv", "a.txt", "b.txt")
	repo.Git("add", "--all")
	changes, err := git.ParseRawChanges(run("diff", "--cached", "--raw", "-z", "--no-abbrev", "-M30%", first))
	if err != nil || len(changes) != 2 {
		t.Errorf("changes %+v, %v", changes, err)
	}
}

func FuzzHistoryParsers(f *testing.F) {
	oid := strings.Repeat("a", 40)
	f.Add([]byte(oid + " 1 1 1\nboundary\n\ttext\n"))
	f.Add([]byte("commit " + oid + " " + oid + "\n\n\"a\\tb\"\n"))
	f.Add([]byte("commit " + oid + "\n\n:100644 100644 " + oid + " " + oid + " M\ta.txt\n"))
	f.Add([]byte(":100644 100644 " + oid + " " + oid + " R090\x00a\x00b\x00"))
	f.Add([]byte("H 100644 " + oid + " 0\ta.txt\x00"))
	f.Add([]byte("100644 blob " + oid + "\ta.txt\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		if lines, err := git.ParseBlame(out); err == nil {
			for _, line := range lines {
				if !git.IsOID(line.OID) || line.Line < 1 {
					t.Fatalf("%+v", line)
				}
			}
		}
		if versions, err := git.ParseVersions(out); err == nil {
			for _, v := range versions {
				if !git.IsOID(v.Commit) || !git.IsOID(v.Old) || !git.IsOID(v.New) {
					t.Fatalf("%+v", v)
				}
			}
		}
		if deletions, err := git.ParseDeletions(out); err == nil {
			for _, d := range deletions {
				if !git.IsOID(d.Commit) {
					t.Fatalf("%+v", d)
				}
			}
		}
		if changes, err := git.ParseRawChanges(out); err == nil {
			for _, c := range changes {
				if c.Path == "" || !git.IsOID(c.OID) {
					t.Fatalf("%+v", c)
				}
			}
		}
		_, _ = git.ParseIndexList(out)
		_, _ = git.ParseTreeList(out)
	})
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err)
	}
}
