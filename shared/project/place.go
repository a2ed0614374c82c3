package project

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Place is where a call works, as named by its caller: a project by id or name, or the project of a folder. It is found outside
// transactions, because that reads folders, and turned into a row inside one.
type Place struct {
	Named string    // an id or a name; "" when At says it
	At    *Identity // the folder's project
}

// Locate reads the place that a caller named. "" is the project of the folder dir. A path (absolute, or relative to dir and beginning with
// a dot) is the project of that folder. Anything else is an id or a name. Without both it is a Validation fault.
func Locate(given, dir string) (Place, error) {
	folder := dir
	switch {
	case given == "." || given == ".." || strings.HasPrefix(given, "./") || strings.HasPrefix(given, "../"):
		folder = filepath.Join(dir, given)
	case filepath.IsAbs(given):
		folder = given
	case given != "":
		name, err := text.Name("project", given)
		return Place{Named: name}, err
	}
	if folder == "" {
		return Place{}, fault.Validation("project", "no project is named").WithHint("name one by its id, its name, or an absolute path")
	}
	id, err := Identify(folder)
	if err != nil {
		if f := fault.From(err); f.Kind == fault.KindValidation && given != "" {
			return Place{}, fault.Validation("project", "%s", f.Message).WithHint("name a folder that exists, or a project by its id or name")
		}
		return Place{}, err
	}
	return Place{At: &id}, nil
}

// Find returns the project without making one: a NotFound fault when there is none.
func (p Place) Find(tx *registry.Tx) (Project, error) {
	if p.At == nil {
		return Get(tx, p.Named)
	}
	found, err := At(tx, *p.At)
	if registry.NoRows(err) {
		f := fault.NotFound("project", p.At.Name).WithHint("nothing is kept for this folder yet")
		if was, ok, err := Former(tx, *p.At); err != nil || ok {
			return Project{}, cmp.Or(err, error(f.WithHint("%s", was.Moved())))
		}
		return Project{}, f
	}
	return found, err
}

// Ensure returns the project and names it to the transaction. The project of a folder is made when it is new.
func (p Place) Ensure(tx *registry.Tx) (Project, error) {
	if p.At != nil {
		return Ensure(tx, *p.At)
	}
	found, err := Get(tx, p.Named)
	if err == nil {
		err = tx.In(found.ID)
	}
	return found, err
}
