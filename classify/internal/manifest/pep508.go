package manifest

import "strings"

// python adds a requirement as PEP 508 writes it: name[extras] (range) ; marker, or name @ url. Anything else is not a requirement and
// is reported.
func (d *draft) python(group Group, requirement string, line int) {
	requirement = strings.TrimSpace(requirement)
	name := pythonName(requirement)
	if name == "" {
		if requirement != "" {
			d.problem(line, "has no package name in %q", shorten(requirement))
		}
		return
	}
	rest := strings.TrimSpace(requirement[len(name):])
	if strings.HasPrefix(rest, "[") {
		_, rest, _ = strings.Cut(rest, "]")
		rest = strings.TrimSpace(rest)
	}
	local := strings.HasPrefix(rest, "@") && strings.Contains(upTo(rest, ";"), "file:")
	d.pythonNamed(group, name, local)
}

// pythonNamed adds a package by its bare name, unless it is the interpreter.
func (d *draft) pythonNamed(group Group, name string, local bool) {
	name = pep503(name)
	if name != "" && name != "python" {
		d.add(Dependency{Name: name, Group: group, Local: local})
	}
}

// pythonName returns the name at the beginning of a requirement, "" when there is none, as before a URL or a path.
func pythonName(s string) string {
	end := 0
	for end < len(s) && (isWord(rune(s[end])) || s[end] == '-' || s[end] == '.') {
		end++
	}
	name := strings.TrimRight(s[:end], "-._")
	if name == "" || strings.ContainsAny(name[:1], "-._") {
		return ""
	}
	rest := strings.TrimLeft(s[len(name):], " \t")
	if rest != "" && strings.IndexByte("[(<>=!~;@,#", rest[0]) < 0 {
		return ""
	}
	return name
}

// pep503 returns the normal form of a Python package name: lower case, runs of -, _ and . as one -.
func pep503(name string) string {
	var b strings.Builder
	dash := false
	for _, c := range strings.ToLower(strings.TrimSpace(name)) {
		if c == '-' || c == '_' || c == '.' {
			dash = true
			continue
		}
		if dash && b.Len() > 0 {
			b.WriteByte('-')
		}
		dash = false
		b.WriteRune(c)
	}
	return b.String()
}

func shorten(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}

// pythonGroup returns the group for a file's or a table's name: everything for tests, documentation and linting is Dev.
func pythonGroup(name string, otherwise Group) Group {
	for word := range strings.FieldsFuncSeq(strings.ToLower(name), func(c rune) bool { return !('a' <= c && c <= 'z') }) {
		switch word {
		case "dev", "develop", "development", "test", "tests", "testing", "doc", "docs", "documentation", "lint", "linting", "typing", "ci",
			"build", "style", "quality", "local", "debug", "benchmark", "benchmarks", "bench", "format", "coverage", "precommit":
			return Dev
		}
	}
	return otherwise
}
