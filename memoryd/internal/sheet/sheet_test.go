package sheet_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	figure "github.com/common-nighthawk/go-figure"

	"github.com/agit-suite/agit/memoryd/internal/sheet"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestGolden(t *testing.T) {
	for file, s := range map[string]sheet.Sheet{
		"beginner": {Agent: "builder-1", ID: "a-06q8v1k2m4", Type: "coder", Tier: "PROBATION", TierSP: "below SP 2", SP: 1, XP: "0.0", NextSP: "10.0"},
		"emoji":    {Agent: "🚀👩‍🚀 bot", Tier: "JUNIOR", TierSP: "SP 2 to 3", XP: "1.0", NextSP: "20.0"},
		"chinese":  {Agent: "李小龙", Tier: "JUNIOR", XP: "1.0", NextSP: "20.0"},
		"hebrew":   {Agent: "שלום e\u0301te\u0301", Tier: "JUNIOR", XP: "1.0", NextSP: "20.0"},
		"expert": {Agent: "AgentTracker-Core", ID: "a-06q8v1k2m4", Type: "claude", Tier: "EXPERT", SP: 12, CS: 345, Commits: 210, Bugs: 4,
			XP: "59.9", NextSP: "120.0", Progress: 49, Pending: []string{"main.go", "docs/plan.md"}},
		"halted": {Agent: "claude-opus-4-8", ID: "a-06q8v1k2m4", Type: "custom", Tier: "PROBATION", SP: -2, CS: -7, Commits: 3, Bugs: 4,
			XP: "3.1", NextSP: "10.0", Progress: 31, Halted: true,
			Pending: strings.Split("a/b/c.go d ünï.go "+strings.Repeat("long/", 20)+"path.go e f g h i j k", " ")},
		"alphabet":  {Agent: "ABCDEFGHIJKLMNOPQRSTUVWXYZ", Tier: "JUNIOR", XP: "1.0", NextSP: "20.0", Progress: 5},
		"marks":     {Agent: "0123456789-_./+ ok", Tier: "SENIOR", XP: "1.0", NextSP: "20.0", Progress: 100},
		"foreign":   {Agent: "Агент №7 日本", Tier: "JUNIOR", XP: "1.0", NextSP: "20.0"},
		"accents":   {Agent: "Zoë Großmann", Tier: "JUNIOR", XP: "1.0", NextSP: "20.0"},
		"very long": {Agent: strings.Repeat("undrawable§", 18), Tier: "JUNIOR", XP: "1.0", NextSP: "20.0"},
	} {
		t.Run(file, func(t *testing.T) {
			got := s.String()
			check(t, s.Agent, got)
			path := filepath.Join("testdata", strings.ReplaceAll(file, " ", "_")+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v; run the test with -update", err)
			}
			if got != string(want) {
				t.Errorf("is\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// check verifies the properties of every sheet.
func check(t *testing.T, name, drawn string) {
	t.Helper()
	if !strings.HasSuffix(drawn, "\n") {
		t.Errorf("%q: no line feed at the end", name)
	}
	for i, line := range strings.Split(strings.TrimSuffix(drawn, "\n"), "\n") {
		if len(line) > sheet.Width {
			t.Errorf("%q: line %d has %d columns: %q", name, i, len(line), line)
		}
		if strings.Trim(line, " ") != strings.TrimLeft(line, " ") {
			t.Errorf("%q: line %d ends in blanks: %q", name, i, line)
		}
		for _, c := range []byte(line) {
			if c < 0x20 || c > 0x7e {
				t.Fatalf("%q: line %d holds byte %#x", name, i, c)
			}
		}
	}
}

func TestAnyName(t *testing.T) {
	chance := rand.New(rand.NewPCG(4, 2))
	alphabets := [][]rune{
		[]rune("abcdefghijklmnopqrstuvwxyz"), []rune("ABCxyz019-_./+ "), []rune("0123456789"), []rune("éüñßØЖ日本語🚀\u202e\u0000\n\t\x1b[31m%s"), []rune("W-"),
	}
	for range 3000 {
		var name strings.Builder
		letters := alphabets[chance.IntN(len(alphabets))]
		for range chance.IntN(210) {
			if chance.IntN(20) == 0 {
				letters = alphabets[chance.IntN(len(alphabets))]
			}
			name.WriteRune(letters[chance.IntN(len(letters))])
		}
		check(t, name.String(), sheet.Sheet{Agent: name.String(), ID: name.String(), Type: name.String(), Tier: name.String(), XP: "1.0", NextSP: "10.0", Pending: []string{name.String()}}.String())
	}
	check(t, "numbers", sheet.Sheet{Agent: "x", SP: math.MinInt64, CS: math.MaxInt64, Commits: math.MaxInt64, Bugs: math.MinInt64,
		XP: "922337203685477580.7", NextSP: "922337203685477580.7", Progress: math.MaxInt, Halted: true}.String())
}

func FuzzName(f *testing.F) {
	f.Add("claude-opus-4-8")
	f.Add("café")
	f.Fuzz(func(t *testing.T, name string) {
		check(t, name, strings.Join(sheet.Name(name), "\n")+"\n")
		if len(sheet.Name(name)) > 12 {
			t.Errorf("%q takes %d lines", name, len(sheet.Name(name)))
		}
	})
}

// The letters equal those that the font's own renderer draws.
func TestLettersAreTheFonts(t *testing.T) {
	for _, name := range []string{"CLAUDE", "QUICK", "JAZZVOWS", "BUILDER", "MYTHX"} {
		var want []string
		for _, row := range figure.NewFigure(name, "cybermedium", true).Slicify() {
			if row = strings.TrimRight(row, " "); row != "" {
				want = append(want, row)
			}
		}
		if got := sheet.Name(strings.ToLower(name)); !slices.Equal(got, want) {
			t.Errorf("%s is\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// Every letter, digit and mark differs from every other.
func TestGlyphsDiffer(t *testing.T) {
	seen := map[string]rune{}
	for _, r := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./+" {
		drawn := strings.Join(sheet.Name("x"+string(r)), "\n")
		if other, ok := seen[drawn]; ok {
			t.Errorf("%c looks like %c", r, other)
		}
		seen[drawn] = r
	}
}

func TestPage(t *testing.T) {
	page := sheet.Sheet{Agent: `<b>"ann"`, Type: "</style>", Tier: "trusted", SP: 3, XP: "2.5", NextSP: "10.0", Progress: 250, Halted: true, Pending: []string{"a<b.go"}}.HTML()
	for _, bad := range []string{"<b>", "</style> ", "a<b", "http:", "https:", "<script"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q is in the page", bad)
		}
	}
	for _, want := range []string{"&lt;b&gt;", "Halted", `width="100"`, "prefers-color-scheme: dark"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
}
