package uses

import (
	"path"
	"slices"
	"strings"
)

// parameters finds new calls of definitions whose parameters changed.
func (j *judge) parameters() error {
	for _, r := range j.from.reshaped {
		k := key{r.file.now.lang.group, r.before.name}
		if len(j.to.news[k]) > 0 {
			continue
		}
		for _, u := range j.to.uses[k] {
			if u.args < 0 || u.imported || !means(&r.before, r.file.before, u) || !fits(r.before.params, u) || !r.breaks(u) {
				continue
			}
			unique, err := j.onlyOne(r, u)
			if err != nil {
				return err
			}
			if !unique {
				break
			}
			j.found = append(j.found, Finding{Rule: Parameters, Name: r.before.name, What: string(r.before.what), To: FormatParams(r.now.params), File: u.file.now.path, Line: int(u.line), OldFile: r.file.now.path, OldLine: int(r.now.line)})
		}
	}
	return nil
}

// tidy joins the tokens of a parameter as people write them.
var tidy = strings.NewReplacer(" . . . ", " ...", ". . . ", "...", " . ", ".", " :: ", "::", " : ", ": ", "* ", "*", "& ", "&", " < ", "<", " >", ">", "[ ] ", "[]", " [", "[", "[ ", "[", " ]", "]", "( ", "(", " )", ")", " ,", ",", " ?", "?")

// FormatParams returns a list of parameters in readable form.
func FormatParams(all []param) string {
	texts := make([]string, len(all))
	for i, p := range all {
		texts[i] = tidy.Replace(p.text)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// fits reports whether the number of arguments of a call matches the parameters.
func fits(params []param, u *use) bool {
	least, most := 0, len(params)
	for _, p := range params {
		if !p.optional {
			least++
		}
		if strings.Contains(p.text, "*") && p.optional || strings.Contains(p.text, ".") && strings.Contains(strings.ReplaceAll(p.text, " ", ""), "...") {
			most = 1 << 20
		}
	}
	return least <= u.args && u.args <= most
}

// breaks reports whether a call that was written for the old parameters fails with the new ones, or changes its meaning.
func (r *reshaped) breaks(u *use) bool {
	if !fits(r.now.params, u) {
		return true
	}
	lang := r.file.now.lang
	for _, given := range u.named {
		is := func(p param) bool { return p.name == given }
		if slices.ContainsFunc(r.before.params, is) && !slices.ContainsFunc(r.now.params, is) && lang.named {
			return true
		}
	}
	if lang.overloads && lang.group == "js" && !lang.typed && len(r.before.params) == 0 {
		return false
	}
	n := min(u.args, len(r.before.params), len(r.now.params))
	typesBefore, typesNow := types(lang, r.before.params), types(lang, r.now.params)
	if typesBefore != nil && typesNow != nil && !slices.Equal(typesBefore[:n], typesNow[:n]) {
		return true
	}
	// The same names in another order.
	var before, now []string
	for i := range n {
		before, now = append(before, r.before.params[i].name), append(now, r.now.params[i].name)
	}
	if slices.Equal(before, now) {
		return false
	}
	slices.Sort(before)
	slices.Sort(now)
	return slices.Equal(before, now)
}

// types returns the parameters without their names; nil for a language without written types.
func types(lang *language, params []param) []string {
	all := make([]string, len(params))
	switch lang.group {
	case "python", "ruby", "php", "shell", "lua", "perl", "elixir":
		return nil
	}
	for i := len(params) - 1; i >= 0; i-- {
		words := strings.Fields(params[i].text)
		switch {
		case lang.typed:
			if len(words) > 1 {
				words = words[:len(words)-1]
			}
			words = slices.DeleteFunc(words, func(w string) bool { return w == "final" || w == "const" })
		case lang.group == "go":
			if len(words) > 1 && words[0] != "[" && words[0] != "*" && words[1] != "." {
				words = words[1:]
			} else if len(words) == 1 && i+1 < len(params) && len(strings.Fields(params[i+1].text)) > 1 {
				words = []string{all[i+1]}
			}
		case lang.name == "JavaScript":
			return nil
		default:
			_, after, found := strings.Cut(params[i].text, ":")
			if !found {
				return nil
			}
			words = strings.Fields(after)
		}
		all[i] = strings.Join(words, " ")
	}
	return all
}

// onlyOne reports whether a call can mean no other definition of the name: none exists, or the call is beside this one.
func (j *judge) onlyOne(r *reshaped, u *use) (bool, error) {
	group := r.file.now.lang.group
	here := path.Dir(r.file.now.path)
	other := func(f *parsed) bool {
		return f.lang != nil && f.lang.group == group && slices.ContainsFunc(f.defs, func(d definition) bool {
			return d.name == r.before.name && !(f.path == r.file.now.path && d.scope == r.now.scope) && !(group == "c" && !d.called) &&
				!d.declared && (group != "go" || r.before.what == Method || d.scope == "" && path.Dir(f.path) == here)
		})
	}
	for _, c := range j.from.files {
		if other(c.now) {
			return false, nil
		}
	}
	if u.file.now.path == r.file.now.path && u.qualifier == "" && r.before.what == Function {
		return true, nil
	}
	holding, err := j.tree.Holding([]string{r.before.name})
	if err != nil {
		return false, err
	}
	for i, file := range holding[r.before.name] {
		if lang := languageOf(file); lang == nil || lang.group != group || group == "go" && r.before.what != Method && path.Dir(file) != here {
			continue
		}
		if i > 4*mostRead {
			return false, nil
		}
		text, err := j.tree.Text(file)
		if err != nil {
			return false, err
		}
		if other(parse(file, text)) {
			return false, nil
		}
	}
	return true, nil
}
