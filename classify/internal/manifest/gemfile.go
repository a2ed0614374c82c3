package manifest

import (
	"path"
	"slices"
	"strings"
)

// parseGemfile reads Gemfiles and gem specifications, line by line, without running them. Computed values stay unknown.
func parseGemfile(d *draft, text string) {
	r := &gemReader{d: d}
	if d.Kind == Gemspec {
		d.Name = strings.TrimSuffix(path.Base(d.Path), ".gemspec")
	}
	r.read(text, true)
	if d.Properties["gemspec"] != "" {
		d.onlyDevelopment()
	}
}

// onlyDevelopment keeps a Gemfile's dependencies beside a gem specification as development ones, since the specification declares the gem's
// runtime dependencies.
func (d *draft) onlyDevelopment() {
	declared := d.Dependencies
	d.Dependencies, d.seen = nil, map[Dependency]bool{}
	for _, dep := range declared {
		if dep.Group == Runtime {
			dep.Group = Dev
		}
		d.add(dep)
	}
}

// A gemReader tracks the blocks around a line, from which a gem's group may come.
type gemReader struct {
	d      *draft
	blocks []gemBlock
}

type gemBlock struct {
	group Group
	local bool     // path "x" do
	words []string // %w[a b].each do
}

func (r *gemReader) read(text string, follow bool) {
	comment, heredoc := false, ""
	pending, describes := "", false
	var described []string
	for raw := range strings.SplitSeq(text, "\n") {
		switch {
		case heredoc != "":
			if strings.TrimSpace(raw) != heredoc {
				described = append(described, raw)
				continue
			}
			if describes {
				r.d.Description = clean(strings.Join(described, " "))
			}
			heredoc, described = "", nil
			continue
		case strings.HasPrefix(raw, "=begin"):
			comment = true
		case strings.HasPrefix(raw, "=end"):
			comment = false
			continue
		case raw == "__END__":
			return
		}
		if comment {
			continue
		}
		line := strings.TrimSpace(rubyUncomment(raw))
		if pending != "" {
			line = pending + " " + line
			pending = ""
		}
		if line == "" {
			continue
		}
		if (strings.HasSuffix(line, ",") || strings.HasSuffix(line, `\`) || strings.HasSuffix(line, "(")) && len(line) < 4096 {
			pending = strings.TrimSuffix(line, `\`)
			continue
		}
		if i := strings.Index(line, "<<"); i >= 0 {
			name := strings.TrimLeft(line[i+2:], "~-")
			if heredoc = strings.Trim(upTo(name, " ,.)"), `'"`); !isHeredoc(heredoc) {
				heredoc = ""
			}
			describes = r.d.Kind == Gemspec && strings.Contains(line[:i], ".description") && strings.Contains(line[:i], "=")
		}
		for statement := range strings.SplitSeq(line, ";") {
			r.statement(strings.TrimSpace(statement), follow)
		}
	}
	if pending != "" {
		r.statement(pending, follow)
	}
}

// isHeredoc distinguishes the start of a text of several lines from an append to a list.
func isHeredoc(word string) bool {
	return word != "" && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// rubyUncomment drops a comment that is not inside a string.
func rubyUncomment(line string) string {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return line[:i]
		}
	}
	return line
}

func (r *gemReader) statement(s string, follow bool) {
	word := s[:len(s)-len(strings.TrimLeft(s, "abcdefghijklmnopqrstuvwxyz_"))]
	rest := strings.TrimLeft(s[len(word):], " (")
	switch {
	case word == "end" && (rest == "" || !isWord(rune(rest[0]))):
		if len(r.blocks) > 0 {
			r.blocks = r.blocks[:len(r.blocks)-1]
		}
		return
	case word == "gem" && s != word:
		r.gem(rest)
	case word == "gemspec":
		r.d.property("gemspec", "yes")
	case word == "eval_gemfile" && follow:
		r.include(rest)
	}
	if r.d.Kind == Gemspec {
		r.specification(s)
	}
	if opensBlock(word, s) && len(r.blocks) < maxNesting {
		block := gemBlock{group: r.block().group, local: r.block().local}
		switch word {
		case "group", "groups":
			block.group = rubyGroup(symbols(rest))
		case "path":
			block.local = true
		default:
			if list, ok := strings.CutPrefix(s, "%w"); ok && strings.Contains(s, ".each") {
				block.words = strings.Fields(strings.Trim(upTo(list, "])}|"), "[({ "))
			}
		}
		r.blocks = append(r.blocks, block)
	}
}

// opensBlock reports whether a statement is closed by an "end"; a modifier if at the end of a line is not.
func opensBlock(word, s string) bool {
	switch word {
	case "if", "unless", "case", "begin", "while", "until", "def", "class", "module", "for":
		return !strings.HasSuffix(s, " end")
	}
	if strings.HasSuffix(s, " do") {
		return true
	}
	i := strings.LastIndex(s, " do |")
	return i >= 0 && strings.HasSuffix(s, "|")
}

// block returns the innermost block, an empty one outside of all.
func (r *gemReader) block() (innermost gemBlock) {
	if len(r.blocks) > 0 {
		innermost = r.blocks[len(r.blocks)-1]
	}
	return innermost
}

// gem reads the arguments of gem: a name in quotes, then options. Only group, groups and path matter.
func (r *gemReader) gem(args string) {
	name, rest, ok := rubyString(args)
	if !ok {
		for _, word := range r.block().words { // %w[a b].each do |lib| gem lib
			r.d.named(r.block().group, word)
		}
		return
	}
	dep := Dependency{Name: name, Group: r.block().group, Local: r.block().local}
	for _, key := range []string{"group:", "groups:", ":group =>", ":groups =>", ":group=>", ":groups=>"} {
		if i := strings.Index(rest, key); i >= 0 {
			dep.Group = rubyGroup(symbols(rest[i+len(key):]))
			break
		}
	}
	for _, key := range []string{" path:", ":path =>"} {
		if _, value, found := strings.Cut(rest, key); found {
			dep.Local = true
			if dir, _, ok := rubyString(strings.TrimSpace(value)); ok {
				r.d.Members = append(r.d.Members, strings.TrimPrefix(dir, "./"))
			}
		}
	}
	if validGem(dep.Name) {
		r.d.add(dep)
	}
}

func validGem(name string) bool { return name != "" && wordsOnly(name, "-.") }

// symbols returns the leading :a, :b of an argument list, or those in brackets.
func symbols(s string) []string {
	s = strings.TrimLeft(s, " [(")
	var list []string
	for {
		s = strings.TrimLeft(s, " ,")
		switch {
		case strings.HasPrefix(s, ":"):
			end := 1
			for end < len(s) && isWord(rune(s[end])) {
				end++
			}
			list = append(list, s[1:end])
			s = s[end:]
		case strings.HasPrefix(s, "'") || strings.HasPrefix(s, `"`):
			name, rest, ok := rubyString(s)
			if !ok {
				return list
			}
			list, s = append(list, name), rest
		case strings.HasPrefix(s, "%i["):
			return append(list, strings.Fields(upTo(s[3:], "]"))...)
		default:
			return list
		}
	}
}

// rubyGroup returns the group for Bundler's groups; a gem that is also in production is needed to run.
func rubyGroup(groups []string) Group {
	if len(groups) == 0 || slices.ContainsFunc(groups, func(g string) bool {
		return slices.Contains([]string{"default", "production", "assets", "web", "server"}, g)
	}) {
		return Runtime
	}
	return pythonGroup(strings.Join(groups, " "), Optional)
}

// rubyString reads a string literal at the beginning of s and returns the rest behind it.
func rubyString(s string) (value, rest string, ok bool) {
	s = strings.TrimLeft(s, " (")
	if rest, found := strings.CutPrefix(s, "%q<"); found {
		value, rest, ok = strings.Cut(rest, ">")
		return value, rest, ok
	}
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return "", s, false
	}
	end := strings.IndexByte(s[1:], s[0])
	if end < 0 {
		return "", s, false
	}
	return s[1 : end+1], s[end+2:], true
}

// specification reads a line of a gemspec: spec.add_dependency "x", spec.name = "x".
func (r *gemReader) specification(s string) {
	_, s, ok := strings.Cut(s, ".")
	if !ok {
		return
	}
	for call, group := range map[string]Group{"add_dependency": Runtime, "add_runtime_dependency": Runtime, "add_development_dependency": Dev} {
		if rest, found := strings.CutPrefix(s, call); found {
			if name, _, ok := rubyString(rest); ok && validGem(name) {
				r.d.named(group, name)
			}
			return
		}
	}
	key, value, ok := strings.Cut(s, "=")
	if !ok {
		return
	}
	text, rest, ok := rubyString(strings.TrimSpace(value))
	if !ok {
		return
	}
	for ok { // "one " "two", and "one " + "two"
		var more string
		if more, rest, ok = rubyString(strings.TrimLeft(rest, " +")); ok {
			text += more
		}
	}
	switch strings.TrimSpace(key) {
	case "name":
		r.d.Name = text
	case "version":
		r.d.Version = text
	case "summary":
		setOnce(&r.d.Description, clean(text))
	case "description":
		r.d.Description = clean(text)
	}
}

// include reads another Gemfile of the project as part of this one.
func (r *gemReader) include(args string) {
	ref, _, ok := rubyString(args)
	if !ok || len(r.d.Includes) >= 20 {
		return
	}
	if _, text, ok := r.d.part("includes", r.d.Path, ref, 0); ok {
		(&gemReader{d: r.d, blocks: r.blocks}).read(text, false)
	}
}
