package health

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/shared/git/gittest"
)

var now = time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)

func report(t *testing.T) *Report {
	t.Helper()
	repo := gittest.New(t)
	table := func(row string) string { return "\n## Citations\n\n| File | Line | Snippet |\n|---|---|---|\n" + row }
	repo.Write("a.go", "package a\n\nfunc Login(user string) error { return nil }\n")
	repo.Write(".serena/memories/good.md", "# Good\n"+table("| a.go | 3 | `func Login(user string) error { return nil }` |\n"))
	repo.Write(".serena/memories/half.md", "# <b>Half</b>\n[[goood]]\n"+table("| a.go | 3 | `func Login(user string) error { return nil }` |\n| b.go | 9 | `nothing <script>alert(1)</script> of the kind` |\n"))
	repo.Write(".serena/memories/wrong.md", "# Wrong\n"+table("| c.go | 1 | `no such thing at all` |\n")+"\n## Metadata\n\n- **Last Verified**: 2026-11-17\n")
	repo.Write(".serena/memories/bare.md", "# Bare\n\nSee a.go:3.\n")
	repo.Write(".serena/memories/broken.md", "a\x00b\n")
	lib, err := library.Open(library.Options{From: repo.Dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lib.Close() })
	r, err := Make(t.Context(), &check.Service{Lib: lib, From: repo.Dir}, Options{}, now)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReport(t *testing.T) {
	r := report(t)
	var order []string
	for _, l := range r.Ranked {
		order = append(order, l.ID)
	}
	if got := strings.Join(order, " "); got != "wrong half good" {
		t.Errorf("ranked %s", got)
	}
	c := r.Counts
	if c.Total != 5 || c.Cited != 3 || c.Valid != 1 || c.Stale != 2 || c.Unreadable != 1 || c.Citations != 4 || c.Prose != 1 || *c.Confidence != 0.5 {
		t.Errorf("%+v", c)
	}
	if len(r.NeverVerified) != 2 || strings.Join(r.Uncited, " ") != "bare" || len(r.Links.Broken) != 1 || r.Links.Broken[0].Nearest != "good" || len(r.Unread) != 1 {
		t.Errorf("%+v", r)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	md := r.Markdown()
	for _, part := range []string{"3 of 5 memories need care", "- References in prose, 1 in all, are not checked yet: `citecheck adopt --dry-run`", "| wrong | stale | 0.00 | 0/1 | 3 days ago |", "half:2: goood (did you mean good?)", "broken:1: the file holds a NUL byte"} {
		if !strings.Contains(md, part) {
			t.Errorf("%q is not in\n%s", part, md)
		}
	}
}

// The page needs nothing from elsewhere, runs nothing, and escapes what it shows.
func TestPage(t *testing.T) {
	page, err := report(t).HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, never := range []string{"<script", "http://", "https://", "url(", "@import", "<link", "<img", "<b>Half"} {
		if strings.Contains(page, never) {
			t.Errorf("the page holds %q", never)
		}
	}
	for _, part := range []string{`<html lang="en">`, "prefers-color-scheme: dark", `role="img" aria-label="1 valid, 2 stale, 1 unreadable, 1 unverified"`, `role="img" aria-label="2 valid, 2 gone"`, `scope="col"`, "ZgotmplZ"} {
		if strings.Contains(page, part) == (part == "ZgotmplZ") {
			t.Errorf("%q", part)
		}
	}
	if widths := regexp.MustCompile(`width="50\.000"`).FindAllString(page, -1); len(widths) != 2 {
		t.Errorf("%d bars of a half", len(widths))
	}
}

func TestDays(t *testing.T) {
	for stamp, want := range map[string]int{"": -1, "soon": -1, "2026-11-20": 0, "2026-11-18T08:00:00Z": 2, "2030-01-01": 0, "2025-11-20": 365} {
		if got := days(stamp, now); got != want {
			t.Errorf("%q: %d, want %d", stamp, got, want)
		}
	}
}
