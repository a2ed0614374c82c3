package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
)

// file is one file of this run, which is first changed in memory.
type file struct {
	path    string // as the recipe names it
	place   string // its path with links resolved
	before  string
	text    string
	exists  bool
	gone    bool // it is to be removed
	written bool
	dirty   bool       // its record changed
	blind   bool       // something without a record was taken out
	around  [][]string // the containers around what was taken out
	mode    fs.FileMode
	rec     *record
	old     *record // as it was read
	err     error   // why it is left alone
}

func (f *file) changed() bool { return f.text != f.before || f.gone || f.text != "" && !f.exists }

// absent reports whether the file cannot be used because its path does not exist.
func (f *file) absent() bool { return errors.Is(f.err, fs.ErrNotExist) }

// open reads a file once.
func (s *Setup) open(path string) *file {
	if f := s.files[path]; f != nil {
		return f
	}
	f := &file{path: path, place: path, mode: 0o644}
	s.files[path] = f
	s.order = append(s.order, f)
	if s.Options.Scope == User {
		f.mode = 0o600
	}
	if f.place, f.err = s.follow(path); f.err != nil {
		return f
	}
	for _, other := range s.order { // two names of one file
		if other != f && other.place == f.place {
			s.files[path] = other
			s.order = slices.DeleteFunc(s.order, func(o *file) bool { return o == f })
			return other
		}
	}
	if s.Options.Fresh {
		return f
	}
	f.rec, f.old = s.records.Files[f.place], s.records.Files[f.place].clone()
	info, err := os.Stat(f.place)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.rec = nil // the entries were deleted with the file
		return f
	case err != nil:
		f.err = fault.Operation(err, "read %q", path)
		return f
	case !info.Mode().IsRegular():
		f.err = fault.Conflict("file", path, "%q is not a regular file", path)
		return f
	case info.Size() > edit.MaxBytes:
		f.err = fault.Conflict("file", path, "%q is larger than %d MB", path, edit.MaxBytes>>20)
		return f
	}
	text, err := os.ReadFile(f.place)
	if err != nil {
		f.err = fault.Operation(err, "read %q", path)
		return f
	}
	f.exists, f.mode, f.before, f.text = true, info.Mode().Perm(), string(text), string(text)
	return f
}

// entryOf returns the record of an item, or nil.
func (r *record) entryOf(id string) *entry {
	if r == nil {
		return nil
	}
	for i := range r.Entries {
		if r.Entries[i].ID == id {
			return &r.Entries[i]
		}
	}
	return nil
}

// remember records what was written for an item, and into which container.
func (f *file) remember(id, sum, in string, added edit.Added) {
	if f.rec == nil {
		f.rec = &record{Made: !f.exists, Folders: newFolders(f.place)}
		if strings.TrimSpace(strings.TrimPrefix(f.before, "\ufeff")) == "" || strings.HasPrefix(filepath.Ext(f.path), ".json") && edit.Blank(f.before) {
			f.rec.Whole, f.rec.Blank = true, f.before
		}
	}
	f.dirty = true
	if len(added.Made) > 0 {
		f.rec.Containers = append(f.rec.Containers, added)
		added = edit.Added{}
	}
	f.rec.Entries = slices.DeleteFunc(f.rec.Entries, func(e entry) bool { return e.ID == id })
	f.rec.Entries = append(f.rec.Entries, entry{ID: id, Sum: sum, In: in, Added: added})
}

// cut sets the file's text after something was taken out of it.
func (f *file) cut(text string) {
	f.text = text
	if f.rec == nil {
		f.rec, f.blind = &record{}, true
	}
}

// forget drops the record of an item that was taken out. Its data about the container goes to an item that stays there.
func (f *file) forget(id string) {
	e := f.rec.entryOf(id)
	if e == nil {
		return
	}
	f.dirty = true
	gone := *e
	f.rec.Entries = slices.DeleteFunc(f.rec.Entries, func(o entry) bool { return o.ID == id })
	for i := range f.rec.Entries {
		if o := &f.rec.Entries[i]; o.In == gone.In && o.In != "" && len(o.Keys)+len(gone.Keys) == 0 {
			gone.Bequeath(&o.Added)
			return
		}
	}
}

// write replaces the file, if it still has the content that was read.
func (f *file) write() error {
	now, err := os.ReadFile(f.place)
	if errors.Is(err, fs.ErrNotExist) && !f.exists {
		err = nil
	}
	if err != nil {
		return fault.Operation(err, "read %q again", f.path)
	}
	if string(now) != f.before {
		return fault.Conflict("file", f.path, "%q was changed meanwhile by another program; it is left alone", f.path).WithHint("try again")
	}
	if f.gone {
		if err := durable.Remove(f.place); err != nil {
			return fault.Operation(err, "remove %q", f.path)
		}
		for _, folder := range slices.Backward(f.rec.Folders) {
			if durable.Remove(folder) != nil { // it is in use
				break
			}
		}
		f.written = true
		return nil
	}
	if err := durable.MkdirAll(filepath.Dir(f.place), 0o755); err != nil {
		return fault.Operation(err, "make the folder of %q", f.path)
	}
	if err := durable.WriteFile(f.place, []byte(f.text), f.mode); err != nil {
		return fault.Operation(err, "write %q", f.path).WithHint("check that the folder can be written to")
	}
	if !f.exists {
		durable.Adopt(f.place)
	}
	f.written = true
	return nil
}

// newFolders returns the folders above a path that do not exist yet, the outermost first.
func newFolders(path string) (folders []string) {
	for at := filepath.Dir(path); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); err == nil || filepath.Dir(at) == at {
			slices.Reverse(folders)
			return folders
		}
		folders = append(folders, at)
	}
}
