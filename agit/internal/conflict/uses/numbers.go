package uses

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// numbered is a number or an address that an added line or file takes.
type numbered struct {
	what   string // migration, route, enum number, port
	domain string // where it must be unique
	value  string
	taker  string // what takes it; two of one name are the same thing
	file   string
	line   int32
	anchor int32 // the line of the base that it follows; -1 for a whole file
	sure   bool
}

var (
	migrationFile = text.Pattern{Expr: `^[Vv]?(\d{1,7})(?:__|[_.-])(.+)$`}
	migrationDir  = text.Pattern{Expr: `(?i)migrat|flyway|alembic|changelogs?(/|$)|schema/|(^|/)versions$`}
	routeForms    = []*text.Pattern{
		{Expr: `^\s*@(\w+)\.(route|get|post|put|delete|patch|head|websocket)\(\s*["'](/[^"']*)["'](.*)$`},
		{Expr: `\b(app|router|r|mux|http|e|g|group|server|api|routes)\.(get|post|put|delete|patch|GET|POST|PUT|DELETE|PATCH|Get|Post|Put|Delete|Patch|HandleFunc|Handle|route)\(\s*["'` + "`" + `]([^"'` + "`" + ` ]* ?/[^"'` + "`" + `]*)["'` + "`" + `]()`},
		{Expr: `^\s*@()(Get|Post|Put|Delete|Patch)Mapping\((?:value\s*=\s*)?["'](/[^"']*)["'](.*)$`},
		{Expr: `^\s*#\[()(get|post|put|delete|patch)\("(/[^"]*)"()`},
	}
	composePort = text.Pattern{Expr: `^\s*-\s*["']?(?:[\d.]+:)?(\d{2,5}):\d{2,5}(?:/\w+)?["']?\s*$`}
	settingPort = text.Pattern{Expr: `(?i)^\s*["']?(\w*port)["']?\s*[:=]\s*["']?(\d{4,5})["']?\s*,?\s*$`}
)

// findNumbers lists the numbers and addresses that a side's added files and lines take.
func (s *Side) findNumbers() {
	for _, file := range slices.Sorted(maps.Keys(s.files)) {
		c := s.files[file]
		if len(c.added.lines) == 0 {
			continue
		}
		s.migration(c)
		s.enumerated(c)
		code := c.now.lines()
		for i, line := range splitLines(c.now.text) {
			if n := int32(i + 1); c.added.lines[n] && len(line) < longLine && (c.now.lang == nil || code[n]) {
				s.routeOrPort(c, n, line)
			}
		}
	}
}

func (s *Side) migration(c *changed) {
	file := c.now.path
	dir, base := path.Split(file)
	m := migrationFile.Regexp().FindStringSubmatch(base)
	if m == nil || c.before.text != "" || !migrationDir.Regexp().MatchString(strings.TrimSuffix(dir, "/")) {
		return
	}
	s.numbers = append(s.numbers, numbered{what: "migration", domain: dir, value: strings.TrimLeft(m[1], "0"), taker: bareMigration(m[2]), file: file, line: 1, anchor: -1, sure: true})
}

// bareMigration returns a migration's name without its direction and extension.
func bareMigration(name string) string {
	name, _, _ = strings.Cut(name, ".")
	return name
}

// enumerated finds the numbers of constants in an enumeration.
func (s *Side) enumerated(c *changed) {
	f := c.now
	if f.lang == nil {
		return
	}
	d := &definer{parsed: f}
	take := func(at int, scope, value string) {
		t := d.tok(at)
		if c.added.lines[t.line] {
			s.numbers = append(s.numbers, numbered{"enum number", f.path + " " + scope, value, t.text, f.path, t.line, c.added.anchor[t.line], true})
		}
	}
	if f.lang.group == "proto" {
		var scopes []string
		for i, t := range f.tokens {
			switch {
			case d.is(i, "{"):
				scopes = append(scopes, d.tok(i-1).text)
			case d.is(i, "}") && len(scopes) > 0:
				scopes = scopes[:len(scopes)-1]
			case t.kind == name && d.is(i+1, "=") && d.tok(i+2).kind == number && (d.is(i+3, ";") || d.is(i+3, "[")):
				take(i, strings.Join(scopes, "."), d.tok(i+2).text)
			}
		}
		return
	}
	for i := range f.defs {
		def := &f.defs[i]
		if def.what != Constant {
			continue
		}
		switch {
		case f.lang.group == "go" && d.tok(def.at+1).kind == name && d.is(def.at+2, "=") && d.tok(def.at+3).kind == number && d.tok(def.at+4).line != def.line:
			take(def.at, d.tok(def.at+1).text, d.tok(def.at+3).text)
		case f.lang.group != "go" && def.scope != "" && d.is(def.at+1, "=") && d.tok(def.at+2).kind == number && f.enumeration(def.scope):
			take(def.at, def.scope, d.tok(def.at+2).text)
		}
	}
}

// enumeration reports whether a type is an enumeration, by its keyword or by its base type.
func (f *parsed) enumeration(scope string) bool {
	d := &definer{parsed: f}
	for i := range f.defs {
		def := &f.defs[i]
		if def.what != Type || join(def.scope, def.name) != scope {
			continue
		}
		if d.is(def.at-1, "enum") || d.is(def.at-2, "enum") || slices.ContainsFunc(def.params, func(p param) bool { return strings.Contains(p.text, "Enum") }) {
			return true
		}
	}
	return false
}

func (s *Side) routeOrPort(c *changed, line int32, text string) {
	file, anchor := c.now.path, c.added.anchor[line]
	if c.now.lang != nil {
		for _, form := range routeForms {
			if m := form.Regexp().FindStringSubmatch(text); m != nil {
				s.numbers = append(s.numbers, numbered{"route", file + " " + m[1], strings.TrimSpace(m[2] + " " + m[3] + strings.TrimRight(m[4], " ):")), "", file, line, anchor, true})
				return
			}
		}
		return
	}
	base := path.Base(file)
	if ext := path.Ext(base); strings.Contains(base, "compose") && (ext == ".yml" || ext == ".yaml") {
		if m := composePort.Regexp().FindStringSubmatch(text); m != nil {
			s.numbers = append(s.numbers, numbered{"port", file, m[1], "", file, line, anchor, true})
		}
		return
	}
	if m := settingPort.Regexp().FindStringSubmatch(text); m != nil && strings.Contains(" .yml .yaml .toml .json .ini .env .conf .properties ", " "+path.Ext(base)+" ") {
		s.numbers = append(s.numbers, numbered{"port", path.Dir(file), m[2], "", file, line, anchor, false})
	}
}
