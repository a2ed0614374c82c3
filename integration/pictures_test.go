package integration

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestMovingPicture checks the README's film from `make pictures`: twenty seconds in which a conflict is seen, a merge lands, and the
// other one is refused. It contains no folder of the machine that drew it.
func TestMovingPicture(t *testing.T) {
	t.Parallel()
	drawn, err := os.ReadFile("../docs/pictures/conflict.svg")
	must(t, err)
	for d := xml.NewDecoder(bytes.NewReader(drawn)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	said := regexp.MustCompile(`\banimation:k\d+ ([0-9.]+)s step-end infinite`).FindSubmatch(drawn)
	if said == nil {
		t.Fatal("nothing moves in it")
	}
	if seconds, err := strconv.ParseFloat(string(said[1]), 64); err != nil || seconds < 15 || seconds > 25 {
		t.Errorf("it takes %s seconds", said[1])
	}
	begins := regexp.MustCompile(`@keyframes (k\d+)\{0%\{visibility:(?:visible|hidden)\}(?:([0-9.]+)%\{visibility:visible\})?`)
	at := map[string]float64{}
	for _, found := range begins.FindAllSubmatch(drawn, -1) {
		at[string(found[1])], _ = strconv.ParseFloat(string(found[2]), 64)
	}
	last := -1.0
	for _, words := range []string{">will not merge<", "merged into main", "conflicts with"} {
		first := 101.0 // the part of the time at which a line of them is shown first
		for _, shot := range strings.Split(string(drawn), `<g class="s `)[1:] {
			name, _, _ := strings.Cut(strings.Fields(shot)[0], `"`)
			if strings.Contains(shot, words) {
				first = min(first, at[name])
			}
		}
		if first > 100 || first <= last {
			t.Fatalf("%q is seen at %.0f %% of the time, after what stands at %.0f %%", words, first, last)
		}
		last = first
	}
	if home, err := os.UserHomeDir(); err == nil && strings.Contains(string(drawn), home+"/") {
		t.Error("it names a home folder")
	}
}
