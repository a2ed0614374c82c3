package framework

import (
	"path"
	"slices"
	"strings"
)

// fromFiles matches the files of the project, in the ecosystems of its language and of its manifests.
func (d *detection) fromFiles() {
	ecosystems := slices.Clone(d.main)
	for _, m := range d.Manifests {
		if !slices.Contains(ecosystems, m.Ecosystem) {
			ecosystems = append(ecosystems, m.Ecosystem)
		}
	}
	rules := fileRules()
	for _, file := range d.Files {
		base := file[strings.LastIndexByte(file, '/')+1:]
		candidates := rules[base]
		if candidates == nil {
			if dot := strings.LastIndexByte(base, '.'); dot > 0 {
				candidates = rules["*"+base[dot:]]
			}
		}
		for _, c := range candidates {
			eco := d.rows[c.row].eco
			if !slices.Contains(ecosystems, eco) {
				continue
			}
			dir, ok := c.under(file)
			if !ok || c.beside != "" && !d.has(dir, c.beside) || c.word != "" && !d.contains(file, c.word) {
				continue
			}
			worth := 65
			if c.sure {
				worth = 101 // a dependency may be only for trying things
			}
			d.add(c.row, eco, worth, dir, "file "+file)
			if m := d.found[c.row]; m != nil && !(d.matter && Beside(dir)) && (m.Kind < Library || dir == ".") {
				m.sure = true
			}
		}
	}
}

// has reports whether a file, or any file of a folder that ends in a slash, is in dir; few rules need it.
func (d *detection) has(dir, beside string) bool {
	place := path.Join(dir, beside)
	if strings.HasSuffix(beside, "/") {
		return slices.ContainsFunc(d.Files, func(file string) bool { return strings.HasPrefix(file, place+"/") })
	}
	return slices.Contains(d.Files, place)
}

// maxAsked bounds how many files are searched for a word.
const maxAsked = 200

// contains searches a file for a word; few files of a project need it.
func (d *detection) contains(file, word string) bool {
	if d.asked++; d.asked > maxAsked || d.Read == nil {
		return false
	}
	return strings.Contains(string(d.Read(file)), word)
}
