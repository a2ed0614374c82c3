// Command picture draws a terminal's screen as SVG from the output of `tmux capture-pane -p -e`, on which alone its output depends. It
// draws the README's pictures of the screens.
//
//	picture COLUMNS < screen > screen.svg
//	picture COLUMNS film < screens > screens.svg    each after a form feed and its seconds
package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// The size of a cell in pixels, and the page's colours at night.
const (
	cellWidth, cellHeight, margin = 8.4, 19, 16
	background, foreground        = "#14181d", "#d7dde3"
)

var colours = map[int]string{31: "#f28b82", 32: "#8fd19e", 33: "#f2c66d", 36: "#7cc4d4"}

// look is how a run of characters looks.
type look struct {
	bold, dim, reverse bool
	colour             string
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) == 0 || len(args) > 2 || len(args) == 2 && args[1] != "film" {
		return fmt.Errorf("usage: picture COLUMNS [film]")
	}
	columns, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	if len(args) == 2 {
		return film(columns, in, out)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	w := bufio.NewWriter(out)
	open(w, columns, len(lines))
	var now look // carries over to the next line
	for y, line := range lines {
		now = drawLine(w, y, line, columns, now)
	}
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}

// open begins a picture of so many columns and lines, with its background.
func open(w io.Writer, columns, lines int) {
	width, height := float64(columns)*cellWidth+2*margin, lines*cellHeight+2*margin
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d" role="img" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14">`+"\n", width, height, width, height)
	fmt.Fprintf(w, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", background)
}

// drawLine draws the runs of one look, each at its own position, so that no font shifts a column. It returns the look at the line's
// end.
func drawLine(w io.Writer, y int, line string, columns int, now look) look {
	at := 0
	for line != "" {
		if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
			codes, after, _ := strings.Cut(rest, "m")
			now = now.with(codes)
			line = after
			continue
		}
		end := strings.IndexByte(line, 0x1b)
		if end < 0 {
			end = len(line)
		}
		drawRun(w, at, y, line[:end], now)
		at += displaywidth.String(line[:end])
		line = line[end:]
	}
	if now.reverse && at < columns {
		drawRun(w, at, y, strings.Repeat(" ", columns-at), now)
	}
	return now
}

func drawRun(w io.Writer, at, y int, text string, l look) {
	colour := l.colour
	if colour == "" {
		colour = foreground
	}
	x := margin + float64(at)*cellWidth
	if l.reverse {
		fmt.Fprintf(w, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", x, margin+y*cellHeight, float64(displaywidth.String(text))*cellWidth, cellHeight, colour)
		colour = background
	}
	start := len(text) - len(strings.TrimLeft(text, " "))
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	x += float64(start) * cellWidth
	extra := ""
	if l.bold {
		extra += ` font-weight="bold"`
	}
	if l.dim {
		extra += ` opacity=".65"`
	}
	fmt.Fprintf(w, `<text x="%.1f" y="%.0f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s" xml:space="preserve"%s>%s</text>`+"\n",
		x, float64(margin+y*cellHeight)+14, float64(displaywidth.String(text))*cellWidth, colour, extra, html.EscapeString(text))
}

// with is the look after the parameters of an SGR sequence.
func (l look) with(codes string) look {
	for code := range strings.SplitSeq(codes, ";") {
		n, err := strconv.Atoi(code)
		switch {
		case err != nil && code != "", n == 0:
			l = look{}
		case n == 1:
			l.bold = true
		case n == 2:
			l.dim = true
		case n == 7:
			l.reverse = true
		case n == 27:
			l.reverse = false
		case n == 22:
			l.bold, l.dim = false, false
		case n == 39:
			l.colour = ""
		default:
			if c, ok := colours[n]; ok {
				l.colour = c
			}
		}
	}
	return l
}
