package sibling

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestPick(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for fzf is a shell script")
	}
	for name, test := range map[string]struct {
		script, want string
		fails        bool
	}{
		"the second":  {`sed -n 2p`, "w-2", false},
		"none":        {`cat > /dev/null; exit 130`, "", false},
		"no match":    {`cat > /dev/null; exit 1`, "", false},
		"it fails":    {`cat > /dev/null; exit 2`, "", true},
		"the preview": {`cat > /dev/null; for a; do case $a in --preview=show*) printf 'w-9\tx\n';; esac; done`, "w-9", false},
	} {
		bin := t.TempDir()
		if err := os.WriteFile(filepath.Join(bin, "fzf"), []byte("#!/bin/sh\n"+test.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin+":/usr/bin:/bin")
		if !Picker() {
			t.Fatal("fzf is not found")
		}
		got, err := Pick(t.Context(), io.Discard, "worktree", "show {1}", []Choice{{"w-1", "one"}, {"w-2", "two  words"}})
		if got != test.want || (err != nil) != test.fails {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
