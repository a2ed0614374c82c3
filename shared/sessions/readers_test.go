package sessions_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

var update = flag.Bool("update", false, "write what the readers emit into the fixtures, for review")

// fileTime is when the files of a fixture were changed; their write-ahead logs were an hour later.
var fileTime = time.Date(2026, 11, 25, 8, 0, 0, 0, time.UTC)

// TestReaders reads the homes under testdata/readers. Each is an archive: its first lines name its topic, its sections are files below the
// home, and its last section, "rows", is the expected result.
//
// NAME.sql is a database NAME, as the statements that make it. A file that ends in the line "<torn>" ends before it. HYPHENS in a name stands
// for the home's path as clients write it into names. The section "environment" holds variables, in which a leading ~ is the home. A section
// "later/NAME" is appended to NAME, or changes the database NAME, after the first read; the rest of NAME is then read.
//
// Beyond the rows it checks what holds for any source: an error of the callback ends the read at once, a file that grew at any place is
// read on as if it had been read whole, and a read of the usage alone has the same usage.
func TestReaders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths in the fixtures are those of Unix")
	}
	fixtures, err := filepath.Glob("testdata/readers/*.txtar")
	if err != nil || len(fixtures) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, fixture := range fixtures {
		t.Run(strings.TrimSuffix(filepath.Base(fixture), ".txtar"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(fixture)
			if err != nil {
				t.Fatal(err)
			}
			h := newReaderHome(t)
			want := ""
			var later []section
			for _, s := range sections(string(data)) {
				switch name, isLater := strings.CutPrefix(s.name, "later/"); {
				case s.name == "rows":
					want = s.text
				case s.name == "environment":
					h.setenv(s.text)
				case isLater:
					later = append(later, section{name, s.text})
				default:
					h.write(s)
				}
			}
			h.date(fileTime)
			h.readAll()
			for _, s := range later {
				h.write(s)
			}
			h.date(fileTime.Add(24 * time.Hour))
			for _, s := range later {
				h.readOn(h.path(strings.TrimSuffix(s.name, ".sql")))
			}
			got := strings.NewReplacer(h.dir, "~", h.hyphens(), "HYPHENS").Replace(h.out.String())
			if *update {
				before, _, _ := strings.Cut(string(data), "-- rows --\n")
				if err := os.WriteFile(fixture, []byte(before+"-- rows --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

type section struct{ name, text string }

// sections splits an archive.
func sections(archive string) (all []section) {
	for line := range strings.Lines(archive) {
		if head, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(head, " --\n") {
			all = append(all, section{name: strings.TrimSuffix(head, " --\n")})
		} else if len(all) > 0 {
			all[len(all)-1].text += line
		}
	}
	return all
}

// readerHome is a home whose sources are read into out.
type readerHome struct {
	t         *testing.T
	dir       string
	variables map[string]string
	databases map[string]sessionstest.Database
	positions map[string]sessions.Position
	out       strings.Builder
}

func newReaderHome(t *testing.T) *readerHome {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &readerHome{t: t, dir: dir, variables: map[string]string{}, databases: map[string]sessionstest.Database{}, positions: map[string]sessions.Position{}}
}

// path returns the path of a section.
func (h *readerHome) path(name string) string {
	return filepath.Join(h.dir, strings.ReplaceAll(name, "HYPHENS", h.hyphens()))
}

// hyphens returns the home's path as clients write it into names.
func (h *readerHome) hyphens() string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, strings.TrimPrefix(h.dir, "/"))
}

func (h *readerHome) setenv(lines string) {
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if rest, ok := strings.CutPrefix(value, "~"); ok {
			value = h.dir + rest
		}
		h.variables[name] = value
	}
}

// write writes a file or makes a database; or it appends to a file or changes a database.
func (h *readerHome) write(s section) {
	h.t.Helper()
	path, isDatabase := strings.CutSuffix(h.path(s.name), ".sql")
	if isDatabase {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			h.t.Fatal(err)
		}
		if db, ok := h.databases[path]; ok {
			db.Run(s.text)
		} else {
			h.databases[path] = sessionstest.NewDatabase(h.t, path, s.text)
		}
		return
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		h.t.Fatal(err)
	}
	text, torn := strings.CutSuffix(s.text, "<torn>\n")
	if torn {
		text = strings.TrimSuffix(text, "\n")
	}
	sessionstest.Write(h.t, path, string(old)+text)
}

// date sets the times of all files.
func (h *readerHome) date(at time.Time) {
	h.t.Helper()
	err := filepath.WalkDir(h.dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, "-wal") {
			return os.Chtimes(path, at, at.Add(time.Hour))
		}
		return os.Chtimes(path, at, at)
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// each calls with every source of the home.
func (h *readerHome) each(do func(r sessions.Reader, src sessions.Source)) {
	home := sessions.Home{Dir: h.dir}
	if len(h.variables) > 0 {
		home.Getenv = func(name string) string { return h.variables[name] }
	}
	for _, r := range sessions.Readers() {
		problem := func(path string, err error) {
			if err == nil {
				h.t.Errorf("%s: a problem without an error", path)
			}
			fmt.Fprintf(&h.out, "# %s cannot read %s\n", r.Client(), path)
		}
		for _, src := range r.Find(home, problem) {
			if src.Size <= 0 && !src.Whole {
				h.t.Errorf("%+v", src)
			}
			do(r, src)
		}
	}
}

func (h *readerHome) readAll() {
	h.each(func(r sessions.Reader, src sessions.Source) {
		var size int64
		for _, ending := range []string{"", "-wal"} {
			if info, err := os.Stat(src.Path + ending); err == nil && (ending == "" || src.Database) {
				size += info.Size()
			}
		}
		if src.Size != size {
			h.t.Errorf("%s has %d bytes, not %d", src.Path, size, src.Size)
		}
		all := h.read("", r, src, sessions.Position{})
		h.stops(r, src, all)
		h.usage(r, src, all)
		if !src.Whole && !src.Database {
			h.grows(r, src, all)
		}
		if src.Database && len(all) > 0 {
			h.again(r, src)
		}
	})
}

func (h *readerHome) readOn(path string) {
	h.each(func(r sessions.Reader, src sessions.Source) {
		if src.Path == path {
			h.read(" further on", r, src, h.positions[path])
		}
	})
}

// read writes the rows of a source and its new position into out.
func (h *readerHome) read(how string, r sessions.Reader, src sessions.Source, from sessions.Position) (all []string) {
	h.t.Helper()
	fmt.Fprintf(&h.out, "# %s %s%s", r.Client(), src.Path, how)
	if src.Whole {
		h.out.WriteString(" (whole)")
	}
	if src.Database {
		h.out.WriteString(" (database)")
	}
	h.out.WriteString("\n")
	at, err := r.Read(h.t.Context(), src, from, func(row sessions.Row, _ sessions.Position) error {
		all = append(all, shown(row))
		fmt.Fprintln(&h.out, shown(row))
		return nil
	})
	if err != nil {
		fmt.Fprintf(&h.out, "! %v\n", err)
	}
	h.positions[src.Path] = at
	fmt.Fprintf(&h.out, "= offset=%d passed=%d%s\n", at.Offset, at.Passed, field("state", at.State))
	return all
}

// stops checks that an error of the callback ends the read with that error, whichever row it is for, and that a later read goes on from there
// to the same rows and the same end.
func (h *readerHome) stops(r sessions.Reader, src sessions.Source, all []string) {
	h.t.Helper()
	stop := errors.New("stop")
	want := slices.Compact(slices.Sorted(slices.Values(all)))
	for last := range all {
		n := 0
		var got []string
		at, err := r.Read(h.t.Context(), src, sessions.Position{}, func(row sessions.Row, _ sessions.Position) error {
			if n++; n > last {
				return stop
			}
			got = append(got, shown(row))
			return nil
		})
		if !errors.Is(err, stop) || n != last+1 {
			h.t.Errorf("%s: an error for row %d ended the read at row %d with %v", src.Path, last+1, n, err)
		}
		if src.Whole || src.Database { // which are read again from the beginning
			continue
		}
		at, err = r.Read(h.t.Context(), src, at, func(row sessions.Row, _ sessions.Position) error {
			got = append(got, shown(row))
			return nil
		})
		if err != nil {
			h.t.Errorf("%s, read on after row %d: %v", src.Path, last, err)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
			h.t.Errorf("%s, read on after row %d: %s", src.Path, last, diff)
		}
		if diff := cmp.Diff(h.positions[src.Path], at); diff != "" {
			h.t.Errorf("%s, read on after row %d: position: %s", src.Path, last, diff)
		}
	}
}

// usage checks that a read of the usage alone has the usage of the whole read, and writes how many other rows it has.
func (h *readerHome) usage(r sessions.Reader, src sessions.Source, all []string) {
	h.t.Helper()
	src.UsageOnly = true
	var want, got []string
	for _, row := range all {
		if strings.HasPrefix(row, "usage ") {
			want = append(want, row)
		}
	}
	others := 0
	_, err := r.Read(h.t.Context(), src, sessions.Position{}, func(row sessions.Row, _ sessions.Position) error {
		if row.Kind == sessions.Usage {
			got = append(got, shown(row))
		} else {
			others++
		}
		return nil
	})
	if err != nil && !strings.Contains(h.out.String(), err.Error()) {
		h.t.Errorf("%s: %v", src.Path, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		h.t.Errorf("%s: the usage alone: %s", src.Path, diff)
	}
	if others > 0 {
		fmt.Fprintf(&h.out, "= %d others with the usage alone\n", others)
	}
}

// again writes how many rows a database has from its new position on: those of the last moment, and counts that may have grown.
func (h *readerHome) again(r sessions.Reader, src sessions.Source) {
	h.t.Helper()
	n := 0
	at, err := r.Read(h.t.Context(), src, h.positions[src.Path], func(sessions.Row, sessions.Position) error { n++; return nil })
	if err != nil || at.Offset != h.positions[src.Path].Offset || at.State != h.positions[src.Path].State {
		h.t.Errorf("%s again: %+v %v", src.Path, at, err)
	}
	fmt.Fprintf(&h.out, "= %d rows again\n", n)
}

// grows checks that a file that is read in two steps has the rows of a file that is read at once, wherever the first step ended: after a
// line, before its line end, and within the next line. The counts of Codex are left out of the rows, because a record may take the place of
// one; the sum of all tokens is the same.
func (h *readerHome) grows(r sessions.Reader, src sessions.Source, all []string) {
	h.t.Helper()
	whole, err := os.ReadFile(src.Path)
	if err != nil {
		h.t.Fatal(err)
	}
	withoutCounts := func(rows []string) []string {
		return slices.DeleteFunc(slices.Clone(rows), func(row string) bool {
			return strings.Contains(row, `key="count `) || strings.Contains(row, `key="response `)
		})
	}
	var took int64
	_, err = r.Read(h.t.Context(), src, sessions.Position{}, adding(&took, map[string]bool{}))
	if err != nil {
		h.t.Fatal(err)
	}
	for at := range whole {
		if whole[at] != '\n' {
			continue
		}
		for _, end := range []int{at, at + 1, min(at+30, len(whole))} {
			var got []string
			var from sessions.Position
			var sum int64
			add := adding(&sum, map[string]bool{})
			for _, content := range [][]byte{whole[:end], whole} {
				sessionstest.Write(h.t, src.Path, string(content))
				from, err = r.Read(h.t.Context(), src, from, func(row sessions.Row, _ sessions.Position) error {
					got = append(got, shown(row))
					return add(row, sessions.Position{})
				})
				if err != nil {
					h.t.Fatal(err)
				}
			}
			if diff := cmp.Diff(withoutCounts(all), withoutCounts(got)); diff != "" {
				h.t.Errorf("%s, read up to byte %d and on: %s", src.Path, end, diff)
			}
			if sum != took {
				h.t.Errorf("%s, read up to byte %d and on: %d tokens, not %d", src.Path, end, sum, took)
			}
			if diff := cmp.Diff(h.positions[src.Path], from); diff != "" {
				h.t.Errorf("%s, read up to byte %d and on: position: %s", src.Path, end, diff)
			}
		}
	}
}

// adding returns a function that adds the tokens of rows to sum, of each answer once.
func adding(sum *int64, known map[string]bool) func(sessions.Row, sessions.Position) error {
	return func(row sessions.Row, _ sessions.Position) error {
		if row.Kind == sessions.Usage && !known[row.Key] {
			known[row.Key] = true
			*sum += row.Tokens.Input + row.Tokens.Output + row.Tokens.CacheRead
		}
		return nil
	}
}

// shown returns a row as a line: what it is, then its members that are set.
func shown(r sessions.Row) string {
	names := map[sessions.Kind]string{sessions.Result: "result", sessions.Usage: "usage"}
	name := names[r.Kind]
	if name == "" {
		name = r.Kind.String()
	}
	cost := ""
	if r.Tokens.Cost != 0 {
		cost = strconv.FormatFloat(r.Tokens.Cost, 'g', -1, 64)
	}
	var b strings.Builder
	b.WriteString(name)
	for _, f := range []string{
		field("session", r.Session), field("parent", r.Parent), mark("agent", r.Agent), field("at", r.At.UTC().Format(time.RFC3339Nano)), field("folder", r.Folder),
		field("branch", r.Branch), field("model", r.Model), field("path", r.Path), mark("failed", r.Failed), mark("grows", r.Grows), field("text", r.Text),
		number("in", r.Tokens.Input), number("out", r.Tokens.Output), number("read", r.Tokens.CacheRead), number("5m", r.Tokens.Cache5m), number("1h", r.Tokens.Cache1h),
		number("reasoning", r.Tokens.Reasoning), field("cost", cost), field("answer", r.Answer), field("key", r.Key),
	} {
		b.WriteString(f)
	}
	return b.String()
}

func field(name, value string) string {
	if value == "" {
		return ""
	}
	if len(value) > 300 {
		value = fmt.Sprintf("%s… (%d bytes)", value[:40], len(value))
	}
	switch {
	case !strings.ContainsAny(value, " \"\n\t\\"):
	case strings.Contains(value, `"`) && strconv.CanBackquote(value):
		value = "`" + value + "`"
	default:
		value = strconv.Quote(value)
	}
	return " " + name + "=" + value
}

func mark(name string, set bool) string {
	if set {
		return " " + name
	}
	return ""
}

func number(name string, value int64) string {
	if value == 0 {
		return ""
	}
	return " " + name + "=" + strconv.FormatInt(value, 10)
}

// TestReadFails checks the errors of sources that cannot be read.
func TestReadFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, r := range sessions.Readers() {
		for _, name := range []string{"a.jsonl", "a.json", "a.messages.json", "a.db", "chatSessions/a.json", "chatSessions/a.jsonl", "transcripts/a.jsonl"} {
			from := sessions.Position{Offset: 7, State: "s", Passed: 3}
			_, err := r.Read(t.Context(), sessions.Source{Path: filepath.Join(dir, name)}, from, func(sessions.Row, sessions.Position) error {
				t.Error("a row")
				return nil
			})
			if !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s %s: %v", r.Client(), name, err)
			}
		}
	}
}

// TestReadIsCancelled checks that a read ends after the row at which its context did, and that the position is that of the rows read.
func TestReadIsCancelled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	c := sessionstest.Claude{Session: "a"}
	first := sessionstest.Lines(c.User("1", "2026-11-20T10:00:00.000Z", "One"))
	sessionstest.Write(t, path, first+sessionstest.Lines(c.User("2", "2026-11-20T10:00:01.000Z", "Two")))
	ctx, cancel := context.WithCancel(t.Context())
	rows := 0
	at, err := sessions.Claude{}.Read(ctx, sessions.Source{Path: path}, sessions.Position{}, func(sessions.Row, sessions.Position) error {
		rows++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || rows != 1 || at.Offset != int64(len(first)) {
		t.Errorf("%d rows, %+v, %v", rows, at, err)
	}
}
