package uses

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// files finds new references to files that were removed or moved.
func (j *judge) files() error {
	var paths []string
	for _, file := range slices.Sorted(maps.Keys(j.from.removed)) {
		for i := range j.to.refs {
			r := &j.to.refs[i]
			if !r.leads(file) || strings.Contains(r.file.before.text, r.text) && !r.imported {
				continue
			}
			if paths == nil {
				all, err := j.tree.Paths()
				if err != nil {
					return err
				}
				paths = append(all, "")
			}
			if slices.ContainsFunc(paths, func(p string) bool { return p != "" && r.leads(p) }) || j.brings(r) {
				continue
			}
			f := Finding{Rule: MovedFile, Certain: true, Name: file, What: "file", To: j.from.removed[file], File: r.file.now.path, Line: int(r.line), OldFile: file, OldLine: 0}
			j.found = append(j.found, f)
		}
	}
	return nil
}

// brings reports whether the side that names a file has made or changed it itself.
func (j *judge) brings(r *ref) bool {
	for file, c := range j.to.files {
		if r.leads(file) && (c.now.text != "" || c.before.text == "") {
			return true
		}
	}
	return false
}

// dependencies finds new imports of packages that manifests no longer name.
func (j *judge) dependencies() error {
	for _, d := range j.from.dropped {
		if j.to.kept[d.key()] && j.to.addsDependency(d) || j.from.kept[d.key()] {
			continue
		}
		for i := range j.to.refs {
			r := &j.to.refs[i]
			if !d.covers(r.file.now.path) || !d.provides(r) || strings.Contains(r.file.before.text, r.text) {
				continue
			}
			other, err := j.otherManifest(d)
			if err != nil {
				return err
			}
			if other {
				break
			}
			j.found = append(j.found, Finding{Rule: Dropped, Certain: true, Name: d.name, What: "dependency", File: r.file.now.path, Line: int(r.line), OldFile: d.file, OldLine: int(d.line)})
			break
		}
	}
	return nil
}

// addsDependency reports whether the side itself adds a package to a manifest.
func (s *Side) addsDependency(d dependency) bool {
	for _, c := range s.files {
		for _, now := range dependencies(c.now.path, c.now.text) {
			if now.key() == d.key() && c.added.lines[now.line] {
				return true
			}
		}
	}
	return false
}

// otherManifest reports whether a manifest that was not changed names the package too.
func (j *judge) otherManifest(d dependency) (bool, error) {
	paths, err := j.tree.Paths()
	if err != nil {
		return false, err
	}
	for _, file := range paths {
		if path.Base(file) != path.Base(d.file) && path.Ext(file) != path.Ext(d.file) || j.from.files[file] != nil || !(dependency{file: file}).covers(d.file) {
			continue
		}
		text, err := j.tree.Text(file)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(dependencies(file, text), func(o dependency) bool { return o.key() == d.key() }) {
			return true, nil
		}
	}
	return false, nil
}
