package webtest

import (
	"bytes"
	"encoding/base64"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
)

var update = flag.Bool("update", false, "write the pictures of testdata/pictures anew")

// A picture is kept as the mean colours of squares of cell pixels. A square differs when the mean of a channel, taken with the eight around
// it, is off by more than shade: browsers place letters and lines by a pixel to one side or the other, which comes out even there. A picture
// differs when more than spots of its squares do.
const (
	cell  = 10
	shade = 10
	spots = 3
)

// TestPictures compares a picture of each view at three widths, light and dark, and of what opens beside one, with those of
// testdata/pictures. The page is shown in one font, without what depends on the time and on ids. After a change that was wanted:
// go test ./agit/webtest -run TestPictures -update; AGIT_SHOTS=folder keeps what was seen.
func TestPictures(t *testing.T) {
	browser(t)
	b := newBusy(t)
	p := openBrowser(t, serve(t, b.home, b.dir))
	p.open("/")
	p.until(`[...document.querySelectorAll(".card")].filter((card) => /\d[smh]/.test(card.textContent)).length === 3`) // what waits has an age, after a second
	for _, size := range [][2]int64{{390, 844}, {800, 900}, {1280, 800}} {
		for _, colours := range []string{"light", "dark"} {
			p.looks(size[0], size[1], colours)
			for _, v := range views {
				p.open(v.path)
				p.has(v.text)
				p.settled()
				p.pictured(fmt.Sprintf("%s-%d-%s", strings.ToLower(v.name), size[0], colours))
			}
		}
		p.looks(size[0], size[1], "light")
		for _, one := range panels(b) {
			_, name, _ := strings.Cut(one[0], "open=")
			name, _, _ = strings.Cut(name, ":")
			if strings.HasSuffix(one[0], ":none") {
				continue
			}
			p.open(one[0])
			p.until(`document.querySelector(".panel")`)
			p.has(one[1])
			p.settled()
			p.pictured(fmt.Sprintf("panel-%s-%d", name, size[0]))
		}
	}
	p.quiet()
}

// settled waits until nothing that is shown is still being found out.
func (p *page) settled() {
	p.t.Helper()
	p.until(`!document.querySelector("[aria-busy]") && !document.body.innerText.includes("unknown") && document.querySelectorAll(".badge").length > 1`)
}

// still makes the page the same at each run: one font, placed alike whatever the system's fonts are; the tabs from their beginning, since
// TestViews sees that the open one is in sight; the same ids, commits and times, no axis of time, and one letter for those that the font
// lacks. window.kept() is true while nothing was drawn since.
const still = `(async (regular, bold) => {
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  for (const [data, weight] of [[regular, "100 500"], [bold, "600 900"]]) document.fonts.add(await new FontFace("Fixed", bytes(data), { weight }).load());
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, *::before, *::after { font-family: Fixed !important; text-rendering: geometricPrecision !important; caret-color: transparent !important; transition: none !important; animation: none !important; } .lanes-svg * { visibility: hidden; } .tabs { overflow: clip !important; } .bell { opacity: 1 !important; }");
  document.adoptedStyleSheets = [sheet];
  const same = [[/\b([a-zA-Z]+)-[0-9][0-9a-z]{8,}\b/g, "$1-0000000000"], [/\/\S*\/app\/\S+/g, "/app/worktree"], [/\bagit\/[\w-]+/g, "agit/branch"], [/\b[0-9a-f]{7,40}\b/g, "0000000"], [/\b[A-Z][a-z]{2} \d+ \d\d:\d\d\b/g, "Jan 1 00:00"], [/\b\d\d:\d\d\b/g, "00:00"], [/\b\d+(\.\d+)?[smhd]\b/g, "1s"], [/\bjust now\b/g, "1s"], [/[^\u0000-\u024f\u2010-\u2026\u2190-\u2193]/g, "o"]];
  const changed = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = same.reduce((text, [from, to]) => text.replace(from, to), walker.currentNode.data);
    if (text !== walker.currentNode.data) { walker.currentNode.data = text; changed.push([walker.currentNode, text]); }
  }
  document.activeElement?.blur();
  scrollTo(0, 0);
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  window.kept = () => changed.every(([node, text]) => node.isConnected && node.data === text);
  window.isStill = true;
})`

// pictured compares what is shown with the picture of a name.
func (p *page) pictured(name string) {
	p.t.Helper()
	var shown image.Image
	for range 20 { // it may be drawn anew meanwhile
		quoted := func(font []byte) string { return `"` + base64.StdEncoding.EncodeToString(font) + `"` }
		eval[int](p, `(window.isStill = false, `+still+`(`+quoted(goregular.TTF)+`, `+quoted(gobold.TTF)+`), 0)`)
		p.until(`window.isStill`)
		shot, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			p.t.Fatal(err)
		}
		if !eval[bool](p, `window.kept()`) {
			continue
		}
		if shown, err = png.Decode(bytes.NewReader(shot)); err != nil {
			p.t.Fatal(err)
		}
		break
	}
	if shown == nil {
		p.t.Fatalf("%s: the page does not stay as it is", name)
	}
	got := reduced(shown)
	path := filepath.Join("testdata", "pictures", name+".png")
	if *update {
		write(p.t, path, got)
		return
	}
	want, err := read(path)
	if err != nil {
		p.t.Fatalf("%v; -update draws it", err)
	}
	if differ, where := unlike(got, want); differ > spots {
		kept := ""
		if dir := os.Getenv("AGIT_SHOTS"); dir != "" {
			write(p.t, filepath.Join(dir, name+".png"), shown)
			kept = "; AGIT_SHOTS has " + name + ".png"
		}
		middle := where.Min.Add(where.Max).Div(2)
		at := eval[string](p, fmt.Sprintf(`document.elementFromPoint(%d, %d)?.outerHTML.slice(0, 120) || ""`, middle.X, middle.Y))
		p.t.Errorf("%s looks different in %d of %d squares, from %v to %v, where %s stands%s", name, differ, len(got.Pix)/4, where.Min, where.Max, at, kept)
	}
}

// reduced returns the mean colours of a picture's squares.
func reduced(in image.Image) *image.NRGBA {
	size := in.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, (size.Dx()+cell-1)/cell, (size.Dy()+cell-1)/cell))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			square := image.Rect(x*cell, y*cell, (x+1)*cell, (y+1)*cell).Add(size.Min).Intersect(size)
			var sum [3]uint32
			for at := square.Min; at.Y < square.Max.Y; at.Y++ {
				for at.X = square.Min.X; at.X < square.Max.X; at.X++ {
					r, g, b, _ := in.At(at.X, at.Y).RGBA()
					sum[0], sum[1], sum[2] = sum[0]+r>>8, sum[1]+g>>8, sum[2]+b>>8
				}
			}
			n := uint32(square.Dx() * square.Dy())
			out.SetNRGBA(x, y, color.NRGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), 255})
		}
	}
	return out
}

// unlike counts the squares in which two pictures differ, and returns where in the window they are. Of pictures of different sizes all are.
func unlike(got, want *image.NRGBA) (differ int, where image.Rectangle) {
	if got.Rect != want.Rect {
		return len(got.Pix) / 4, image.Rect(0, 0, got.Rect.Dx()*cell, got.Rect.Dy()*cell)
	}
	size := got.Rect
	for y := range size.Dy() {
		for x := range size.Dx() {
			around := image.Rect(x-1, y-1, x+2, y+2).Intersect(size)
			far := 0
			for c := range 3 {
				sum := 0
				for at := around.Min; at.Y < around.Max.Y; at.Y++ {
					for at.X = around.Min.X; at.X < around.Max.X; at.X++ {
						i := got.PixOffset(at.X, at.Y) + c
						sum += int(got.Pix[i]) - int(want.Pix[i])
					}
				}
				far = max(far, sum, -sum)
			}
			if far > shade*around.Dx()*around.Dy() {
				differ++
				where = where.Union(image.Rect(x*cell, y*cell, (x+1)*cell, (y+1)*cell))
			}
		}
	}
	return differ, where
}

func read(path string) (*image.NRGBA, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	in, err := png.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	out := image.NewNRGBA(in.Bounds())
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.Set(x, y, in.At(x, y))
		}
	}
	return out, nil
}

func write(t testing.TB, path string, picture image.Image) {
	t.Helper()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
