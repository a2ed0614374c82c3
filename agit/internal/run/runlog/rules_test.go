package runlog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
)

// Names of files are those of logs and their parts, or of nothing.
func TestNamesOfLogs(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 27, 12, 0, 1, 2000, time.UTC)
	for name, want := range map[string]string{
		"20261127T120001.000002Z-work.log":    "work 1",
		"20261127T120001.000002Z-gate.log":    "gate 1",
		"20261127T120001.000002Z-work.2.log":  "work 2",
		"20261127T120001.000002Z-work.10.log": "work 10",
		"20261127T120001.000002Z-work.1.log":  "",
		"20261127T120001.000002Z-work.x.log":  "",
		"20261127T120001.000002Z-other.log":   "",
		"20261127T120001.000002Z-work.lock":   "",
		"20261127T120001.000002Z.log":         "",
		"work.log":                            "",
		"today-work.log":                      "",
	} {
		f, n, ok := parse(name)
		got := ""
		if ok {
			got = fmt.Sprint(f.Kind, " ", n)
			if !f.Begun.Equal(at) {
				t.Errorf("%s began at %s", name, f.Begun)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, path := range []string{"/logs/w-1/x.log", "/logs/w-1/20261127T120001.000002Z-work.2.log"} {
		if f, err := Named(path); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%s: %+v, %v", path, f, err)
		}
	}
	home := t.TempDir()
	for kind, want := range map[Kind]string{"": "worktree w-1 has no log", Gate: "worktree w-1 has no gate log"} {
		if _, err := Latest(home, "w-1", kind); fault.From(err).Message != want || !fault.Is(err, fault.KindNotFound) {
			t.Errorf("%q: %v", kind, err)
		}
	}
	if _, err := List(home, "../w", ""); !fault.Is(err, fault.KindValidation) {
		t.Error(err)
	}
}

// The last lines of a text, however many there are.
func TestLastLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		data string
		n    int
		want string
	}{
		{"a\nb\nc\n", 0, ""}, {"a\nb\nc\n", 1, "c\n"}, {"a\nb\nc\n", 2, "b\nc\n"}, {"a\nb\nc\n", 3, "a\nb\nc\n"}, {"a\nb\nc\n", 9, "a\nb\nc\n"},
		{"a\nb", 1, "b"}, {"a\n\n", 1, "\n"}, {"\n", 1, "\n"}, {"", 1, ""}, {"", 0, ""}, {"\n\na\n", 2, "\na\n"},
	} {
		if got := string(lastOf([]byte(c.data), c.n)); got != c.want {
			t.Errorf("%d of %q: %q, want %q", c.n, c.data, got, c.want)
		}
	}
}

// A log's last lines are those of the program, not agit's; it is open until it is closed, and reports what could not be written.
func TestLinesOfALog(t *testing.T) {
	t.Parallel()
	l := create(t)
	if l.LastLine() != "" || len(l.Last(3)) != 0 || !l.Open() {
		t.Errorf("%q %q", l.LastLine(), l.Last(3))
	}
	l.Hide("short", "1234567", "a longer secret", "longer")
	other := l.Stream()
	fmt.Fprint(l, "one\ntw")
	fmt.Fprint(other, "other\n \n")
	l.Note("note %d\nof two lines", 1)
	fmt.Fprint(l, "it is a longer secret, 1234567\n")
	if diff := cmp.Diff([]string{"other", " ", "tw", "it is [redacted environment], 1234567"}, l.Last(4)); diff != "" {
		t.Error(diff)
	}
	if got := l.LastLine(); got != "it is [redacted environment], 1234567" {
		t.Error(got)
	}
	fmt.Fprint(other, "\n \n")
	if got := l.LastLine(); got != "it is [redacted environment], 1234567" {
		t.Error(got)
	}
	for range 2 {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if l.Open() {
		t.Error("open after its end")
	}
	if n, err := l.Write([]byte("late\n")); n != 5 || err != nil {
		t.Error(n, err)
	}
	want := "one\nother\n \ntw\nagit: note 1 of two lines\nit is [redacted environment], 1234567\n\n \n"
	if diff := cmp.Diff(want, content(t, l.File, -1)); diff != "" {
		t.Error(diff)
	}
	if err := os.RemoveAll(filepath.Dir(l.Path)); err != nil {
		t.Fatal(err)
	}
	if err := l.Tail(&bytes.Buffer{}, 1); !fault.Is(err, fault.KindNotFound) {
		t.Error(err)
	}
	for range 60 {
		fmt.Fprintln(l, "line")
	}
	if got := len(l.Last(100)); got != 50 {
		t.Errorf("%d lines are kept", got)
	}
}

// The part of a log is as long as its limit, and no longer; what lacks between parts is marked once.
func TestParts(t *testing.T) {
	t.Parallel()
	l := create(t)
	l.limit = 10
	for _, line := range []string{"12345\n", "123\n", "x\n", "123456789012\n", "y\n", "z\n"} {
		fmt.Fprint(l, line)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	numbers, err := l.parts()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range numbers {
		data, err := os.ReadFile(l.part(n))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d %q", n, data))
	}
	if diff := cmp.Diff([]string{`1 "12345\n123\n"`, `2 "x\n"`, `3 "123456789012\n"`, `4 "y\nz\n"`}, got); diff != "" {
		t.Error(diff)
	}
	if err := os.Remove(l.part(2)); err != nil {
		t.Fatal(err)
	}
	if got := content(t, l.File, -1); got != "12345\n123\n"+leftOut+"123456789012\ny\nz\n" {
		t.Errorf("%q", got)
	}
	var shown strings.Builder
	at, err := l.more(&shown, place{part: 1, offset: 6})
	if err != nil || at != (place{part: 4, offset: 4}) || shown.String() != "123\n"+leftOut+"123456789012\ny\nz\n" {
		t.Errorf("%+v, %q, %v", at, shown.String(), err)
	}
}

// Logs of the last day stay whatever their size; a sweep within the hour of another does nothing.
func TestSweepsAreRare(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	now := time.Now()
	log := func(ref string, age time.Duration) string {
		l, err := Create(home, ref, Work)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(l, strings.Repeat("x", 99))
		l.Close()
		if err := os.Chtimes(l.Path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
		return l.Path
	}
	young := log("w-1", spared-time.Minute)
	exists := func(path string) bool { _, err := os.Stat(path); return err == nil }
	sweep := func() {
		t.Helper()
		if err := Sweep(home, time.Hour, 1); err != nil {
			t.Fatal(err)
		}
	}
	mark := filepath.Join(home, "logs", ".swept")
	for age, done := range map[time.Duration]bool{time.Minute: false, -time.Minute: false, -2 * time.Hour: true} {
		if err := os.WriteFile(mark, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(mark, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
		old := log("w-1", spared+time.Minute)
		sweep()
		if exists(old) == done || !exists(young) {
			t.Errorf("a mark of %s: the old log exists: %v", age, exists(old))
		}
	}
	for most, kept := range map[int64]int{300: 3, 299: 2, 200: 2, 199: 1, 1: 0} {
		folder := filepath.Join(t.TempDir(), "logs")
		for i := range 3 {
			path := filepath.Join(folder, "w-1", fmt.Sprint(i))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, now.Add(-48*time.Hour), now.Add(-48*time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		if err := sweepIn(folder, now, most); err != nil {
			t.Fatal(err)
		}
		left, _ := os.ReadDir(filepath.Join(folder, "w-1"))
		if len(left) != kept {
			t.Errorf("at most %d bytes: %d logs are left, want %d", most, len(left), kept)
		}
	}
}

func sweepIn(folder string, now time.Time, most int64) error { return sweep(folder, now, 0, most) }
