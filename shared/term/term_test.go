package term

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

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

func TestTableNarrow(t *testing.T) {
	for width := 1; width < 60; width++ {
		s, _, out, _ := Test()
		s.PretendTerminal(width)
		if err := sample().WriteTo(s); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if got := Width(strings.TrimRight(line, "\n")); got > max(width, 40) {
				t.Fatalf("on %d cells a line takes %d: %q", width, got, line)
			}
		}
	}
	s, _, out, _ := Test()
	s.PretendTerminal(41)
	if err := sample().WriteTo(s); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "fix the logi…") || !strings.Contains(out.String(), "\\x1b[2Jevil") {
		t.Errorf("the flexible column gives way, the others do not:\n%s", out)
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
	if out.Len() > 200 {
		t.Errorf("%d bytes for two cells on 40 cells", out.Len())
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
