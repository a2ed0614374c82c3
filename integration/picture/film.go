package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// frame is a screen, and how long it is shown.
type frame struct {
	seconds float64
	lines   []string // each drawn as SVG; "" for a line that is empty
}

// shot is a line that is unchanged in the frames from first on, before end.
type shot struct {
	row, first, end int
	drawn           string
}

// mark begins a frame in the input of a film: a form feed and the seconds it is shown.
const mark = "\f"

// film draws the screens of a session one after the other as one SVG, animated by CSS alone in a loop. A reader who prefers no motion
// sees the last screen.
func film(columns int, in io.Reader, out io.Writer) error {
	frames, rows, err := readFrames(columns, in)
	if err != nil {
		return err
	}
	all := 0.0
	starts := make([]float64, len(frames)+1)
	for i, f := range frames {
		all += f.seconds
		starts[i+1] = all
	}
	w := bufio.NewWriter(out)
	open(w, columns, rows)
	fmt.Fprintln(w, "<style>\n.s{visibility:hidden}")
	names := map[string]string{}
	shots := shotsOf(frames, rows)
	for _, s := range shots {
		key := fmt.Sprintf("%d-%d", s.first, s.end)
		if _, known := names[key]; known || s.first == 0 && s.end == len(frames) {
			continue
		}
		name := "k" + strconv.Itoa(len(names))
		names[key] = name
		fmt.Fprintf(w, "@keyframes %s{%s}\n.%s{animation:%s %.1fs step-end infinite}\n", name, steps(starts[s.first]/all, starts[s.end]/all), name, name, all)
	}
	fmt.Fprintln(w, "@media (prefers-reduced-motion: reduce){.s{animation:none}.last{visibility:visible}}\n</style>")
	for _, s := range shots {
		class := "s " + names[fmt.Sprintf("%d-%d", s.first, s.end)]
		if s.end == len(frames) {
			class += " last"
		}
		if s.first == 0 && s.end == len(frames) {
			fmt.Fprintf(w, "<g>%s</g>\n", s.drawn)
			continue
		}
		fmt.Fprintf(w, "<g class=%q>%s</g>\n", class, s.drawn)
	}
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}

// steps are keyframes that show something between two parts of the time.
func steps(from, to float64) string {
	s := "0%{visibility:hidden}"
	if from == 0 {
		s = "0%{visibility:visible}"
	} else {
		s += fmt.Sprintf("%.3f%%{visibility:visible}", from*100)
	}
	if to < 1 {
		s += fmt.Sprintf("%.3f%%{visibility:hidden}", to*100)
	}
	return s
}

// shotsOf returns the lines of all frames, each once for its whole time.
func shotsOf(frames []frame, rows int) (all []shot) {
	for row := range rows {
		for first := 0; first < len(frames); {
			end := first + 1
			for end < len(frames) && frames[end].line(row) == frames[first].line(row) {
				end++
			}
			if drawn := frames[first].line(row); drawn != "" {
				all = append(all, shot{row, first, end, drawn})
			}
			first = end
		}
	}
	return all
}

func (f frame) line(row int) string {
	if row < len(f.lines) {
		return f.lines[row]
	}
	return ""
}

// readFrames reads screens, each behind a mark.
func readFrames(columns int, in io.Reader) (frames []frame, rows int, err error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, 0, err
	}
	for _, part := range strings.Split(string(text), mark)[1:] {
		head, screen, _ := strings.Cut(part, "\n")
		f := frame{}
		if f.seconds, err = strconv.ParseFloat(strings.TrimSpace(head), 64); err != nil || f.seconds <= 0 {
			return nil, 0, fmt.Errorf("a frame is shown for %q seconds", head)
		}
		now := look{}
		for y, line := range strings.Split(strings.TrimRight(screen, "\n"), "\n") {
			var b bytes.Buffer
			now = drawLine(&b, y, line, columns, now)
			f.lines = append(f.lines, b.String())
		}
		rows = max(rows, len(f.lines))
		frames = append(frames, f)
	}
	if len(frames) == 0 {
		return nil, 0, fmt.Errorf("there is no frame: each begins with a form feed and its seconds")
	}
	return frames, rows, nil
}
