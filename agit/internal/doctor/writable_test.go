package doctor

import (
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// The first file that cannot be written is named with its reason; a missing one is not.
func TestUnwritable(t *testing.T) {
	refusals := map[string]error{
		"/gone": fs.ErrNotExist, "/shut here": syscall.EACCES, "/frozen": syscall.EROFS,
	}
	for _, c := range []struct {
		paths        []string
		problem, fix string
	}{
		{[]string{"/gone", "/open"}, "", ""},
		{[]string{"/open", "/gone", "/shut here", "/frozen"}, `"/shut here" cannot be written: permission denied`, "`ls -ld '/shut here'` shows whose it is"},
		{[]string{"/frozen"}, `"/frozen" cannot be written: its file system is read-only`, "mount it for writing, or go elsewhere"},
	} {
		problem, fix := unwritable(c.paths, ", or go elsewhere", func(path string) error { return refusals[path] })
		if problem != c.problem || !strings.HasPrefix(fix, c.fix) {
			t.Errorf("%q: %q, %q", c.paths, problem, fix)
		}
	}
}

// Little room is a warning; none keeps everything from working.
func TestRoom(t *testing.T) {
	for free, want := range map[uint64]Status{scarce: OK, scarce - 1: Warning, full: Warning, full - 1: Error, 0: Error} {
		got := OK
		for _, c := range room(nil, "registry", free, true) {
			got = c.Status
		}
		if got != want {
			t.Errorf("%d bytes: %s, want %s", free, got, want)
		}
	}
	if checks := room(nil, "registry", 0, false); checks != nil {
		t.Errorf("not known: %v", checks)
	}
}

// A folder for temporary files that does not exist is an error: no work can land.
func TestTemporaryFiles(t *testing.T) {
	p := newPatient(t)
	unusable := p.Main.Path("none")
	t.Setenv("TMPDIR", unusable)
	t.Setenv("TMP", unusable)
	checks := p.disk(nil)
	if i := slices.IndexFunc(checks, func(c Check) bool { return c.Name == "temporary files" }); i < 0 || checks[i].Status != Error || !strings.Contains(checks[i].Fix, "TMPDIR") {
		t.Errorf("%+v", checks)
	}
	t.Setenv("TMPDIR", p.Main.Dir)
	t.Setenv("TMP", p.Main.Dir)
	if checks := p.disk(nil); slices.ContainsFunc(checks, func(c Check) bool { return c.Name == "temporary files" }) || p.Main.Git("status", "--porcelain") != "" {
		t.Errorf("%+v", checks)
	}
}
