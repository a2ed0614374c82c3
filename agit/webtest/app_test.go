package webtest

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// The page installs as an app. If the user wants it, the system announces new needs while the page is hidden, but no earlier ones.
func TestAppThatRings(t *testing.T) {
	browser(t)
	b := newBusy(t)
	p := openBrowser(t, serve(t, b.home, b.dir))
	p.looks(1280, 800, "light")
	p.open("/")
	p.until(`fetch(document.querySelector("link[rel=manifest]").href).then((r) => r.json()).then((m) => (window.manifest = m)) && window.manifest`)
	if got := eval[string](p, `manifest.display + " " + manifest.start_url + " " + manifest.icons[0].src`); got != "standalone / /static/icon.svg" {
		t.Errorf("the manifest has %q", got)
	}
	eval[int](p, `(() => {
		window.rung = [];
		window.Notification = class {
			static permission = "default";
			static async requestPermission() { return (this.permission = "granted"); }
			constructor(title, options) { window.rung.push(title + ": " + options.body); }
		};
		window.out = false;
		Object.defineProperty(document, "hidden", { get: () => window.out });
		return 0;
	})()`)
	fail := func(text, why string) {
		id := b.task(text)
		b.run("agit", "tasks", "claim", id, "--agent", "eve")
		b.run("agit", "tasks", "fail", id, "--agent", "eve", "--result", why)
		p.until(`document.querySelector(".cards").innerText.includes("` + why + `")`)
	}
	p.until(`document.querySelector(".cards").innerText.includes("login.go")`) // the first scan has found the conflict
	fail("Quiet", "no one asked to be told")
	p.do(chromedp.Click(chromedp.CSS("button.bell")))
	p.until(`document.querySelector("button.bell").getAttribute("aria-pressed") === "true"`)
	eval[bool](p, `(window.out = true, document.dispatchEvent(new Event("visibilitychange")))`) // it goes on listening
	fail("Loud", "the disk is full")
	p.until(`rung.length > 0`)
	if got := eval[[]string](p, `rung`); len(got) != 1 || got[0] != "1 thing waits for you: Loud: the disk is full" {
		t.Errorf("it rang for %q", got)
	}
	p.do(chromedp.Click(chromedp.CSS("button.bell")))
	p.until(`document.querySelector("button.bell").getAttribute("aria-pressed") === "false"`)
	fail("Quiet again", "the light is off")
	if got := eval[int](p, `rung.length`); got != 1 {
		t.Errorf("turned off, it rang %d times", got)
	}
	p.quiet()
}
