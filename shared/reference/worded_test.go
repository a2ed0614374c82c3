package reference

import (
	"fmt"
	"strings"
	"testing"
)

// shownAs writes a reference as path:line, path:line-end, with the text that it ends with.
func shownAs(f Reference, text string) string {
	s := fmt.Sprintf("%s:%d", f.Path, f.Line)
	if f.EndLine > 0 {
		s += fmt.Sprintf("-%d", f.EndLine)
	}
	return s + " " + text[:f.Stop]
}

// Sentences name a line by a file's name and the word "line", with few words between them.
func TestWorded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"x.py (line 12)":           "x.py:12 x.py (line 12",
		"x.py line 12":             "x.py:12 x.py line 12",
		"x.py, lines 12-14":        "x.py:12-14 x.py, lines 12-14",
		"x.py at line 3":           "x.py:3 x.py at line 3",
		"x.py on line 3":           "x.py:3 x.py on line 3",
		"x.py in line 3":           "x.py:3 x.py in line 3",
		"x.py lines 12 to 14":      "x.py:12-14 x.py lines 12 to 14",
		"x.py lines 12 to 12":      "x.py:12 x.py lines 12",
		"x.py lines 12 to x":       "x.py:12 x.py lines 12",
		"x.py lines 12 to ":        "x.py:12 x.py lines 12",
		"x.py Line 12":             "x.py:12 x.py Line 12",
		"x.py LINE 12":             "",
		"x.py lines12":             "",
		"x.py line 012":            "x.py:12 x.py line 012",
		"x.py line 0":              "",
		"x.py line L12":            "",
		"x.py line 12abc":          "",
		"x.py line 12.":            "x.py:12 x.py line 12",
		"x.py line":                "",
		"x.py line ":               "",
		"x.py  line 12":            "",
		"x.py; line 12":            "",
		"line 12":                  "",
		"x.py pipeline 12":         "",
		"x.py _line 12":            "",
		"x.py 9line 12":            "",
		"next.js line 3":           "",
		"src/next.js line 3":       "src/next.js:3 src/next.js line 3",
		"src\\next.js line 3":      "src/next.js:3 src\\next.js line 3",
		"Next.js line 3":           "",
		"index.js line 3":          "index.js:3 index.js line 3",
		"next.ts line 3":           "next.ts:3 next.ts line 3",
		"Makefile line 3":          "Makefile:3 Makefile line 3",
		"e.g line 3":               "",
		"x.PY line 3":              "x.PY:3 x.PY line 3",
		".py line 3":               "",
		"a.go line 1, b.go line 2": "a.go:1 a.go line 1; b.go:2 a.go line 1, b.go line 2",
		"https://a.b/x.py line 3":  "",
		"ine 12":                   "",
	} {
		var got []string
		for _, f := range findWorded([]byte(text)) {
			got = append(got, shownAs(f, text))
		}
		if s := strings.Join(got, "; "); s != want {
			t.Errorf("%q: %q", text, s)
		}
	}
}

// The number of a line may follow a path that is code.
func TestAfter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		":17": ":17 :17", ":17-19": ":17-19 :17-19", "#L17": ":17 #L17", "#L17-L19": ":17-19 #L17-L19", ":L17": ":17 :L17", "#17": "", ":": "", ":x": "", "#L": "", ":Lx": "", ":17x": "", ":0": "",
		" (line 17)": ":17  (line 17", " line 17": ":17  line 17", ", lines 17-19": ":17-19 , lines 17-19", " and line 17": "", "line 17": "", " at line 17": ":17  at line 17", "": "", "x": "",
	} {
		f, ok := After([]byte(text))
		got := ""
		if ok {
			got = shownAs(f, text)
		}
		if got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
