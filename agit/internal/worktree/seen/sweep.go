package seen

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// When Claude Code starts, it removes worktrees of its agents that were not changed for cleanupPeriodDays. Codex's application keeps a
// limited number, which its settings define. Both by their documentation of 2026.
const (
	claudeDays = 30
	codexKeeps = 15
)

// Sweep is what the clean-up of a worktree's maker will do to it.
type Sweep struct {
	By    Maker     // who removes it
	At    time.Time // when it is due, unless it is changed; zero where time does not decide
	Place int       // among its maker's, the newest first, from 1; 0 where the number does not matter
	Keeps int       // how many its maker keeps, where that decides
}

// Sweeper finds out which trees the makers' own clean-up takes. Its zero value takes the defaults.
type Sweeper struct {
	Home string // the user's home; settings of clients lie below it. "" reads none
	// ClaudeDir is where Claude Code keeps its settings; "" is .claude in Home.
	ClaudeDir string
}

// Of returns what the clean-up of the maker will do to a tree. ok is false for makers without one, for the main checkout, for a tree whose
// folder is gone, and for a tree locked for a running process. entry is git's folder of it.
func (s Sweeper) Of(t Tree, entry string) (sweep Sweep, ok bool) {
	if t.Main || t.Prunable || t.LockHeld {
		return sweep, false
	}
	switch t.Maker {
	case ClaudeCode:
		return Sweep{By: ClaudeCode, At: changed(t.Path, entry).Add(s.claudePeriod())}, true
	case Codex:
		place := placeAmong(filepath.Dir(t.Path))
		return Sweep{By: Codex, Place: place, Keeps: codexKeeps}, place > 0
	}
	return sweep, false
}

// Near reports whether the clean-up takes the tree within a week of now, or among the next ones.
func (w Sweep) Near(now time.Time) bool {
	if w.Keeps > 0 {
		return w.Place >= w.Keeps
	}
	return w.At.Before(now.Add(7 * 24 * time.Hour))
}

// changed returns when a worktree was last changed, by the times of its folder and of the files in git's entry.
func changed(path, entry string) (last time.Time) {
	for _, at := range []string{path, filepath.Join(entry, "HEAD"), filepath.Join(entry, "index"), filepath.Join(entry, "logs", "HEAD")} {
		if info, err := os.Stat(at); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// claudePeriod returns the period in the user's settings, else the default.
func (s Sweeper) claudePeriod() time.Duration {
	days, dir := claudeDays, s.ClaudeDir
	if dir == "" && s.Home != "" {
		dir = filepath.Join(s.Home, ".claude")
	}
	var settings struct {
		Days int `json:"cleanupPeriodDays"`
	}
	if dir == "" {
		return claudeDays * 24 * time.Hour
	}
	if f, err := os.Open(filepath.Join(dir, "settings.json")); err == nil {
		if json.NewDecoder(io.LimitReader(f, 1<<20)).Decode(&settings) == nil && settings.Days > 0 && settings.Days < 100*365 {
			days = settings.Days
		}
		f.Close()
	}
	return time.Duration(days) * 24 * time.Hour
}

// placeAmong returns the place of a folder among its siblings, the last changed first; 0 when it cannot be found out.
func placeAmong(folder string) int {
	list, err := os.ReadDir(filepath.Dir(folder))
	if err != nil {
		return 0
	}
	type one struct {
		name string
		at   time.Time
	}
	var all []one
	for _, e := range list {
		if info, err := e.Info(); err == nil && e.IsDir() {
			all = append(all, one{e.Name(), info.ModTime()})
		}
	}
	slices.SortStableFunc(all, func(a, b one) int { return b.at.Compare(a.at) })
	return 1 + slices.IndexFunc(all, func(o one) bool { return o.name == filepath.Base(folder) })
}
