package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/text"
)

func TestBrief(t *testing.T) {
	for _, whole := range []string{"", "short", strings.Repeat("x", 4000)} {
		if got := text.Brief(whole); got != whole {
			t.Errorf("%.20q became %.60q", whole, got)
		}
	}
	if got, want := text.Brief(strings.Repeat("a ", 2500)), strings.Repeat("a ", 1000)+" … (1000 bytes left out) … "+strings.Repeat("a ", 1000); got != want {
		t.Errorf("%d bytes: %q", len(got), got[1990:])
	}
	got := text.Brief("begins " + strings.Repeat("ü🚀", 5000) + " does not exist")
	if !strings.HasPrefix(got, "begins ü") || !strings.HasSuffix(got, "🚀 does not exist") || !strings.Contains(got, " bytes left out) … ") {
		t.Errorf("%.60q … %q", got, got[len(got)-40:])
	}
	if len(got) > 4100 || !utf8.ValidString(got) {
		t.Errorf("%d bytes, valid %v", len(got), utf8.ValidString(got))
	}
	key := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	for at := 1980; at < 2020; at++ { // where half a secret would stand
		if got := text.Brief(strings.Repeat("x ", at/2) + key + strings.Repeat(" x", 3000)); strings.Contains(got, key[:8]) {
			t.Errorf("at %d: %q", at, got[1900:2100])
		}
	}
}
