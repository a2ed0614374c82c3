package manifest

import (
	"path"
	"strings"
)

// parseRequirements reads a pip requirements file, and the files it includes by -r, one level deep and inside the project.
func parseRequirements(d *draft, text string) {
	group := pythonGroup(strings.TrimSuffix(path.Base(d.Path), path.Ext(d.Path)), Runtime)
	d.requirementLines(text, group, d.Path, true)
}

// requirementLines reads requirements; from is the file of the text.
func (d *draft) requirementLines(text string, group Group, from string, follow bool) {
	number := 0
	next := ""
	for line := range strings.SplitSeq(text, "\n") {
		number++
		line = next + line
		if next = ""; strings.HasSuffix(line, `\`) && !strings.HasPrefix(strings.TrimSpace(line), "#") {
			if next = strings.TrimSuffix(line, `\`) + " "; len(next) < 4096 {
				continue
			}
			next = ""
		}
		if i := strings.Index(line, "#"); i == 0 || i > 0 && (line[i-1] == ' ' || line[i-1] == '\t') {
			line = line[:i]
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if line[0] == '-' {
			d.requirementOption(line, group, from, follow, number)
			continue
		}
		line, _, _ = strings.Cut(line, " --") // --hash=…, --config-settings
		switch {
		case strings.Contains(line, "#egg="), strings.Contains(upTo(line, " ;["), "://"):
			d.pythonURL(group, line)
		case strings.HasPrefix(line, ".") || strings.HasPrefix(line, "/") || isWheel(upTo(line, " ;[")):
			// A folder or an archive: its name is not known here.
		default:
			d.python(group, line, number)
		}
	}
}

func isWheel(s string) bool {
	return strings.HasSuffix(s, ".whl") || strings.HasSuffix(s, ".tar.gz") || strings.HasSuffix(s, ".zip")
}

func (d *draft) requirementOption(line string, group Group, from string, follow bool, number int) {
	option, value := line, ""
	if i := strings.IndexAny(line, " ="); i >= 0 {
		option, value = line[:i], strings.TrimSpace(line[i+1:])
	} else if strings.HasPrefix(line, "-r") || strings.HasPrefix(line, "-e") {
		option, value = line[:2], line[2:] // -rbase.txt
	}
	switch option {
	case "-r", "--requirement":
		if follow {
			d.include(from, value, group, number)
		}
	case "-e", "--editable":
		if strings.Contains(value, "://") || strings.Contains(value, "#egg=") {
			d.pythonURL(group, value)
		}
	}
}

// include reads the requirements of another file as this one's own.
func (d *draft) include(from, ref string, group Group, line int) {
	if len(d.Includes) >= 50 {
		return
	}
	if file, text, ok := d.part("includes", from, ref, line); ok {
		d.requirementLines(text, group, file, false)
	}
}

// pythonURL adds the package that a URL names by its fragment, else by its repository.
func (d *draft) pythonURL(group Group, url string) {
	if name, _, ok := strings.Cut(url, " @ "); ok && pythonName(name) == strings.TrimSpace(upTo(name, "[")) {
		d.pythonNamed(group, upTo(name, "["), false)
		return
	}
	if _, egg, ok := strings.Cut(url, "#egg="); ok {
		d.pythonNamed(group, pythonName(upTo(egg, "&[ ")), false)
		return
	}
	url = upTo(url, " ;#")
	if !strings.HasPrefix(url, "git+") && !strings.HasSuffix(url, ".git") {
		base := path.Base(url)
		if dash := strings.Index(base, "-"); isWheel(base) && dash > 0 {
			d.pythonNamed(group, pythonName(base[:dash]), false)
		}
		return
	}
	if i := strings.LastIndexByte(url, '@'); i > strings.LastIndexByte(url, '/') {
		url = url[:i] // the revision
	}
	d.pythonNamed(group, pythonName(strings.TrimSuffix(path.Base(url), ".git")), false)
}
