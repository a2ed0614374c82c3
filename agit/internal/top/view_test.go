package top

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

var update = flag.Bool("update", false, "write the screens in testdata")

var noon = time.Date(2026, 11, 20, 14, 2, 0, 0, time.UTC)

func ago(d time.Duration) *timestamp.Time { return &timestamp.Time{Time: noon.Add(-d)} }

func number(n int) *int { return &n }

// full is a state in which every part has something to show.
func full() overview.State {
	s := overview.State{
		At:     timestamp.Of(noon),
		Repos:  []overview.Repo{{Name: "app", DefaultBranch: "main", Tip: "4f1c2e0", ScannedAt: ago(0)}},
		Totals: overview.Totals{Agents: 4, Gone: 1, Needs: 5, Conflicts: number(2), Landings: 1},
		Needs: []overview.Need{
			{Kind: overview.NeedAnswer, Who: "cyd", State: "waiting for you", Since: ago(6 * time.Minute), Reason: `asks: run "npm install"?`, What: "fix-upload", Repo: "app", Worktree: "w-c", Task: "t-c", Agent: "cyd"},
			{Kind: overview.NeedReview, Who: "ann", State: "to review", Since: ago(21 * time.Minute), Reason: "+182 -40 in 7 files, gate passed", What: "login-page", Repo: "app", Worktree: "w-a", Task: "t-a", Agent: "ann"},
			{Kind: overview.NeedLanding, Who: "eve", State: "returned", Since: ago(9 * time.Minute), Reason: "gate failed: make test", What: "old-api", Repo: "app", Worktree: "w-o", Agent: "eve", Landing: 6},
			{Kind: overview.NeedConflict, Who: "ann", State: "conflict", Since: ago(3 * time.Minute), Reason: "login.go 41-58 with bob", What: "login-page", Repo: "app", Worktree: "w-a", Agent: "ann"},
			{Kind: overview.NeedBlocked, Who: "Rate limit", State: "blocked", Since: ago(2 * time.Hour), Reason: "bug: token lost on retry", What: "t-4kq", Task: "t-4kq"},
		},
		Agents: []overview.Agent{
			{Name: "ann", State: "idle", Since: ago(21 * time.Minute), Repo: "app", Worktree: "w-a", Task: "t-a", TaskName: "Login page"},
			{Name: "bob", State: "working", Since: ago(2 * time.Second), Repo: "app", Worktree: "w-b", Task: "t-b", TaskName: "Single sign-on"},
			{Name: "cyd", State: "waiting for you", Since: ago(6 * time.Minute), Repo: "app", Worktree: "w-c", Task: "t-c", TaskName: "Fix the upload"},
			{Name: "dee", State: "gone", Since: ago(3 * time.Hour), Repo: "app", Worktree: "w-d", Task: "t-d", TaskName: "CSV import", FreedAt: ago(-12 * time.Minute)},
			{Name: "eve", State: "working", Since: ago(38 * time.Second), Repo: "app", Worktree: "w-o", TaskName: "Remove the old API"},
		},
		Worktrees: []overview.Worktree{
			{Ref: "w-a", Name: "login-page", Repo: "app", Agent: "ann", State: "conflicts with bob", Ahead: number(3), Changed: number(0), Conflicts: []string{"bob"}},
			{Ref: "w-b", Name: "sso", Repo: "app", Agent: "bob", State: "conflicts with ann", Ahead: number(1), Changed: number(5), Conflicts: []string{"ann"}},
			{Ref: "w-c", Name: "fix-upload", Repo: "app", Agent: "cyd", State: "2 changed", Ahead: number(0), Changed: number(2)},
			{Ref: "w-d", Name: "csv-import", Repo: "app", Agent: "dee", State: "conflicts with main", Ahead: number(4), Changed: number(0)},
			{Ref: "w-o", Name: "old-api", Repo: "app", Agent: "eve", State: "clean", Ahead: number(2), Changed: number(0)},
			{Ref: "w-n", Name: "left-over", Repo: "app", State: "clean", Changed: number(0), Since: ago(50 * time.Hour)},
		},
		Conflicts: []overview.Conflict{
			{Repo: "app", File: "login.go", Lines: "41-58", Depth: conflict.DepthMerge, Since: ago(3 * time.Minute), Sides: []overview.Side{{Name: "login-page", Worktree: "w-a", Agent: "ann"}, {Name: "sso", Worktree: "w-b", Agent: "bob"}}},
			{Repo: "app", File: "go.mod", Lines: "9", Depth: conflict.DepthLines, Since: ago(time.Hour), Sides: []overview.Side{{Name: "csv-import", Worktree: "w-d", Agent: "dee"}, {Name: "main"}}},
		},
		Landings: []overview.Landing{
			{ID: 7, Repo: "app", Position: 1, State: "gate running", Since: ago(38 * time.Second), Agent: "eve", Worktree: "w-e", Name: "csv-export", Gate: "make test"},
			{ID: 6, Repo: "app", State: "returned", Since: ago(9 * time.Minute), Agent: "eve", Worktree: "w-o", Name: "old-api", Gate: "make test", Reason: "gate failed: make test"},
		},
		Tasks: overview.Tasks{
			Counts: map[string]int{"ready": 5, "waits": 4, "blocked": 1, "claimed": 1, "in progress": 3, "failed": 1, "done": 37},
			List: []overview.Task{
				{ID: "t-a", Name: "Login page", State: overview.TaskProgress, Since: ago(time.Hour), Agent: "ann", Repo: "app", Worktree: "w-a"},
				{ID: "t-b", Name: "Single sign-on", State: overview.TaskClaimed, Since: ago(time.Hour), Agent: "bob", Repo: "app", Worktree: "w-b"},
				{ID: "t-4kq", Name: "Rate limit", State: overview.TaskBlocked, On: []string{"BUG-7"}, Since: ago(2 * time.Hour)},
				{ID: "t-9", Name: "Dark colours", State: overview.TaskReady, Since: ago(26 * time.Hour), Priority: work.PriorityHigh},
				{ID: "t-10", Name: "Sessions that end", State: overview.TaskWaits, On: []string{"t-a"}, Since: ago(26 * time.Hour)},
			},
		},
	}
	return s
}

// drawn returns a screen as text.
func drawn(m *model) string {
	var b strings.Builder
	for _, l := range m.view() {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

func sized(width, height int, s overview.State) *model {
	m := newModel(false)
	m.width, m.height = width, height
	m.update(s, noon)
	return m
}

func press(m *model, keys ...string) (last order) {
	for _, k := range keys {
		last = m.key(k)
	}
	return last
}

// TestScreens compares whole screens with testdata/*.txt; -update writes them.
func TestScreens(t *testing.T) {
	empty := overview.State{At: timestamp.Of(noon), Repos: []overview.Repo{{Name: "app", DefaultBranch: "main", Tip: "4f1c2e0"}}}
	calm := full()
	calm.Needs, calm.Conflicts, calm.Landings = nil, nil, nil
	for _, tc := range []struct {
		name          string
		width, height int
		state         overview.State
		keys          []string
	}{
		{"80x24", 80, 24, full(), nil},
		{"200x60", 200, 60, full(), nil},
		{"60x10", 60, 10, full(), nil},
		{"40x24", 40, 24, full(), nil},
		{"20x5", 20, 5, full(), nil},
		{"tasks", 80, 24, full(), []string{"5", "j", "j"}},
		{"calm", 80, 24, calm, nil},
		{"empty", 80, 24, empty, nil},
		{"no repository", 80, 24, overview.State{At: timestamp.Of(noon)}, nil},
		{"filter", 80, 24, full(), []string{"/", "b", "o", "b"}},
		{"no match", 80, 24, full(), []string{"/", "z", "z", "z", "Enter"}},
		{"help", 80, 24, full(), []string{"?"}},
		{"release", 80, 24, full(), []string{"5", "j", "r"}},
		{"release again", 80, 24, full(), []string{"5", "j", "r", "y"}},
		{"return", 80, 24, full(), []string{"j", "b", "t", "o", "o", " ", "l", "o", "n", "g"}},
		{"nothing there", 80, 24, full(), []string{"a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := sized(tc.width, tc.height, tc.state)
			press(m, tc.keys...)
			got := drawn(m)
			file := filepath.Join("testdata", strings.ReplaceAll(tc.name, " ", "-")+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the screen is not that of %s (-want +got); look at it, and run the test with -update:\n%s", file, diff)
			}
		})
	}
}

// fits checks what holds for every screen: as high as the terminal, no line wider, and without terminal control sequences.
func fits(t *testing.T, m *model) {
	t.Helper()
	lines := m.view()
	if len(lines) != m.height {
		t.Fatalf("%d×%d: %d lines", m.width, m.height, len(lines))
	}
	for i, l := range lines {
		text := l.String()
		if n := term.Width(text); n > m.width {
			t.Fatalf("%d×%d: line %d is %d wide: %q", m.width, m.height, i, n, text)
		}
		for _, r := range text {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r >= 0xfe00 && r <= 0xfe0f {
				t.Fatalf("%d×%d: line %d holds %U: %q", m.width, m.height, i, r, text)
			}
		}
	}
}

// hostile is a state whose texts were all chosen by strangers.
func hostile(text string) overview.State {
	s := full()
	for i := range s.Needs {
		s.Needs[i].Who, s.Needs[i].Reason, s.Needs[i].What, s.Needs[i].State = text, text, text, text
	}
	for i := range s.Agents {
		s.Agents[i].Name, s.Agents[i].Note, s.Agents[i].TaskName, s.Agents[i].State = text+fmt.Sprint(i), text, text, text
	}
	for i := range s.Worktrees {
		s.Worktrees[i].Name, s.Worktrees[i].Conflicts, s.Worktrees[i].Problem = text, []string{text}, text
	}
	for i := range s.Conflicts {
		s.Conflicts[i].File, s.Conflicts[i].Sides[0].Name, s.Conflicts[i].Sides[0].Agent = text, text, text
	}
	for i := range s.Landings {
		s.Landings[i].Name, s.Landings[i].Reason, s.Landings[i].State, s.Landings[i].Gate = text, text, text, text
	}
	for i := range s.Tasks.List {
		s.Tasks.List[i].Name, s.Tasks.List[i].ID, s.Tasks.List[i].On = text, text, []string{text}
	}
	s.Repos[0].Name, s.Repos[0].DefaultBranch, s.Problem = text, text, text
	return s
}

var strange = []string{
	"\x1b[31mred\x1b[0m \x1b]0;title\x07", "\u202eevil\u2066", "家族の名前がとても長い", "👩‍👩‍👧‍👦 家族", "🇩🇪🇯🇵 flags", "heart ❤\ufe0f text", "a\nb\tc\r\n", "\xff\xfe broken",
	"é combined e\u0301", strings.Repeat("very long ", 200), "", " ", "\u200b\u200d", "%s %d", "<script>alert(1)</script>",
}

func TestCostOfTheDay(t *testing.T) {
	t.Parallel()
	s := full()
	s.Totals.Spent, s.Agents[1].Spent = "$12.30*", "$4.10*"
	screen := drawn(sized(120, 40, s))
	for _, part := range []string{"$12.30* today", "$4.10*"} {
		if !strings.Contains(screen, part) {
			t.Errorf("the screen lacks %q:\n%s", part, screen)
		}
	}
}

// The row of a worker holds the reason for its wait, in full where there is room; an agent's question is among the needs instead.
func TestWaitingWorker(t *testing.T) {
	t.Parallel()
	const limit = "usage limit of claude until 15:30: You've hit your limit, resets at 15:30"
	s := full()
	for i := range s.Agents {
		s.Agents[i].Note = limit
	}
	s.Agents[0].Worktree = "" // ann is idle, and the worktree that waits for a person is another row
	for width, note := range map[int]string{80: limit[:13], 160: limit} {
		if screen := drawn(sized(width, 30, s)); strings.Count(screen, note) != 1 {
			t.Errorf("%d columns without %q:\n%s", width, note, screen)
		}
	}
}

func TestHostileTexts(t *testing.T) {
	for _, text := range strange {
		for _, size := range [][2]int{{80, 24}, {200, 60}, {60, 10}, {20, 5}, {7, 3}, {1, 1}, {1, 2}} {
			m := sized(size[0], size[1], hostile(text))
			for _, keys := range [][]string{nil, {"Tab", "j"}, {"/", "a"}, {"Enter"}, {"?"}, {"j", "PgDn", "?"}} {
				press(m, keys...)
				fits(t, m)
			}
			m.ask, m.said = nil, ""
			m.open = &panel{title: text, diff: true}
			m.open.add(strings.Repeat(text+"\n", 3) + "+" + text)
			m.open.left = 3
			fits(t, m)
			press(m, "/", "e", "Enter", "n", "G")
			fits(t, m)
		}
	}
}

func FuzzView(f *testing.F) {
	for i, text := range strange {
		f.Add(text, 10+i*13, 3+i, "jjTab5r?/aq")
	}
	f.Add("0", 49, 1, "/7")
	f.Fuzz(func(t *testing.T, text string, width, height int, keys string) {
		width, height = max(1, width%300), max(1, height%100)
		m := sized(max(1, width), max(1, height), hostile(text))
		for _, k := range keys {
			m.key(string(k))
			fits(t, m)
		}
		p := &panel{title: text, wrap: len(keys)%2 == 0}
		p.add(text)
		m.open, m.ask = p, nil
		fits(t, m)
	})
}

// String is the line without looks.
func (l line) String() string {
	var b strings.Builder
	for _, s := range l.spans {
		b.WriteString(s.text)
	}
	return strings.TrimRight(b.String(), " ")
}

// A worktree whose folder is missing is shown as such, with the next step in view, also at 80 columns.
func TestMissingFolder(t *testing.T) {
	s := full()
	s.Worktrees[1].State, s.Worktrees[1].Missing = "folder is gone", true
	s.Needs = []overview.Need{{Kind: overview.NeedFolder, Who: "bob", State: "folder is gone", Reason: "`agit doctor` shows what to do", What: "sso", Repo: "app", Worktree: "w-b", Agent: "bob"}}
	screen := drawn(sized(80, 24, s))
	if strings.Count(screen, "folder is gone") != 2 || !strings.Contains(screen, "`agit doctor` shows") {
		t.Errorf("the screen is\n%s", screen)
	}
}

// A repository that was not scanned is named with the reason, above the parts: no conflict shown does not mean that there is none.
func TestNotScanned(t *testing.T) {
	s := full()
	s.Needs, s.Repos[0].Problem = nil, "git was not found"
	if screen := drawn(sized(80, 24, s)); !strings.Contains(screen, "\napp was not scanned: git was not found\nNothing needs you.\n\n") {
		t.Errorf("the screen is\n%s", screen)
	}
	if screen := drawn(sized(80, 24, overview.State{Repos: s.Repos})); !strings.Contains(screen, "\napp was not scanned: git was not found\n\nNo agent works here yet.") {
		t.Errorf("without agents the screen is\n%s", screen)
	}
}

// When there are more tasks than are listed, the end of the list reports it and names the command that lists them, and a filter reports
// that it did not see them.
func TestUnlistedTasks(t *testing.T) {
	s := full()
	s.Tasks.Unlisted = 2806
	for _, tc := range []struct {
		keys []string
		want string
	}{
		{[]string{"5"}, "… 2807 more\n"},
		{[]string{"5", "End"}, "1 above, 2806 more are not listed: `agit tasks --limit 0` lists all\n"},
		{[]string{"/", "D", "a", "r", "k", "Enter"}, "Dark colours\n  … 2806 more were not looked through: `agit tasks --limit 0` lists all\n"},
		{[]string{"/", "n", "o", "n", "e", "Enter"}, "2806 tasks were not looked through: `agit tasks --limit 0` lists all.\n"},
	} {
		m := sized(80, 24, s)
		press(m, tc.keys...)
		if got := drawn(m); !strings.Contains(got, tc.want) {
			t.Errorf("after %v it shows\n%s", tc.keys, got)
		}
	}
	if got := drawn(sized(200, 60, s)); !strings.Contains(got, "  … 2806 more are not listed") || !strings.Contains(got, "Sessions that end") {
		t.Errorf("a large screen shows\n%s", got)
	}
}

// When several repositories are shown, a worktree and a file are named with their repository.
func TestSeveralRepositories(t *testing.T) {
	s := full()
	s.Repos = append(s.Repos, overview.Repo{Name: "lib"})
	s.Worktrees[1].Repo, s.Conflicts[1].Repo, s.Landings[1].Repo = "lib", "lib", "lib"
	m := sized(120, 40, s)
	got := drawn(m)
	for _, want := range []string{"app/fix-upload", "app/login-page", "lib/sso", "lib/go.mod 9", "lib/old-api", "t-4kq"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not on\n%s", want, got)
		}
	}
	if strings.Contains(got, "/t-4kq") {
		t.Errorf("a task is named as a repository's\n%s", got)
	}
	if press(m, "2", "j", "m"); m.ask == nil || m.ask.question != "Merge lib/sso and remove its worktree?" {
		t.Errorf("it asks %+v", m.ask)
	}
}

// A long reason does not take room from who and what while there is enough for all.
func TestLongReason(t *testing.T) {
	s := full()
	s.Needs[0].Reason = "asks: run \"" + strings.Repeat("cmake --build . && ", 12) + "ctest\"?"
	s.Needs[0].Who, s.Needs[1].What = "claude-of-the-west", "a-login-page-of-many-words"
	for _, width := range []int{120, 200} {
		got := drawn(sized(width, 40, s))
		for _, want := range []string{"> claude-of-the-west  ", "  a-login-page-of-many-words", "asks: run \"cmake --build . && cmake --build"} {
			if !strings.Contains(got, want) {
				t.Errorf("%d wide, %q is not on\n%s", width, want, got)
			}
		}
	}
}

// A stale screen is marked as stale at any width.
func TestStaleIsSaid(t *testing.T) {
	s := full()
	s.Problem = "the registry cannot be read"
	for _, width := range []int{24, 40, 80} {
		if got, _, _ := strings.Cut(drawn(sized(width, 24, s)), "\n"); !strings.HasSuffix(got, "  stale since "+noon.Local().Format("15:04")) || term.Width(got) != width {
			t.Errorf("%d wide, the first line is %q", width, got)
		}
	}
}

// TestTheHeaderNamesTheTracker, and how old what is here of it is.
func TestTheHeaderNamesTheTracker(t *testing.T) {
	s := full()
	s.Totals.Mirror = &overview.Sync{Provider: "linear", PulledAt: ago(3 * time.Minute)}
	if first, _, _ := strings.Cut(drawn(sized(80, 24, s)), "\n"); !strings.Contains(first, "1 landing   linear 3m ago") {
		t.Errorf("the header is %q", first)
	}
}
