package redact

import (
	"strings"
	"testing"
)

// TestClosers checks which marks behind a name are skipped, and what was among them.
func TestClosers(t *testing.T) {
	for _, test := range []struct {
		before, after, rest string
		quotes, tags        bool
	}{
		{"", ``, ``, false, false}, {"", `: x`, `: x`, false, false}, {"", `x`, `x`, false, false},
		{"", `": x`, `: x`, true, false}, {"", `': x`, `: x`, true, false}, {"", "`: x", `: x`, true, false}, {"", `"`, ``, true, false},
		{"", `\": x`, `: x`, true, false}, {"", "\\\nx", "\\\nx", false, false},
		{"", `]: x`, `: x`, false, false}, {"", `*: x`, `: x`, false, false}, {"", `"): x`, `: x`, true, false}, {"", `): x`, `): x`, false, false},
		{"", `}}: x`, `: x`, false, false}, {"", `}: x`, `}: x`, false, false}, {"}", `}: x`, `: x`, false, false}, {"", `"}: x`, `}: x`, true, false},
		{"", `?: x`, `: x`, false, false}, {"", `? x`, `? x`, false, false}, {"", `:? x`, `:? x`, false, false},
		{"", `!.x`, `.x`, false, false}, {"", `!:x`, `:x`, false, false}, {"", `! x`, ` x`, false, false}, {"", `!x`, `!x`, false, false}, {"", `!= x`, `!= x`, false, false},
		{"", `__: x`, `: x`, false, false}, {"", `_: x`, `_: x`, false, false}, {"", `~~: x`, `: x`, false, false}, {"", `~: x`, `~: x`, false, false},
		{"", `||: x`, `: x`, false, false}, {"", `|: x`, `|: x`, false, false}, {"", `|| x`, `|| x`, false, false}, {"", `||="x`, `||="x`, false, false}, {"", `||"x`, `||"x`, false, false}, {"", `||'x`, `||'x`, false, false}, {"", "||`x", "||`x", false, false},
		{"", `</b>: x`, `: x`, false, true}, {"", `<b>"</b>: x`, `: x`, true, true}, {"", `<1>: x`, `<1>: x`, false, false}, {"", `"<= x`, `<= x`, true, false},
		{"", `&quot;: x`, `: x`, true, false}, {"", `&#34;: x`, `: x`, true, false}, {"", `&#39;: x`, `: x`, true, false}, {"", `&amp;: x`, `&amp;: x`, false, false},
		{"", `”: x`, `: x`, true, false}, {"", `“: x`, `: x`, true, false}, {"", `」: x`, `: x`, true, false}, {"", `»: x`, `: x`, true, false}, {"", `«: x`, `«: x`, false, false},
		{"", strings.Repeat(`*`, 24) + `: x`, `: x`, false, false}, {"", strings.Repeat(`*`, 25) + `: x`, `*: x`, false, false},
	} {
		text := text{s: "name" + test.before + test.after}
		to, quotes, tags := text.closers(len("name" + test.before))
		if rest := text.s[to:]; rest != test.rest || quotes != test.quotes || tags != test.tags {
			t.Errorf("%q: %q %v %v, want %q %v %v", test.before+test.after, rest, quotes, tags, test.rest, test.quotes, test.tags)
		}
	}
}

// skipped calls skip behind a first character and returns what is left.
func skipped(s string, skip func(*text, int) int) string {
	t := text{s: "n" + s}
	return t.s[skip(&t, 1):]
}

func TestBlanks(t *testing.T) {
	for given, want := range map[string]string{
		"": "", "x": "x", " x": "x", "\tx": "x", " \t x": "x", "\nx": "\nx", "\rx": "\rx",
		"\u00a0x": "x", "\xc2\xa1x": "\xc2\xa1x", "\xc3\xa0x": "\xc3\xa0x",
		"\u202fx": "x", "\u2009x": "x", "\u200bx": "x", "\u2014x": "\u2014x", "\xe2\x81\xafx": "\xe2\x81\xafx", "\xe1\x80\xafx": "\xe1\x80\xafx", "\xe2\x80": "\xe2\x80",
		"\u3000x": "x", "\u3001x": "\u3001x", "\xe3\x81\x80x": "\xe3\x81\x80x", "\xe4\x80\x80x": "\xe4\x80\x80x",
		"\\\nx": "x", "\\\r\nx": "x", "\\x": "\\x", "\\\rx": "\\\rx", "`\nx": "x", "`\r\nx": "x", "`x": "`x", "`\rx": "`\rx", "^\nx": "x", "^x": "^x", "^\r\nx": "^\r\nx", "a\nx": "a\nx", "a\r\nx": "a\r\nx",
		"&nbsp;x": "x", "&x": "&x", "&amp;x": "&amp;x",
		strings.Repeat(" ", 40) + "x": "x", strings.Repeat(" ", 41) + "x": " x",
	} {
		if got := skipped(given, (*text).blanks); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

func TestOpening(t *testing.T) {
	for given, want := range map[string]string{
		"": "", "x": "x", " x": "x", "**x": "x", " ** x": "x", "*x": "*x", "* x": "x", "***x": "x", "_x": "_x", "_ x": "x", "__x": "x", "___x": "___x", "*_x": "*_x",
		"~~x": "x", "~x": "~x", "~ x": "~ x", "<b>x": "x", "<b> <i>x": "x", "</b>x": "x", "<1>x": "<1>x", "<b>*x": "x", "<b>_x": "_x",
		"!!str x": "x", "!str x": "x", "!STR x": "x", "!binary x": "x", "!!x y": "y", "!x y": "!x y", "!strx y": "!strx y", "!!str\nx": "!!str\nx", "!!str": "!!str",
		"&anchor x": "x", "&a x": "x", "&1 x": "&1 x", "&a": "&a", "&a-b x": "x", "&a=b x": "&a=b x",
		strings.Repeat("<b>", 16) + "x": "x", strings.Repeat("<b>", 17) + "x": "<b>x",
	} {
		if got := skipped(given, (*text).opening); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

func TestTags(t *testing.T) {
	long := "<" + strings.Repeat("b", longestTag-1) + ">"
	for given, want := range map[string]int{
		"": 0, "<": 0, "<b>": 3, "<b>x": 3, "</b>x": 4, "<!b>x": 4, "<?b>x": 0, "<1>x": 0, "< b>": 0, "b>": 0, "xb>": 0, "<b": 0, "<b class='x'>y": 13, long: len(long), long[:1] + "b" + long[1:]: 0,
	} {
		if got := (&text{s: given}).tag(0); got != want {
			t.Errorf("%.20q: %d, want %d", given, got, want)
		}
	}
	for given, want := range map[string]int{
		"x": 0, "<b>x": 3, "</b>x": 4, "<!b>x": 4, "<?b>x": 4, "<1>x": 0, "< b>": 0, "b>": 0, "xb>": 0, "<b": 0, "<": 0, long[:1] + "b" + long[1:]: len(long) + 1,
		"<!-- a --> b": 10, "<!-- a > b --> c": 14, "<!-- a": 6, "<!---->": 7, "<!-x>y": 5,
	} {
		if got := (&text{s: given}).element(0); got != want {
			t.Errorf("%.20q: %d, want %d", given, got, want)
		}
	}
	for given, want := range map[string]string{"<DIV class='x'>": "div", "</td>": "/td", "<h1>": "h1", "<br/>": "br", "<>": "", "<a": "a", "</": "/", "<!x>": ""} {
		name, closing := elementName(given)
		if closing {
			name = "/" + name
		}
		if name != want {
			t.Errorf("%q: %q, want %q", given, name, want)
		}
	}
}

func TestAsides(t *testing.T) {
	for given, want := range map[string]int{
		"": 0, ": x": 0, "x: y": 0, "(staging): x": 9, "for the server: x": 14, "for the server = x": 15, "[a]: x": 3, "（a）： x": 7, "for x, y: z": 0, "for a;b: z": 0, "for a\nb: z": 0,
		"(": 0, "(staging)": 0, "(a@b's 5%): x": 10, "for für: x": 8, "for \"x\": y": 0, "for a.b: x": 7,
		"(" + strings.Repeat("a", 46) + ": x": 47, "(" + strings.Repeat("a", 47) + ": x": 0,
	} {
		if got := aside(given); got != want {
			t.Errorf("%q: %d, want %d", given, got, want)
		}
	}
}

func TestFolded(t *testing.T) {
	for given, want := range map[byte]byte{
		'a': 1 | inRun, 'z': 26 | inRun, 'A': 1 | inRun, 'Z': 26 | inRun, '0': 27 | inRun, '9': 27 | inRun, '_': 28 | inRun, '-': 29 | inRun, '.': 30 | inRun,
		'~': 31 | inRun, ':': 31 | inRun, '/': 31 | inRun, '%': 31 | inRun, ' ': 0, '\t': 0, '\n': 0, '\r': 0, '=': 31, '`': 31, '{': 31, '@': 31, '[': 31, 0x7f: 31, 0x80: 0, 0xc3: 3, 0xff: 31,
	} {
		if got := folded(given); got != want {
			t.Errorf("%q: %d, want %d", given, got, want)
		}
	}
}
