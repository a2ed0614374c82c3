package main

import (
	"bytes"
	"strings"
	"testing"
)

// A line that stays is drawn once; a later line is hidden before its time and a former one after it; a reader who prefers no motion
// sees the last screen.
func TestFilm(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	screens := "\f1\nstays\ngoes\n\f2\nstays\n\n\f1\nstays\n\ncomes\n"
	if err := run([]string{"20", "film"}, strings.NewReader(screens), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"@keyframes k0{0%{visibility:visible}25.000%{visibility:hidden}}\n.k0{animation:k0 4.0s step-end infinite}",
		"@keyframes k1{0%{visibility:hidden}75.000%{visibility:visible}}\n",
		`<g class="s k0"><text x="16.0" y="49"`, `<g class="s k1 last"><text x="16.0" y="68"`, `height="89"`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not in\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), ">stays<"); n != 1 {
		t.Errorf("a line that stays is drawn %d times", n)
	}
	for _, bad := range []string{"", "no mark", "\f\nx", "\f0\nx", "\fone\nx"} {
		if err := run([]string{"20", "film"}, strings.NewReader(bad), &out); err == nil {
			t.Errorf("%q is drawn", bad)
		}
	}
}
