package webtest

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestLook saves pictures of a given registry, for work on the page's design: AGIT_LOOK_HOME=home AGIT_LOOK_DIR=folder AGIT_SHOTS=out
// go test -run TestLook.
func TestLook(t *testing.T) {
	home := os.Getenv("AGIT_LOOK_HOME")
	if home == "" {
		t.Skip("AGIT_LOOK_HOME names no registry")
	}
	p := openBrowser(t, serve(t, home, os.Getenv("AGIT_LOOK_DIR"), "--actions"))
	for _, size := range [][2]int64{{1400, 900}, {800, 900}, {390, 844}} {
		for _, colours := range []string{"light", "dark"} {
			p.looks(size[0], size[1], colours)
			for _, view := range []string{"", "board", "graph", "conflicts", "timeline", "memories", "sprint", "records"} {
				p.open("/" + view)
				p.until(`!document.querySelector(".headline").innerText.includes("unknown")`)
				p.until(`!document.querySelector("[aria-busy]") && document.querySelector("main").innerText.trim() !== "…"`)
				name := view
				if view == "" {
					name = "overview"
				}
				p.shot(name + "-" + colours + "-" + map[int64]string{1400: "desk", 800: "tablet", 390: "phone"}[size[0]])
			}
			p.open("/")
			p.do(chromedp.Click(chromedp.CSS(".agents td a"))) // a worktree
			p.has("since")
			p.shot("panel-" + colours + "-" + map[int64]string{1400: "desk", 800: "tablet", 390: "phone"}[size[0]])
		}
	}
	p.quiet()
}
