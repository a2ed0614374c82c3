//go:build unix

package webtest

import (
	"syscall"
	"testing"
)

// A page with a dead connection, as after the machine slept or a tunnel broke, does not claim to be live.
func TestSilenceIsNotLive(t *testing.T) {
	browser(t)
	b := newBusy(t)
	s := serve(t, b.home, b.dir)
	p := openBrowser(t, s)
	p.open("/board")
	p.has("Rate limit")
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Signal(syscall.SIGCONT) })
	eval[bool](p, `Date.now = ((now) => () => now() + 60000)(Date.now), true`) // the time goes by
	p.until(`document.querySelector(".live.bad") && document.querySelector(".problem")?.innerText.includes("silent")`)
	if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	p.until(`document.querySelector(".live.good") && !document.querySelector(".problem")`)
}
