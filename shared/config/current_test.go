package config

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestCurrent: a configuration is current until one of its files is new, written, gone or replaced.
func TestCurrent(t *testing.T) {
	t.Parallel()
	const gone = "-"
	for name, c := range map[string]struct{ file, before, after string }{
		"a new file of the project": {"project/.agit.toml", gone, "[agent]\nname = \"ann\"\n"},
		"a written one":             {"project/.agit.toml", "[agent]\n", "[agent]\nname = \"ann\"\n"},
		"one of the same size":      {"project/.agit.toml", "[agent]\nname = \"ann\"\n", "[agent]\nname = \"bob\"\n"},
		"one that is gone":          {"project/.agit.toml", "[agent]\n", gone},
		"the older name's":          {"project/.pm/config.json", gone, "{}"},
		"the user's":                {"home/.agit/config.toml", gone, "[agent]\n"},
		"the user's older one":      {"home/" + legacyUserFile, gone, "{}"},
		"the record of trust":       {"home/.agit/trusted", gone, "x\n"},
		"the one named":             {"home/other.toml", "", "[agent]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if c.file == "home/other.toml" {
				w.File = w.path(c.file)
			}
			put := func(text string, when time.Time) {
				if text == gone {
					_ = os.Remove(w.path(c.file))
					return
				}
				if err := os.Chtimes(w.write(c.file, text), when, when); err != nil {
					t.Fatal(err)
				}
			}
			put(c.before, time.Unix(1_700_000_000, 0))
			cfg := w.load()
			if !cfg.Current() {
				t.Error("it is not current at once")
			}
			put(c.after, time.Unix(1_700_000_001, 0))
			if cfg.Current() {
				t.Error("it is current after the change")
			}
			if !w.load().Current() {
				t.Error("read again, it is not current")
			}
		})
	}
}

func TestReplacedFileIsNotCurrent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path, twin := w.write("project/.agit.toml", "[agent]\n"), w.write("project/twin", "[agent]\n")
	for _, one := range []string{path, twin} {
		if err := os.Chtimes(one, time.Unix(1_700_000_000, 0), time.Unix(1_700_000_000, 0)); err != nil {
			t.Fatal(err)
		}
	}
	cfg := w.load()
	if err := os.Rename(twin, path); err != nil {
		t.Fatal(err)
	}
	if cfg.Current() {
		t.Errorf("it is current after %s was replaced", filepath.Base(path))
	}
}
