package sibling

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

func TestDetach(t *testing.T) {
	if out := os.Getenv("TEST_DETACHED"); out != "" {
		dir, _ := os.Getwd()
		if err := os.WriteFile(out+".tmp", []byte(dir), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(out+".tmp", out); err != nil {
			t.Fatal(err)
		}
		return
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := Detach(os.Args[0], []string{"-test.run=^TestDetach$"}, dir, append(os.Environ(), "TEST_DETACHED="+out)); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(3 * time.Minute)
	for {
		said, err := os.ReadFile(out)
		if err == nil {
			if string(said) != dir {
				t.Errorf("it ran in %q, want %q", said, dir)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it did not run")
		}
		<-time.After(5 * time.Millisecond)
	}
	if err := Detach("nothing-of-this-name", nil, dir, nil); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("got %v", err)
	}
}
