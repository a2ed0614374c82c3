package manifest

import (
	"cmp"
	"strings"
)

// parseSetupCfg reads setup.cfg, setuptools' declarative file: an INI file whose lists are indented lines.
func parseSetupCfg(d *draft, text string) {
	section, key, number := "", "", 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';':
			continue
		case trimmed[0] == '[' && strings.HasSuffix(trimmed, "]"):
			section, key = strings.TrimSpace(trimmed[1:len(trimmed)-1]), ""
			continue
		}
		value := trimmed
		if line[0] != ' ' && line[0] != '\t' {
			i := strings.IndexAny(line, "=:")
			if i < 0 {
				continue
			}
			key, value = strings.ReplaceAll(strings.TrimSpace(line[:i]), "-", "_"), strings.TrimSpace(line[i+1:])
		}
		d.setupField(section, key, value, number)
	}
}

func (d *draft) setupField(section, key, value string, line int) {
	if value == "" {
		return
	}
	value, _, _ = strings.Cut(value, " #")
	switch section {
	case "metadata":
		switch key {
		case "name":
			d.Name = value
		case "version":
			d.Version = value
		case "description", "summary":
			d.Description = clean(value)
		}
	case "options":
		switch key {
		case "install_requires":
			if file, ok := strings.CutPrefix(value, "file:"); ok {
				d.include(d.Path, strings.TrimSpace(file), Runtime, line)
				return
			}
			d.setupRequirements(Runtime, value, line)
		case "tests_require":
			d.setupRequirements(Dev, value, line)
		case "setup_requires":
			d.setupRequirements(Build, value, line)
		}
	case "options.extras_require":
		d.setupRequirements(pythonGroup(key, Optional), value, line)
	}
}

func (d *draft) setupRequirements(group Group, list string, line int) {
	for requirement := range strings.SplitSeq(list, ";") {
		if pythonName(strings.TrimSpace(requirement)) == "" || strings.Contains(list, "python_version") || strings.Contains(list, "sys_platform") {
			requirement = list // a marker follows the semicolon, not another requirement
		}
		d.python(group, requirement, line)
		if requirement == list {
			return
		}
	}
}

// A setup.py with more lists than this, or longer ones, is none that a person wrote.
const (
	maxLists = 100
	maxItems = 4_000
)

// parseSetupPy takes what setup.py says in literals, without running it: the keyword arguments of setup() whose values are strings,
// lists of strings, or names that are assigned such a list.
func parseSetupPy(d *draft, text string) {
	tokens := pythonTokens(text)
	lists := map[string][]token{}
	for i := 0; i+2 < len(tokens) && len(lists) < maxLists; i++ {
		if tokens[i].kind == nameToken && tokens[i+1].text == "=" && (i == 0 || tokens[i-1].text != ".") {
			lists[tokens[i].text] = bracketed(tokens[i+2:])
		}
	}
	read := 0
	for i := 0; i+2 < len(tokens) && read < maxLists; i++ {
		if tokens[i].kind != nameToken || tokens[i+1].text != "=" {
			continue
		}
		if strings.Contains(tokens[i].text, "require") {
			read++
		}
		value := tokens[i+2]
		switch key := tokens[i].text; key {
		case "name":
			if d.Name == "" && value.kind == stringToken {
				d.Name = value.text
			}
		case "version":
			if d.Version == "" && value.kind == stringToken {
				d.Version = value.text
			}
		case "description":
			text := ""
			for _, t := range tokens[i+2:] { // adjacent literals are one
				if t.kind != stringToken || len(text) > 1000 {
					break
				}
				text += t.text
			}
			d.Description = cmp.Or(clean(text), d.Description)
		case "install_requires", "requires":
			d.setupList(Runtime, tokens[i+2:], lists)
		case "tests_require":
			d.setupList(Dev, tokens[i+2:], lists)
		case "setup_requires":
			d.setupList(Build, tokens[i+2:], lists)
		case "extras_require":
			d.setupExtras(tokens[i+2:], lists)
		case "rust_extensions":
			d.speaks("Rust", "setup.py rust_extensions")
		}
	}
	// requirements are often read from the file beside it: open("requirements.txt").
	for i, t := range tokens {
		if t.kind == stringToken && strings.HasSuffix(t.text, ".txt") && i > 1 && len(d.Includes) < 5 {
			if kind, ok := KindOf(t.text); ok && kind == Requirements {
				if file, ok := beside(d.Path, t.text); ok {
					if _, wrong := load(d.fsys, file); wrong == "" {
						d.include(d.Path, t.text, pythonGroup(t.text, Runtime), t.line)
					}
				}
			}
		}
	}
}

// setupList adds the strings of a list, or of the list that a name stands for.
func (d *draft) setupList(group Group, tokens []token, lists map[string][]token) {
	items := bracketed(tokens)
	if len(tokens) > 0 && tokens[0].kind == nameToken {
		items = lists[tokens[0].text]
	}
	for i, t := range items {
		if t.kind == stringToken && (i+1 == len(items) || items[i+1].text != ":") {
			for line := range strings.SplitSeq(t.text, "\n") {
				if name := pythonName(strings.TrimSpace(line)); name != "" && !strings.HasSuffix(name, ".txt") && !strings.HasSuffix(name, ".in") {
					d.pythonNamed(group, name, false)
				}
			}
		}
	}
}

// setupExtras adds the lists of a dict, the key saying what each is for.
func (d *draft) setupExtras(tokens []token, lists map[string][]token) {
	items := bracketed(tokens)
	if len(tokens) > 0 && tokens[0].kind == nameToken {
		items = lists[tokens[0].text]
	}
	extras := 0
	for i := 0; i+2 < len(items) && extras < maxLists; i++ {
		if items[i].kind == stringToken && items[i+1].text == ":" {
			extras++
			d.setupList(pythonGroup(items[i].text, Optional), items[i+2:], lists)
		}
	}
}

// bracketed are the tokens from an opening bracket to the one that closes it; none when there is no bracket.
func bracketed(tokens []token) []token {
	depth := 0
	for i, t := range tokens[:min(len(tokens), maxItems)] {
		if t.kind != punctToken {
			if depth == 0 {
				return nil
			}
			continue
		}
		switch t.text {
		case "[", "(", "{":
			depth++
		case "]", ")", "}":
			if depth--; depth == 0 {
				return tokens[:i+1]
			}
		}
		if depth == 0 {
			return nil
		}
	}
	return nil
}
