package webtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// browser returns the path of a browser, or skips the test.
func browser(t testing.TB) string {
	t.Helper()
	names := []string{"chromium", "chromium-browser", "google-chrome", "chrome"}
	if named := os.Getenv("AGIT_BROWSER"); named != "" {
		names = []string{named}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("no browser: none of %s is on PATH", strings.Join(names, ", "))
	return ""
}

// page is a tab that shows agit web.
type page struct {
	t      testing.TB
	ctx    context.Context
	server *server
	said   *console
}

// console holds the page's errors and warnings.
type console struct {
	mu    sync.Mutex
	lines []string
}

// theBrowser is the one browser of all tests: each start of one takes more than a second of a processor.
var theBrowser struct {
	sync.Mutex
	ctx   context.Context
	close func()
}

// startBrowser returns the context of the tests' browser, which it starts at the first call.
func startBrowser(path string) (context.Context, error) {
	theBrowser.Lock()
	defer theBrowser.Unlock()
	if theBrowser.ctx != nil {
		return theBrowser.ctx, nil
	}
	profile, err := os.MkdirTemp("", "agit-browser-")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.Flag("force-device-scale-factor", "1"), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("font-render-hinting", "none"), chromedp.Flag("disable-lcd-text", true)) // as on any machine
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(allocator)
	closeIt := func() {
		_ = chromedp.Cancel(ctx)
		end()
		stop()
		os.RemoveAll(profile)
	}
	if err := chromedp.Do(ctx); err != nil {
		closeIt()
		return nil, err
	}
	theBrowser.ctx, theBrowser.close = ctx, closeIt
	return ctx, nil
}

// closeBrowser ends the tests' browser, if one was started.
func closeBrowser() {
	theBrowser.Lock()
	defer theBrowser.Unlock()
	if theBrowser.close != nil {
		theBrowser.close()
	}
}

// openBrowser opens a tab without cookies and storage of others, which is closed with the test.
func openBrowser(t testing.TB, s *server) *page {
	t.Helper()
	root, err := startBrowser(browser(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := chromedp.NewContext(root, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	p := &page{t: t, ctx: ctx, server: s, said: &console{}}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			p.said.mu.Lock()
			p.said.lines = append(p.said.lines, fmt.Sprint(m))
			p.said.mu.Unlock()
		}
	}()
	return p
}

// quiet fails the test if the page reported something: a script error, or a violation of the content policy.
func (p *page) quiet() {
	p.t.Helper()
	p.said.mu.Lock()
	defer p.said.mu.Unlock()
	for _, line := range p.said.lines {
		p.t.Errorf("the page complains: %s", line)
	}
	p.said.lines = nil
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, done := context.WithTimeout(p.ctx, patience) // a missing element would be waited for without end
	defer done()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("%v; the page says %q", err, eval[string](p, `document.body.innerText.slice(0, 600)`))
	}
}

// eval runs an expression in the page.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	got, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return got
}

// until waits for an expression to be true, as long as it takes.
func (p *page) until(expression string) {
	p.t.Helper()
	holds := "(() => { try { return Boolean(" + expression + "); } catch { return false; } })()" // the element may not be drawn yet
	if _, err := chromedp.Run(p.ctx, chromedp.Poll[bool](holds, chromedp.WithPollingInterval(polling), chromedp.WithPollingTimeout(patience))); err != nil {
		p.quiet()
		p.t.Fatalf("waiting for %s: %v; the page says %q", expression, err, eval[string](p, `document.body.innerText.slice(0, 600)`))
	}
}

// has waits for a text of the page.
func (p *page) has(text string) {
	p.t.Helper()
	quoted, _ := json.Marshal(text)
	p.until(`document.body.innerText.includes(` + string(quoted) + `)`)
}

// looks sets the size and the colours of the window.
func (p *page) looks(width, height int64, colours string) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(width, height))
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colours}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	if err != nil {
		p.t.Fatal(err)
	}
}

// shot saves a picture of the window if AGIT_SHOTS is set.
func (p *page) shot(name string) {
	p.t.Helper()
	dir := os.Getenv("AGIT_SHOTS")
	if dir == "" {
		return
	}
	image, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), image, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// open shows a path of the page, live.
func (p *page) open(path string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.server.base + path + "#t=" + p.server.token))
	p.until(`document.querySelector(".live.good")`)
}

// server is a running agit web.
type server struct {
	base, token string
	cmd         *exec.Cmd
}

// serve starts agit-web for a registry. It ends with the test.
func serve(t testing.TB, home, dir string, args ...string) *server {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(binaries, "agit"), append([]string{"web", "--port", "0"}, args...)...)
	cmd.Dir, cmd.Env = dir, environment(home)
	cmd.Stderr = os.Stderr
	cmd.Args = append(cmd.Args, "--quiet")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("agit web said no address: %v", err)
	}
	s := &server{cmd: cmd}
	s.base, s.token, _ = strings.Cut(strings.TrimSpace(line), "/#t=")
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil && t.Context().Err() == nil {
			t.Errorf("agit web did not end well: %v", err)
		}
	})
	return s
}
