package priorart

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/text/words"
)

// The quick search of plain texts finds the same as splitting them.
func FuzzRelevance(f *testing.F) {
	f.Add("retry the webhook", "Retrying fooWebhook_bar in a/b-c.d")
	f.Add("invoice totals", "parseInvoiceTotals")
	f.Add("it's parse.x", "don't x.parse'd")
	f.Add("日本語 café", "カフェ Café's")
	f.Fuzz(func(t *testing.T, task, s string) {
		k := keywords(task)
		if len(k) == 0 {
			return
		}
		held := map[string]bool{}
		for _, term := range words.Terms(s) {
			held[term.Text] = true
		}
		got := make([]bool, len(k))
		k.mark(s, got)
		for i, w := range k {
			if got[i] != held[w.stem] {
				t.Errorf("keyword %+v of %q in %q: %t", w, task, s, got[i])
			}
		}
	})
}

func FuzzParseLog(f *testing.F) {
	oid := strings.Repeat("a", 40)
	f.Add([]byte(oid + "\x001700000000\x00subject\x00body\n\x00" + oid + "\x001700000001\x00\x00\x00"))
	f.Add([]byte("nonsense"))
	f.Fuzz(func(t *testing.T, out []byte) {
		commits, err := parseLog(out)
		if err == nil && len(commits) > strings.Count(string(out), "\x00") {
			t.Errorf("%d commits of %q", len(commits), out)
		}
	})
}
