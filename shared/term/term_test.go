package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
)

func TestEscape(t *testing.T) {
	for _, c := range []struct{ in, line, text string }{
		{"plain", "plain", "plain"},
		{"größe 日本 👩‍💻", "größe 日本 👩‍💻", "größe 日本 👩‍💻"},
		{"a\tb\nc", `a\tb\nc`, "a\tb\nc"},
		{"\r\n", `\r\n`, "\\r\n"},
		{"\x1b[2J", `\x1b[2J`, `\x1b[2J`},
		{"nul\x00", `nul\x00`, `nul\x00`},
		{"bad\xff", `bad\xff`, `bad\xff`},
		{"csi\u009b1m", `csi\x9b1m`, `csi\x9b1m`},
		{"rtl\u202eexe", `rtl\u202eexe`, `rtl\u202eexe`},
		{"no\u200bwidth \ufeff", `no\u200bwidth \ufeff`, `no\u200bwidth \ufeff`},
		{"tag\U000e0072", `tag\U000e0072`, `tag\U000e0072`},
		{"\U0001f468\u200d\U0001f4bb", "\U0001f468\u200d\U0001f4bb", "\U0001f468\u200d\U0001f4bb"},
		{"line\u2028sep", `line\u2028sep`, `line\u2028sep`},
		{"replacement \ufffd", "replacement \ufffd", "replacement \ufffd"},
		{`C:\new`, `C:\new`, `C:\new`},
	} {
		if got := Escape(c.in); got != c.line {
			t.Errorf("Escape(%q) = %q, want %q", c.in, got, c.line)
		}
		if got := EscapeText(c.in); got != c.text {
			t.Errorf("EscapeText(%q) = %q, want %q", c.in, got, c.text)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a\x1b[31m\tb\n\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := Escape(text)
		for _, r := range got {
			if unsafeRune(r) {
				t.Fatalf("Escape(%q) lets %U through", text, r)
			}
		}
		if again := Escape(got); again != got {
			t.Fatalf("Escape is not stable: %q, then %q", got, again)
		}
	})
}

func TestColor(t *testing.T) {
	for _, c := range []struct {
		name string
		flag bool
		env  map[string]string
		tty  bool
		want bool
	}{
		{"terminal", false, nil, true, true},
		{"pipe", false, nil, false, false},
		{"flag", true, nil, true, false},
		{"NO_COLOR", false, map[string]string{"NO_COLOR": "1"}, true, false},
		{"empty NO_COLOR", false, map[string]string{"NO_COLOR": ""}, true, true},
		{"forced into a pipe", false, map[string]string{"CLICOLOR_FORCE": "1"}, false, true},
		{"FORCE_COLOR", false, map[string]string{"FORCE_COLOR": "3"}, false, true},
		{"0 forces nothing", false, map[string]string{"CLICOLOR_FORCE": "0", "FORCE_COLOR": "0"}, false, false},
		{"NO_COLOR beats force", false, map[string]string{"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, true, false},
		{"flag beats force", true, map[string]string{"FORCE_COLOR": "1"}, true, false},
		{"dumb", false, map[string]string{"TERM": "dumb"}, true, false},
		{"force beats dumb", false, map[string]string{"TERM": "dumb", "FORCE_COLOR": "1"}, true, true},
	} {
		if got := wantsColor(c.flag, func(k string) string { return c.env[k] }, c.tty); got != c.want {
			t.Errorf("%s: colour %v, want %v", c.name, got, c.want)
		}
	}
}

func sample() *Table {
	table := NewTable(Column{Title: "name"}, Column{Title: "count", Right: true}, Column{Title: "task", Flex: true},
		Column{Title: "state", Style: func(cell string) Style {
			if cell == "failed" {
				return Red
			}
			return Plain
		}})
	table.Add("myapp", "3", "fix the login page", "active")
	table.Add("日本語", "12", "絵文字 👩‍💻 を直す", "failed")
	table.Add("🇫🇷 fr", "100", "tab\there", "idle")
	table.Add("\x1b[2Jevil", "0", "new\nline", "")
	return table
}

func TestTableOnTerminal(t *testing.T) {
	s, _, out, _ := Test()
	s.PretendTerminal(80)
	if err := sample().WriteTo(s); err != nil {
		t.Fatal(err)
	}
	want := `NAME         COUNT  TASK                STATE
myapp            3  fix the login page  active
日本語          12  絵文字 👩‍💻 を直す    failed
🇫🇷 fr          100  tab\there           idle
\x1b[2Jevil      0  new\nline
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestTableNarrow has a table that fits into every width, down to where no cell has room any more; only the column that may be cut loses
// text.
func TestTableNarrow(t *testing.T) {
	for width := 26; width < 80; width++ {
		s, _, out, _ := Test()
		s.PretendTerminal(width)
		if err := sample().WriteTo(s); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if got := Width(strings.TrimRight(line, "\n")); got > width {
				t.Fatalf("on %d cells a line takes %d: %q", width, got, line)
			}
		}
		if strings.Contains(out.String(), "…") {
			t.Fatalf("on %d cells text is cut:\n%s", width, out)
		}
	}
}

func TestTableGivesWay(t *testing.T) {
	table := NewTable(Column{Title: "id"}, Column{Title: "branch", Short: true}, Column{Title: "why", Flex: true}, Column{Title: "who"})
	table.Add("w-1rqnnn9d1q", "agit/shorten-the-readme-until-it-fits", "it was changed in two places at once, src/internal/long/path/to/file.go and README.md", "ann, bob")
	for _, c := range []struct {
		width int
		want  string
	}{
		{90, `ID            BRANCH                    WHY                                       WHO
w-1rqnnn9d1q  agit/shorten-the-readme…  it was changed in two places at once,     ann, bob
                                        src/internal/long/path/to/file.go and
                                        README.md
`},
		{60, `ID            BRANCH        WHY                     WHO
w-1rqnnn9d1q  agit/shorte…  it was changed in two   ann, bob
                            places at once,
                            src/internal/long/
                            path/to/file.go and
                            README.md
`},
		{50, `ID            BRANCH                      WHO
w-1rqnnn9d1q  agit/shorten-the-readme-u…  ann, bob
  why: it was changed in two places at once,
  src/internal/long/path/to/file.go and README.md
`},
	} {
		s, _, out, _ := Test()
		s.PretendTerminal(c.width)
		if err := table.WriteTo(s); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, out.String()); diff != "" {
			t.Errorf("on %d cells:\n%s", c.width, diff)
		}
	}
}

// Cells that do not fit stand below their row, text first and then from the right: no heading and no name is broken, and no line is too long.
func TestTableFolds(t *testing.T) {
	number := func(title string) Column { return Column{Title: title, Right: true} }
	table := NewTable(Column{Title: "worktree", Short: true}, Column{Title: "agent"}, Column{Title: "last seen"}, number("ahead"), number("dirty"),
		Column{Title: "next", Flex: true, Short: true}, Column{Title: "why", Flex: true})
	table.Add("follow-the-focused-line", "robert-the-long-named-agent", "gone 6m", "1", "2", "returned, conflicts with master", "both changed the same line of README.md")
	table.Add("docs", "cy", "now", "", "1")
	for width, want := range map[int]string{
		28: `WORKTREE
follow-the-focused-line
  agent:
  robert-the-long-named-
  agent  last seen: gone 6m
  ahead: 1  dirty: 2
  next: returned, conflicts…
  why: both changed the same
  line of README.md
docs
  agent: cy  last seen: now
  dirty: 1
`,
		40: `WORKTREE
follow-the-focused-line
  agent: robert-the-long-named-agent
  last seen: gone 6m  ahead: 1  dirty: 2
  next: returned, conflicts with master
  why: both changed the same line of
  README.md
docs
  agent: cy  last seen: now  dirty: 1
`,
		60: `WORKTREE       AGENT                        LAST SEEN  AHEAD
follow-the-f…  robert-the-long-named-agent  gone 6m        1
               dirty: 2
               next: returned, conflicts with master
               why: both changed the same line of README.md
docs           cy                           now
               dirty: 1
`,
		80: `WORKTREE      AGENT                        LAST SEEN  AHEAD  DIRTY  NEXT
follow-the-…  robert-the-long-named-agent  gone 6m        1      2  returned, c…
              why: both changed the same line of README.md
docs          cy                           now                   1
`,
	} {
		s, _, out, _ := Test()
		s.PretendTerminal(width)
		if err := table.WriteTo(s); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("on %d cells:\n%s", width, diff)
		}
	}
	for width := 27; width < 200; width++ {
		s, _, out, _ := Test()
		s.PretendTerminal(width)
		if err := table.WriteTo(s); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(out.String(), "\n")
		if first := strings.Fields(lines[1]); first[0] == "" || !strings.HasPrefix(first[0], "follow") {
			t.Errorf("on %d cells the heading is broken:\n%s", width, out)
		}
		for _, line := range lines {
			if Width(line) > width {
				t.Errorf("on %d cells a line takes %d: %q", width, Width(line), line)
			}
		}
	}
}

// Rows that come one by one fold as those of a table do, with the widths of the rows before them.
func TestFollowFolds(t *testing.T) {
	table := NewTable(Column{Title: "id"}, Column{Title: "text", Flex: true}, Column{Title: "who"})
	s, _, out, _ := Test()
	s.PretendTerminal(32)
	for _, row := range [][]string{{"w-1rqnnn9d1q", "it was changed in two places", "ann"}, {"w-2", "short", "bo"}} {
		if err := table.Follow(s, row...); err != nil {
			t.Fatal(err)
		}
	}
	want := `w-1rqnnn9d1q  ann
  text: it was changed in two
  places
w-2           bo
  text: short
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// The widest column gives way first, wherever it stands, and only as far as the
// next one.
func TestWidths(t *testing.T) {
	for _, c := range []struct{ first, second, limit, wantFirst, wantSecond int }{
		{30, 50, 82, 30, 50}, {30, 50, 81, 30, 49}, {30, 50, 72, 30, 40}, {50, 30, 72, 40, 30},
		{30, 50, 52, 25, 25}, {50, 30, 52, 25, 25}, {30, 50, 62, 30, 30}, {15, 50, 57, 15, 40}, {15, 50, 37, 15, 20},
	} {
		table := NewTable(Column{Title: "a", Flex: true}, Column{Title: "b", Flex: true})
		table.Add(strings.Repeat("x", c.first), strings.Repeat("y", c.second))
		if got := table.widths(c.limit); got[0] != c.wantFirst || got[1] != c.wantSecond {
			t.Errorf("%d and %d cells within %d are %v, want %d and %d", c.first, c.second, c.limit, got, c.wantFirst, c.wantSecond)
		}
	}
}

func TestTableHugeCell(t *testing.T) {
	s, _, out, _ := Test()
	s.PretendTerminal(40)
	table := NewTable(Column{Title: "a", Flex: true}, Column{Title: "b", Flex: true})
	table.Add(strings.Repeat("x", 1<<20), strings.Repeat("y", 1<<20))
	if err := table.WriteTo(s); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 2*mostLines+1 || !strings.Contains(out.String(), "x…") {
		t.Errorf("%d lines for two cells", n)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"as wide", 7, []string{"as wide"}},
		{"two words", 8, []string{"two", "words"}},
		{"ab", 1, []string{"a", "b"}},
		{"a bcdefg", 4, []string{"a", "bcde", "fg"}}, // a short word is a line
		{"ab/cdefgh", 6, []string{"ab/cde", "fgh"}},  // too early for a break
		{"abc/defgh", 6, []string{"abc/", "defgh"}},
		{"日本語", 4, []string{"日本", "語"}},
		{"日本", 1, []string{"日", "本"}},
	} {
		if got := Wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d cells: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("it was changed in two places", 10)
	f.Add("src/internal/long/path.go 日本語 👩‍💻", 7)
	f.Add("  a   b ", 2)
	f.Fuzz(func(t *testing.T, text string, width int) {
		text = Escape(text)
		if width < 2 || len(text) > 40*width {
			return
		}
		lines := Wrap(text, width)
		for _, line := range lines {
			if Width(line) > width && utf8.RuneCountInString(line) > 1 {
				t.Errorf("%q is wider than %d", line, width)
			}
		}
		without := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if len(lines) < mostLines && without(strings.Join(lines, "")) != without(text) {
			t.Errorf("%q became %q", text, lines)
		}
	})
}

// A painted word on a line is painted once, and escape sequences in it are harmless.
func TestRow(t *testing.T) {
	s, _, out, _ := Test()
	s.PretendTerminal(80)
	s.UseColor(false, func(string) string { return "" })
	if err := s.Row(s.Paint(Green, "valid\x1b[2J"), s.Plain("a\tb"), "  "+s.Paint(Red, "x")); err != nil {
		t.Fatal(err)
	}
	want := "\x1b[32mvalid\\x1b[2J\x1b[0m  a\\tb    \x1b[31mx\x1b[0m\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out, want)
	}
}

// TestLine wraps what is wider than the terminal between words, beside a short first cell, and nothing elsewhere.
func TestLine(t *testing.T) {
	for _, c := range []struct {
		width int
		cells []string
		want  string
	}{
		{30, []string{"path", "t-1 Make it follow", "now"}, "path  t-1 Make it follow  now\n"},
		{26, []string{"path", "t-1 Make it follow", "now"}, "path  t-1 Make it follow\n      now\n"},
		{20, []string{"path", "/home/ann/src/app/of/us", "now on"}, "path  /home/ann/src/app/of/us\n      now on\n"},
		{20, []string{"path ", "/home/ann/src/app/of/us", "now"}, "path   /home/ann/src/app/of/us  now\n"},
		{20, []string{"a first cell of words", "now and then"}, "a first cell of\nwords  now and then\n"},
		{20, []string{"only one sentence of words"}, "only one sentence of\nwords\n"},
		{0, []string{"only one", "sentence of words"}, "only one\tsentence of words\n"},
	} {
		s, _, out, _ := Test()
		if c.width > 0 {
			s.PretendTerminal(c.width)
		}
		if err := s.Line(c.cells...); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, out.String()); diff != "" {
			t.Errorf("on %d cells:\n%s", c.width, diff)
		}
	}
}

func TestTablePiped(t *testing.T) {
	s, _, out, _ := Test()
	s.UseColor(false, func(k string) string { return map[string]string{"FORCE_COLOR": "1"}[k] })
	if err := sample().WriteTo(s); err != nil {
		t.Fatal(err)
	}
	want := "myapp\t3\tfix the login page\tactive\n" +
		"日本語\t12\t絵文字 👩‍💻 を直す\tfailed\n" +
		"🇫🇷 fr\t100\ttab\\there\tidle\n" +
		"\\x1b[2Jevil\t0\tnew\\nline\t\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTableColored(t *testing.T) {
	s, _, out, _ := Test()
	s.PretendTerminal(80)
	s.UseColor(false, func(string) string { return "" })
	if err := sample().WriteTo(s); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "\x1b[31mfailed\x1b[0m\n") {
		t.Errorf("a failed row is not red:\n%q", out)
	}
}

func TestConfirm(t *testing.T) {
	for _, c := range []struct {
		answer string
		want   bool
	}{{"y\n", true}, {"YES\n", true}, {"n\n", false}, {"\n", false}, {"", false}, {"what\ny\n", true}, {"a\nb\nc\ny\n", false}} {
		s, in, _, errs := Test()
		s.PretendTerminal(80)
		in.WriteString(c.answer)
		got, err := s.Confirm(context.Background(), "Remove it?", false)
		if err != nil || got != c.want {
			t.Errorf("answer %q: %v, %v", c.answer, got, err)
		}
		if !strings.HasPrefix(errs.String(), "Remove it? [y/N] ") {
			t.Errorf("asked %q", errs)
		}
	}
}

func TestConfirmElsewhere(t *testing.T) {
	s, _, _, _ := Test()
	if _, err := s.Confirm(context.Background(), "Remove it?", false); !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), "--yes") {
		t.Errorf("without a terminal: %v", err)
	}
	if ok, err := s.Confirm(context.Background(), "Remove it?", true); !ok || err != nil {
		t.Errorf("with --yes: %v, %v", ok, err)
	}
}

func TestConfirmInterrupted(t *testing.T) {
	s, _, _, _ := Test()
	s.PretendTerminal(80)
	r, w := io.Pipe()
	defer w.Close()
	s.In = r
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Confirm(ctx, "Remove it?", false); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled question: %v", err)
	}
}

func TestNotices(t *testing.T) {
	s, _, out, errs := Test()
	s.Notice("made %s", "a\x1b[2Jb")
	s.Warn("two\nlines")
	s.Quiet = true
	s.Notice("silent")
	s.Warn("loud")
	want := "made a\\x1b[2Jb\nwarning: two\nlines\nwarning: loud\n"
	if errs.String() != want || out.Len() > 0 {
		t.Errorf("out %q, err %q", out, errs)
	}
}

func TestSentencesWrapBetweenWords(t *testing.T) {
	for name, c := range map[string]struct{ said, want string }{
		"short":                {"all is well", "agit: all is well"},
		"between words":        {"the current folder is in no repository", "agit: the current folder is in no\nrepository"},
		"a command stays":      {"register this one with `agit add .` now", "agit: register this one with\n`agit add .` now"},
		"a name stays":         {"there is already a folder \"my notes\" here", "agit: there is already a folder\n\"my notes\" here"},
		"longer than a line":   {"see /home/ann/src/app/.worktrees/login-page-8c24sn there", "agit: see\n/home/ann/src/app/.worktrees/login-page-8c24sn\nthere"},
		"a mark of its own":    {"the name \" is one that cannot be taken here", "agit: the name \" is one that\ncannot be taken here"},
		"lines stay lines":     {"one\ntwo", "agit: one\ntwo"},
		"quoted, but too wide": {"said \"one two three four five six seven eight\" of it", "agit: said \"one two three four\nfive six seven eight\" of it"},
	} {
		s, _, _, errs := Test()
		s.PretendTerminal(34)
		s.Complain("agit", c.said)
		if got := errs.String(); got != c.want+"\n" {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
		s, _, _, errs = Test()
		s.Complain("agit", c.said)
		if got := errs.String(); got != "agit: "+c.said+"\n" {
			t.Errorf("%s, not on a terminal: %q", name, got)
		}
	}
}

func TestTableLeavesEmptyColumnsOut(t *testing.T) {
	s, _, out, _ := Test()
	table := NewTable(Column{Title: "a"}, Column{Title: "b"}, Column{Title: "c"})
	table.Add("1", "", "x")
	table.Add("2", "", "")
	if err := table.WriteTo(s); err != nil || out.String() != "1\t\tx\n2\t\t\n" {
		t.Errorf("programs read every column: %q %v", out, err)
	}
	out.Reset()
	s.PretendTerminal(40)
	if err := table.WriteTo(s); err != nil || out.String() != "A  C\n1  x\n2\n" {
		t.Errorf("people read:\n%s%v", out, err)
	}
}

func TestProgressLine(t *testing.T) {
	s, _, _, errs := Test()
	if p := s.Progress("nobody sees"); p != nil {
		t.Fatal("progress without a terminal")
	}
	s.PretendTerminal(30)
	p := &Progress{s: s, text: "scanning worktrees"}
	p.Count(3, 50)
	p.draw()
	s.Notice("found one")
	p.Say("a text that is much too long for the terminal")
	p.draw()
	p.clear()
	lines := strings.Split(errs.String(), "\r")
	want := []string{"", "scanning worktrees (3/50)", strings.Repeat(" ", 25), "found one\n",
		"a text that is much too long…", strings.Repeat(" ", 29), ""}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

func TestProgressEndsEarly(t *testing.T) {
	s, _, _, errs := Test()
	s.PretendTerminal(80)
	p := s.Progress("short work")
	p.Done()
	p.Done()
	var none *Progress
	none.Say("x")
	none.Count(1, 2)
	none.Done()
	if errs.Len() > 0 {
		t.Errorf("short work showed %q", errs)
	}
}

// screen returns what a terminal would show after some output: lines, with the sequences that a live block uses.
func screen(t *testing.T, written string) (lines []string) {
	t.Helper()
	at := 0
	for written != "" {
		var n int
		switch {
		case strings.HasPrefix(written, "\x1b[?2026"):
			written = written[len("\x1b[?2026h"):]
		case strings.HasPrefix(written, "\x1b[K"):
			written = written[len("\x1b[K"):]
		case strings.HasPrefix(written, "\x1b[J"):
			lines, written = lines[:at], written[len("\x1b[J"):]
		case strings.HasPrefix(written, "\x1b["):
			if _, err := fmt.Sscanf(written, "\x1b[%dF", &n); err != nil {
				t.Fatalf("%q", written)
			}
			at -= n
			written = written[strings.IndexByte(written, 'F')+1:]
		default:
			text, rest, _ := strings.Cut(written, "\n")
			text, found := strings.CutSuffix(text, "\x1b[K")
			if at == len(lines) {
				lines = append(lines, "")
			} else if !found {
				t.Errorf("%q is written over %q", text, lines[at])
			}
			lines[at], written = text, rest
			at++
		}
	}
	return lines
}

func TestLive(t *testing.T) {
	s, _, _, errs := Test()
	if s.Live() != nil {
		t.Error("a block without a terminal")
	}
	s.PretendTerminal(40)
	l := s.Live()
	want := func(lines ...string) {
		t.Helper()
		if d := cmp.Diff(lines, screen(t, errs.String())); d != "" {
			t.Error(d)
		}
	}
	l.Draw([]Painted{"ann works", "bob waits"})
	want("ann works", "bob waits")
	l.Draw([]Painted{"ann rests", "bob waits", "eve works"})
	want("ann rests", "bob waits", "eve works")
	before := errs.Len()
	l.Draw([]Painted{"ann rests", "bob waits", "eve works"})
	if errs.Len() != before {
		t.Error("the same lines were written again")
	}
	s.Notice("bob landed")
	want("bob landed")
	l.Draw([]Painted{"ann rests"})
	want("bob landed", "ann rests")
	l.Done()
	l.Draw([]Painted{"late"})
	s.Notice("over")
	want("bob landed", "over")
	if l.Width() != 39 {
		t.Errorf("a width of %d", l.Width())
	}
	var none *Live
	none.Draw(nil)
	none.Done()
}

// Text about what to do stands in a column where there is room, and else below its row; an empty cell takes no line.
func TestTableBelow(t *testing.T) {
	table := NewTable(Column{Title: "check"}, Column{Title: "message", Flex: true}, Column{Title: "fix", Flex: true, Below: true})
	table.Add("disk", "it is almost full", "make room, and then some more of it")
	table.Add("git", "git 2.45", "")
	for width, want := range map[int]string{
		80: `CHECK  MESSAGE            FIX
disk   it is almost full  make room, and then some more of it
git    git 2.45
`,
		50: `CHECK  MESSAGE
disk   it is almost full
       fix: make room, and then some more of it
git    git 2.45
`,
		30: `CHECK  MESSAGE
disk   it is almost full
  fix: make room, and then
  some more of it
git    git 2.45
`,
	} {
		s, _, out, _ := Test()
		s.PretendTerminal(width)
		if err := table.WriteTo(s); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("on %d cells:\n%s", width, diff)
		}
	}
}

// TestAsk: a line without the white space around it, the default for an empty line, and an error without a terminal.
func TestAsk(t *testing.T) {
	var shown strings.Builder
	s := &Streams{In: strings.NewReader("  Ann \n\nsecret\n"), Err: &shown, InTTY: true, ErrTTY: true}
	for _, want := range []string{"Ann", "nobody"} {
		if got, err := s.Ask(t.Context(), "Who?", "nobody"); err != nil || got != want {
			t.Errorf("%q, %v", got, err)
		}
	}
	if got, err := s.Secret(t.Context(), "The key"); err != nil || got != "secret" {
		t.Errorf("%q, %v", got, err)
	}
	if want := "Who? [nobody]: Who? [nobody]: The key: "; shown.String() != want {
		t.Errorf("it shows %q", shown.String())
	}
	s.ErrTTY = false
	for _, ask := range []func() (string, error){func() (string, error) { return s.Ask(t.Context(), "Who?", "") }, func() (string, error) { return s.Secret(t.Context(), "The key") }} {
		if _, err := ask(); !fault.Is(err, fault.KindValidation) {
			t.Errorf("without a terminal: %v", err)
		}
	}
}

// Spare columns go, and a text that is cut keeps its row on one line, only where the table does not fit.
func TestTableOnOneLine(t *testing.T) {
	table := NewTable(Column{Title: "name", Short: true}, Column{Title: "behind", Right: true, Spare: true}, Column{Title: "next", Flex: true, Short: true})
	table.Add("login", "12", "to review, gate passed, and the pull request waits for checks")
	for _, c := range []struct {
		width int
		want  string
	}{
		{76, "NAME   BEHIND  NEXT\nlogin      12  to review, gate passed, and the pull request waits for checks\n"},
		{75, "NAME   NEXT\nlogin  to review, gate passed, and the pull request waits for checks\n"},
		{40, "NAME   NEXT\nlogin  to review, gate passed, and the …\n"},
		{20, "NAME   NEXT\nlogin  to review, g…\n"},
	} {
		s, _, out, _ := Test()
		s.PretendTerminal(c.width)
		if err := table.WriteTo(s); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, out.String()); diff != "" {
			t.Errorf("on %d cells:\n%s", c.width, diff)
		}
	}
}
