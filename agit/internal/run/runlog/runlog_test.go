package runlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
)

// token looks like a provider's key. It is built at run time, so that no scanner reports the source.
func token() string { return "ghp_" + strings.Repeat("aB3dE5fG7h", 4)[:36] }

func create(t *testing.T) *Log {
	t.Helper()
	l, err := Create(t.TempDir(), "w-1", Work)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func content(t *testing.T, f File, n int) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Tail(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWhatIsWritten(t *testing.T) {
	key := "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n", 30) + "-----END PRIVATE KEY-----"
	for name, test := range map[string]struct {
		writes []string
		want   string
	}{
		"lines":                  {[]string{"one\ntwo\n"}, "one\ntwo\n"},
		"a line in parts":        {[]string{"o", "ne\nt", "wo"}, "one\ntwo\n"},
		"a secret":               {[]string{"key " + token() + "\n"}, "key [redacted GitHub token]\n"},
		"a secret in parts":      {[]string{"key " + token()[:9], token()[9:], "\n"}, "key [redacted GitHub token]\n"},
		"a secret at the end":    {[]string{"key " + token()[:9], token()[9:]}, "key [redacted GitHub token]\n"},
		"coloured in the middle": {[]string{"key " + token()[:9] + "\x1b[31m" + token()[9:] + "\n"}, "key [redacted GitHub token]\n"},
		"in an event":            {[]string{`{"type":"text","text":"a\n` + token() + `\nb"}` + "\n"}, `{"type":"text","text":"a\n[redacted GitHub token]\nb"}` + "\n"},
		"from the environment":   {[]string{"it is letmein-letmein.\n"}, "it is [redacted environment].\n"},
		"a private key":          {[]string{"a\n" + key + "\nb\n"}, "a\n[redacted private key]\nb\n"},
		"a key by the line":      {strings.SplitAfter("a\n"+key+"\nb\n", "\n"), "a\n[redacted private key]\nb\n"},
		"a key that is only a word": {[]string{"it prints -----BEGIN PRIVATE KEY-----\n", "and I saw it there.\n"},
			"it prints [redacted private key]\nand I saw it there.\n"},
		"colours and titles": {[]string{"\x1b[1;31mred\x1b[0m \x1b]0;title\x07text \x1b(Bend\n"}, "red text end\n"},
		"control characters": {[]string{"bell \x07, \x9b31m and \u202eback\n"}, "bell \\x07, \\x9b31m and \\u202eback\n"},
		"progress":           {[]string{" 10%\r 50%\r100%\r\nnext\n"}, "100%\nnext\n"},
		"nothing":            {nil, ""},
		"empty lines":        {[]string{"\n\na\n"}, "\n\na\n"},
	} {
		t.Run(name, func(t *testing.T) {
			l := create(t)
			l.Hide("letmein-letmein", "in")
			for _, w := range test.writes {
				if n, err := l.Write([]byte(w)); n != len(w) || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			got := content(t, l.File, -1)
			got = strings.ReplaceAll(got, "[redacted private key]\n[redacted private key]\n", "[redacted private key]\n")
			for strings.Contains(got, "key]\n[redacted private key]") {
				got = strings.ReplaceAll(got, "key]\n[redacted private key]", "key]")
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestHoweverItIsCut writes a text with secrets in pieces of all sizes: no secret ever appears.
func TestHoweverItIsCut(t *testing.T) {
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "line %d %s says %s\n", i, strings.Repeat("x ", i*20), token())
	}
	text.WriteString(strings.Repeat("y", heldBack-20) + " " + token() + strings.Repeat("z", 100_000) + token() + "\nlast\n")
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		l := create(t)
		for rest := text.String(); rest != ""; {
			n := min(len(rest), 1+r.IntN(1<<r.IntN(18)))
			_, _ = l.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		l.Close()
		got := content(t, l.File, -1)
		if strings.Contains(got, token()[:14]) {
			t.Fatalf("seed %d: a secret shows", seed)
		}
		if n := strings.Count(got, redact.Mark); n < 200 {
			t.Errorf("seed %d: %d secrets were found", seed, n)
		}
		if !strings.HasSuffix(got, "\nlast\n") {
			t.Errorf("seed %d: it ends with %q", seed, got[len(got)-40:])
		}
		for line := range strings.Lines(got) {
			if len(line) > keptOfLine+100 {
				t.Errorf("seed %d: a line of %d bytes", seed, len(line))
			}
		}
	}
}

// A secret's name and value can be in two lines and in two writes.
func TestNameInALineBefore(t *testing.T) {
	value := "aB3dE5fG7h" + "J9kL"
	for given, want := range map[string]string{
		"password: |\n  " + value + "\nend\n":              "password: |\n  [redacted password]\nend\n",
		"deploy --password \\\n  " + value + "\nend\n":     "deploy --password \\\n  [redacted password]\nend\n",
		"DB_PASSWORD=" + value + "\nagain " + value + "\n": "DB_PASSWORD=[redacted password]\nagain [redacted password]\n",
		"password policy:\n  eight characters\n":           "password policy:\n  eight characters\n",
	} {
		var f filter
		var got []byte
		for i := range len(given) {
			got = append(got, f.add([]byte(given[i:i+1]))...)
		}
		if got = append(got, f.flush()...); string(got) != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
		if len(f.before) > readAgain {
			t.Errorf("%d bytes are kept", len(f.before))
		}
	}
}

func TestLongLogsLoseTheirMiddle(t *testing.T) {
	l := create(t)
	l.limit = 1000
	for i := range 2000 {
		fmt.Fprintf(l, "line %d\n", i)
	}
	if got := l.Last(2); !cmp.Equal(got, []string{"line 1998", "line 1999"}) {
		t.Errorf("last lines %q", got)
	}
	l.Close()
	got := content(t, l.File, -1)
	if !strings.HasPrefix(got, "line 0\nline 1\n") || !strings.HasSuffix(got, "line 1998\nline 1999\n") || strings.Count(got, leftOut) != 1 {
		t.Errorf("it is %q", got)
	}
	if len(got) > (lastParts+1)*1000+100 {
		t.Errorf("it is %d bytes", len(got))
	}
	if got := content(t, l.File, 3); got != "line 1997\nline 1998\nline 1999\n" {
		t.Errorf("tail %q", got)
	}
	if got := content(t, l.File, 0); got != "" {
		t.Errorf("tail of none %q", got)
	}
}

func TestLogsAreTheirOwners(t *testing.T) {
	home := t.TempDir()
	l, err := Create(home, "w-1", Gate)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if runtime.GOOS != "windows" {
		for path, want := range map[string]fs.FileMode{l.Path: 0o600, filepath.Dir(l.Path): 0o700 | fs.ModeDir} {
			if info, err := os.Stat(path); err != nil || info.Mode() != want {
				t.Errorf("%s: %v %v", path, info.Mode(), err)
			}
		}
	}
	for _, odd := range []string{"", ".", "..", "../w", "a/b", `a\b`} {
		if _, err := Create(home, odd, Work); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%q: %v", odd, err)
		}
	}
}

func TestLatest(t *testing.T) {
	home := t.TempDir()
	if _, err := Latest(home, "w-1", Work); !fault.Is(err, fault.KindNotFound) {
		t.Fatal(err)
	}
	var last [2]*Log
	for range 3 {
		for i, kind := range Kinds() {
			l, err := Create(home, "w-1", kind)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(l, "%s\n", kind)
			l.Close()
			last[i] = l
		}
	}
	for i, kind := range Kinds() {
		f, err := Latest(home, "w-1", kind)
		if err != nil || f != last[i].File {
			t.Errorf("%s: %+v %v, want %+v", kind, f, err, last[i].File)
		}
		if named, err := Named(f.Path); err != nil || named != f {
			t.Errorf("by its path %+v %v", named, err)
		}
	}
	if f, err := Latest(home, "w-1", ""); err != nil || f != last[1].File {
		t.Errorf("any: %+v %v", f, err)
	}
	if all, err := List(home, "w-1", ""); err != nil || len(all) != 6 {
		t.Errorf("%d logs, %v", len(all), err)
	}
}

func TestFollow(t *testing.T) {
	l := create(t)
	l.limit = 300
	fmt.Fprintf(l, "before\nlast before\n")
	var got bytes.Buffer
	seen := make(chan error, 1)
	go func() { seen <- l.Follow(t.Context(), &got, 1) }()
	for i := range 300 {
		fmt.Fprintf(l, "line %d\n", i)
		if i%50 == 0 {
			<-time.After(time.Millisecond)
		}
	}
	l.Close()
	if err := <-seen; err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got.String(), "l") || !strings.HasSuffix(got.String(), "line 299\n") {
		t.Errorf("it showed %q", got.String())
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l = create(t)
	if err := l.Follow(ctx, &got, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestSweep(t *testing.T) {
	home := t.TempDir()
	now := time.Now()
	logs := map[string]time.Duration{"w-new": time.Hour, "w-week": 7 * 24 * time.Hour, "w-month": 30 * 24 * time.Hour, "w-year": 365 * 24 * time.Hour}
	for ref, age := range logs {
		l, err := Create(home, ref, Work)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(l, "%s\n", strings.Repeat("x", 999))
		l.Close()
		if err := os.Chtimes(l.Path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	kept := func() (refs []string) {
		folders, err := os.ReadDir(filepath.Join(home, "logs"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range folders {
			if f.IsDir() {
				refs = append(refs, f.Name())
			}
		}
		return refs
	}
	for _, step := range []struct {
		keep time.Duration
		most int64
		want []string
	}{
		{0, 0, []string{"w-month", "w-new", "w-week", "w-year"}},
		{90 * 24 * time.Hour, 0, []string{"w-month", "w-new", "w-week"}},
		{90 * 24 * time.Hour, 2500, []string{"w-new", "w-week"}},
		{time.Minute, 1, []string{"w-new"}},
	} {
		if err := Sweep(home, step.keep, step.most); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(home, "logs", ".swept")); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(step.want, kept()); d != "" {
			t.Errorf("keep %s, %d bytes: %s", step.keep, step.most, d)
		}
	}
	if err := Sweep(t.TempDir(), time.Hour, 1); err != nil {
		t.Errorf("without logs: %v", err)
	}
}

func FuzzFilter(f *testing.F) {
	f.Add("one\ntwo", 3)
	f.Add("\x1b[31m{\"a\":\"b\"}\r\n-----BEGIN PRIVATE KEY-----\nabc", 7)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		var whole, parts filter
		all := string(whole.add([]byte(text))) + string(whole.flush())
		cut = max(0, min(len(text), cut))
		pieces := string(parts.add([]byte(text[:cut]))) + string(parts.add([]byte(text[cut:]))) + string(parts.flush())
		for _, got := range []string{all, pieces} {
			if got != "" && !strings.HasSuffix(got, "\n") || strings.ContainsAny(got, "\x1b\r\x07\x00") {
				t.Fatalf("%q", got)
			}
		}
	})
}
