package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

func TestFreshSince(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 123456789, time.UTC)
	stamp := func(ago time.Duration) string { return now.Add(-ago).Format(time.RFC3339Nano) }
	for _, c := range []struct {
		name, stamp string
		ago         time.Duration
	}{
		{"none", "", settled},
		{"made just now", "never", settled},
		{"torn", stamp(time.Minute)[:12], settled},
		{"a minute ago", stamp(time.Minute), time.Minute + slack},
		{"this moment", stamp(0), slack},
		{"long ago", stamp(100 * time.Hour), settled},
		{"in the future", stamp(-time.Second), settled},
	} {
		if got := now.Sub(freshSince(c.stamp, now)); got != c.ago {
			t.Errorf("%s: from %v ago on, want %v", c.name, got, c.ago)
		}
	}
}

func TestFreshObjects(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	r, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	object := func(content string) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		oid, err := r.Run(t.Context(), "hash-object", "-w", "f")
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(r.CommonDir, "objects", oid[:2], oid[2:])
	}
	objects := filepath.Join(r.CommonDir, "objects")

	one := object("one")
	f := r.FreshObjects()
	for _, want := range []string{one, filepath.Dir(one), objects} {
		if !slices.Contains(f.Paths, want) {
			t.Errorf("%s is missing among %q", want, f.Paths)
		}
	}
	f.Synced()
	again := r.FreshObjects()
	if again.until.Before(f.until) {
		t.Errorf("the file system's clock went from %v to %v", f.until, again.until)
	}
	if got, _ := os.ReadFile(f.stamp); string(got) != f.until.UTC().Format(time.RFC3339Nano) {
		t.Errorf("the stamp says %q", got)
	}
	if got := freshObjects(objects, time.Now().Add(time.Minute)); len(got) != 0 {
		t.Errorf("settled, and listed: %q", got)
	}

	// An object that was written long ago but only now moved to its place.
	two := object("two")
	old := time.Now().Add(-24 * time.Hour)
	if err := os.Chtimes(two, old, old); err != nil {
		t.Fatal(err)
	}
	if got := r.FreshObjects().Paths; runtime.GOOS != "windows" && !slices.Contains(got, two) {
		t.Errorf("what got its name only now is missing among %q", got)
	}

	// Where no stamp can be written, nothing is left out.
	if err := os.Remove(f.stamp); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(f.stamp, 0o755); err != nil {
		t.Fatal(err)
	}
	f = r.FreshObjects()
	f.Synced()
	if got := r.FreshObjects().Paths; !slices.Contains(got, one) {
		t.Errorf("without a stamp %s is missing among %q", one, got)
	}
}
