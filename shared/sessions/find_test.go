package sessions_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

func find(t *testing.T, r sessions.Reader, dir string) (found []string) {
	t.Helper()
	for _, src := range r.Find(sessions.Home{Dir: dir}, func(path string, err error) { t.Errorf("%s: %v", path, err) }) {
		rel, err := filepath.Rel(dir, src.Path)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, filepath.ToSlash(rel))
	}
	return found
}

// TestLinksAreNotFollowed checks that a link to a file or a folder has no sources, so that nothing is read twice or from elsewhere.
func TestLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sessionstest.Write(t, filepath.Join(dir, ".claude/projects/-x/a.jsonl"), "{}\n")
	for from, to := range map[string]string{".claude/projects/-y": ".claude/projects/-x", ".claude/projects/-x/b.jsonl": ".claude/projects/-x/a.jsonl"} {
		if err := os.Symlink(filepath.Join(dir, to), filepath.Join(dir, from)); err != nil {
			t.Skip(err)
		}
	}
	if found := find(t, sessions.Claude{}, dir); len(found) != 1 || found[0] != ".claude/projects/-x/a.jsonl" {
		t.Error(found)
	}
}

// TestTranscriptsOfOneFolderAreFoundOnce covers systems on which the two names of the extension's folder are one, and releases that left
// both.
func TestTranscriptsOfOneFolderAreFoundOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const storage = ".config/Code/User/workspaceStorage/a/"
	sessionstest.Write(t, filepath.Join(dir, storage, "GitHub.copilot-chat/transcripts/a.jsonl"), "{}\n")
	if err := os.Symlink(filepath.Join(dir, storage, "GitHub.copilot-chat"), filepath.Join(dir, storage, "github.copilot-chat")); err != nil && !os.IsExist(err) {
		t.Skip(err)
	}
	if found := find(t, sessions.VSCode{}, dir); len(found) != 1 {
		t.Error(found)
	}
	sessionstest.Write(t, filepath.Join(dir, ".config/Code/User/workspaceStorage/b/GitHub.copilot-chat/transcripts/b.jsonl"), "{}\n")
	sessionstest.Write(t, filepath.Join(dir, ".config/Code/User/workspaceStorage/b/github.copilot-chat/transcripts/c.jsonl"), "{}\n")
	if found := find(t, sessions.VSCode{}, dir); len(found) != 3 {
		t.Error(found)
	}
}
