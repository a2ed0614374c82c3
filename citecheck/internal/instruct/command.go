package instruct

import (
	"path"
	"slices"
	"strings"

	gmtext "github.com/yuin/goldmark/text"
)

// shells are the languages of code blocks that contain command lines. A block without a language may contain anything: only commands of
// known tools are read in it.
var shells = []string{"", "bash", "sh", "shell", "zsh", "console", "shell-session", "fish", "terminal", "text", "plaintext"}

// code reads a code block: a drawing of folders, or command lines.
func (r *reading) code(lang string, lines *gmtext.Segments) {
	lang = strings.ToLower(lang)
	if isDrawing(lines, r.src) {
		r.drawing(lines)
		return
	}
	if !slices.Contains(shells, lang) {
		return
	}
	base, comment := "", ""
	for i := range lines.Len() {
		s := lines.At(i)
		line := strings.TrimRight(string(s.Value(r.src)), "\r\n")
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "#") {
			comment = trimmed
			continue
		}
		if trimmed == "" {
			comment = ""
			continue
		}
		if to, ok := changed(base, split(trimmed)); ok {
			base = to
			continue
		}
		for _, ref := range commandRefs(line, base) {
			ref.in, ref.Start, ref.End = inBlock, s.Start+ref.Start, s.Start+ref.End
			ref.Around = comment
			if _, note, ok := strings.Cut(trimmed, " #"); ok {
				ref.Around += " " + note
			}
			r.add(ref)
		}
	}
}

// changed returns the folder that a command changes to from base, "…" for one somewhere else; ok is false for all commands but `cd`.
func changed(base string, words []word) (to string, ok bool) {
	if len(words) != 2 || words[0].text != "cd" {
		return base, false
	}
	dir := words[1].text
	if strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, "~") || strings.ContainsAny(dir, "<$*{") {
		return "…", true
	}
	return path.Join(base, dir), true
}

// word is one word of a command line, with where it stands.
type word struct {
	text       string
	start, end int
	quoted     bool
}

// separates reports whether a word ends a command of a line.
func (w word) separates() bool {
	return !w.quoted && w.text != "" && strings.Trim(w.text, "&|;") == ""
}

// split cuts a command line into words, as shells do for plain words and quotes. A comment ends it.
func split(line string) (words []word) {
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == ' ' || c == '\t':
			i++
		case c == '#' && (i == 0 || line[i-1] == ' '):
			return words
		case c == '"' || c == '\'':
			end := strings.IndexByte(line[i+1:], c)
			if end < 0 {
				return words
			}
			words = append(words, word{line[i+1 : i+1+end], i + 1, i + 1 + end, true})
			i += end + 2
		case c == ';' || c == '|' || c == '&':
			start := i
			for i < len(line) && line[i] == c && i-start < 2 {
				i++
			}
			words = append(words, word{text: line[start:i], start: start, end: i})
		default:
			start := i
			for i < len(line) && !strings.ContainsRune(" \t;|&\"'", rune(line[i])) {
				i++
			}
			words = append(words, word{text: line[start:i], start: start, end: i})
		}
	}
	return words
}

// commandRefs returns the targets of tools and the files that the commands of a line name. base is the folder that earlier lines changed
// to.
func commandRefs(line, base string) (refs []Reference) {
	words := split(line)
	for len(words) > 0 {
		n := 0
		for n < len(words) && !words[n].separates() {
			n++
		}
		one := words[:n]
		words = words[min(n+1, len(words)):]
		if to, ok := changed(base, one); ok {
			base = to
			continue
		}
		for _, ref := range oneCommand(one) {
			ref.Base = base
			refs = append(refs, ref)
		}
	}
	return refs
}

// leading are words that stand before a command without changing its meaning.
var leading = []string{"$", ">", "%", "sudo", "time", "exec", "env", "nice", "command", "then", "do", "!", "cross-env", "dotenv", "--"}

// oneCommand returns the references of one command.
func oneCommand(words []word) []Reference {
	for len(words) > 0 && (slices.Contains(leading, words[0].text) || isSetting(words[0].text)) {
		words = words[1:]
	}
	if len(words) < 1 {
		return nil
	}
	name := words[0].text
	if tool := tools[name]; tool != nil {
		return tool(words)
	}
	if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "scripts/") || strings.HasPrefix(name, "bin/") || strings.HasPrefix(name, "script/") {
		return append([]Reference{fileOf(name, words[0])}, arguments(name, words[1:])...)
	}
	if slices.Contains(takeFiles, name) {
		return arguments(name, words[1:])
	}
	return nil
}

// isSetting reports whether a word is NAME=value.
func isSetting(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// takeFiles are programs whose arguments name files of the repository.
var takeFiles = []string{
	"bash", "sh", "zsh", "python", "python3", "node", "tsx", "ts-node", "ruby", "perl", "uv", "uvx", "poetry", "pytest", "vitest", "jest",
	"npx", "pnpx", "bunx", "eslint", "prettier", "ruff", "mypy", "source", ".", "php", "rspec", "cat", "less", "docker", "docker-compose",
	"chmod", "swift", "nu", "pwsh", "biome", "tsc", "mix", "zig",
}

// fileOf returns a reference to the file that a word of a command names.
func fileOf(tool string, w word) Reference {
	target := pathPart(w.text)
	return Reference{Kind: Path, Tool: tool, Text: w.text, Target: target, Start: w.start, End: w.start + len(target)}
}

// arguments returns the files that the arguments of a program name: those with a
// folder and an ending, or a first one with the ending of a script.
func arguments(tool string, words []word) (refs []Reference) {
	for _, w := range words {
		if w.quoted && strings.Contains(w.text, " ") || strings.HasPrefix(w.text, "-") || strings.ContainsAny(w.text, "=@") {
			continue
		}
		if target := pathPart(w.text); mayBePath(w.text) && hasEnding(target) && strings.Contains(target, "/") {
			refs = append(refs, fileOf(tool, w))
		}
	}
	return refs
}

// drawn are the characters used to draw a tree of folders.
const drawn = "│├└─┬|+`- \t\u00a0"

// isDrawing reports whether a code block draws a tree of folders.
func isDrawing(lines *gmtext.Segments, src []byte) bool {
	marks := 0
	for i := range lines.Len() {
		s := lines.At(i)
		if line := string(s.Value(src)); strings.Contains(line, "├─") || strings.Contains(line, "└─") || strings.Contains(line, "|--") {
			marks++
		}
	}
	return marks >= 2
}

// drawing reads the paths in a drawn tree of folders.
func (r *reading) drawing(lines *gmtext.Segments) {
	type level struct {
		column int
		path   string
	}
	var above []level
	for i := range lines.Len() {
		s := lines.At(i)
		line := strings.TrimRight(string(s.Value(r.src)), "\r\n")
		rest := strings.TrimLeft(line, drawn)
		skipped := line[:len(line)-len(rest)]
		column := len([]rune(skipped))
		name, note, _ := strings.Cut(rest, " ")
		if name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		note = strings.TrimSpace(note)
		for len(above) > 0 && above[len(above)-1].column >= column {
			above = above[:len(above)-1]
		}
		parent := ""
		if len(above) > 0 {
			parent = above[len(above)-1].path
		}
		full := path.Join(parent, strings.TrimSuffix(name, "/"))
		above = append(above, level{column, full})
		if column == 0 || note != "" && !strings.ContainsAny(note[:1], "#←-–—(/<*:→") && !strings.HasPrefix(note, "  ") && !strings.Contains(rest, "  ") {
			continue // the root of the drawing, or a name with blanks
		}
		if !strings.HasSuffix(name, "/") && !hasEnding(name) || strings.HasSuffix(name, ",") {
			continue
		}
		r.add(Reference{Kind: Path, Text: name, Target: full, Parent: parent, Start: s.Start + len(skipped), End: s.Start + len(skipped), Around: rest, in: inTree})
	}
}
