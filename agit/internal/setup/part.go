package setup

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
	"github.com/agit-suite/agit/shared/fault"
)

// part is one item's form in its file. Its methods change the file's text in memory and record their changes.
type part interface {
	// look returns the item's state, and the reason if it is not obvious.
	look(s *Setup, f *file) (State, string)
	// ours reports whether the existing item is as it was written, so that it may be replaced.
	ours(s *Setup, f *file, id string) bool
	// put makes the item current.
	put(s *Setup, f *file, id string) error
	// take takes the item out. When it may not, it returns the reason.
	take(s *Setup, f *file, id string) (gone bool, why string, err error)
}

// valueIn returns the value below the given names in a JSON or TOML file; false when there is none, or the file cannot be read.
func valueIn(path string, names ...string) (any, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	value, found, _ := get(string(text), filepath.Ext(path) == ".toml", names...)
	return value, found
}

// get returns the value below the given names in a text of JSON or TOML.
func get(text string, isTOML bool, names ...string) (any, bool, error) {
	if isTOML {
		doc, err := edit.ParseTOML(text)
		if err != nil {
			return nil, false, err
		}
		value, found := edit.GetTOML(doc, names...)
		return edit.Plain(value), found, nil
	}
	j, err := edit.ParseJSON(text)
	if err != nil {
		return nil, false, err
	}
	value, found := j.Get(names...)
	return value, found, nil
}

const forceTakes = "was edited by hand; --force takes it out too"

// program returns how a client starts a program of the suite: by name when the client has the shell's PATH, else by path.
func (s *Setup) program(r *recipe, name string) string {
	path := s.programs[name]
	switch {
	case path == "" || s.Options.Portable:
		return name
	case s.onPath[name] && !r.Desktop:
		return name
	case s.onPath[name]:
		return lookPath(name, s.Getenv("PATH")) // this path stays valid across upgrades; the real path may not
	}
	return path
}

// putJSON puts an entry into a file, or replaces the existing one.
func putJSON(f *file, id string, e edit.Entry, seeds edit.Object) error {
	text := f.text
	j, err := edit.ParseJSON(text)
	if err != nil {
		return fault.Conflict("file", f.path, "%s", unreadable(err))
	}
	if _, found := j.Find(e); found {
		if text, err = j.Take(e, addedOf(f, id)); err != nil {
			return err
		}
		f.forget(id)
	}
	if strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")) == "" {
		for _, seed := range seeds {
			if j, err = edit.ParseJSON(text); err != nil {
				return err
			}
			if text, _, err = j.Put(edit.Entry{Key: seed.Key, Value: seed.Value}); err != nil {
				return err
			}
		}
	}
	if j, err = edit.ParseJSON(text); err != nil {
		return err
	}
	text, added, err := j.Put(e)
	if err != nil {
		return err
	}
	f.text = text
	f.remember(id, sumOf(e.Value), strings.Join(e.Path, "\x00"), added)
	return nil
}

func takeJSON(f *file, e edit.Entry, added edit.Added) error {
	j, err := edit.ParseJSON(f.text)
	if err != nil {
		return err
	}
	text, err := j.Take(e, added)
	if err != nil {
		return err
	}
	f.cut(text)
	if f.blind {
		f.around = append(f.around, e.Path)
	}
	return nil
}

func unreadable(err error) string {
	if fault.Is(err, fault.KindValidation) { // it was read, and something in it is not as the client has it
		return "it is left alone: " + err.Error()
	}
	return "it cannot be read and is left alone: " + err.Error()
}
