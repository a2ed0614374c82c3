// Package goldentest compares a whole transcript with the one in a package's testdata. It is for tests only.
package goldentest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shown is how many differing lines are printed.
const shown = 6

// Same is File for a file in the package's testdata.
func Same(t testing.TB, file, got string, update bool) {
	t.Helper()
	File(t, filepath.Join("testdata", filepath.FromSlash(file)), got, update)
}

// File compares a transcript with a recorded one, or with update records it, for review. The test fails with the first lines that differ,
// each below the last line above it that is not indented.
func File(t testing.TB, path, got string, update bool) {
	t.Helper()
	if update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if differ := Differ(got, strings.ReplaceAll(string(want), "\r\n", "\n")); differ != "" {
		t.Errorf("%s differs; if all of this is meant, run the test with -update and review the difference:\n%s", path, differ)
	}
}

// Differ describes the first lines in which a transcript differs from the wanted one; "" when they are the same.
func Differ(got, want string) string {
	if got == want {
		return ""
	}
	is, was := strings.Split(got, "\n"), strings.Split(want, "\n")
	var b strings.Builder
	above, left := "", shown
	for i := 0; i < max(len(is), len(was)) && left > 0; i++ {
		a, z := lineOf(is, i), lineOf(was, i)
		if a != z {
			b.WriteString(above + "- " + z + "\n+ " + a + "\n")
			above = ""
			left--
		}
		if i < len(is) && a != "" && a[0] != '\t' && a[0] != ' ' {
			above = a + "\n"
		}
	}
	return b.String()
}

func lineOf(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}
