package catalogue

import (
	"cmp"
	"context"
	"path"
	"path/filepath"

	"github.com/agit-suite/agit/classify/internal/inspect"
	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/classify/internal/similar"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// A Which identifies a profile: by a folder, or by a project's id or name.
type Which struct {
	Dir     string // absolute; preferred to Project when it has a profile
	Project string
	Package string // folder inside the project
}

// Get returns a stored profile. For a folder it is the nearest one at or above it in its project. An unknown profile is a NotFound fault.
func (c *Catalogue) Get(ctx context.Context, w Which) (p profile.Profile, err error) {
	if w.Dir != "" && w.Project != "" {
		p, err = c.Get(ctx, Which{Dir: w.Dir, Package: w.Package})
		if !fault.Is(err, fault.KindNotFound) {
			return p, err
		}
		named, other := c.Get(ctx, Which{Project: w.Project, Package: w.Package})
		if other == nil || w.Package != "" {
			return named, other // a folder here without a profile has the name of a project
		}
		return p, err
	}
	if w.Dir != "" && w.Package == "" {
		return c.at(ctx, w.Dir)
	}
	err = c.DB.Read(ctx, func(tx *registry.Tx) error {
		j, err := c.project(tx, &w)
		if err != nil {
			return err
		}
		p, err = profile.One(tx, j.ID, w.Package)
		if registry.NoRows(err) && w.Package != "" {
			return fault.NotFound("package", w.Package).WithHint("`classify show %s` lists the packages", j.UID)
		}
		if registry.NoRows(err) {
			return notProfiled("project", j.Name)
		}
		return err
	})
	return p, err
}

func notProfiled(kind, name string) error {
	f := fault.NotFound("profile", name)
	f.Message = kind + " " + quoted(name) + " has no profile"
	return f.WithHint("`classify init DIR` makes one")
}

func quoted(s string) string { return `"` + s + `"` }

// project finds the project. A name that no project has may be that of a profiled folder; then w gets its package.
func (c *Catalogue) project(tx *registry.Tx, w *Which) (project.Project, error) {
	if w.Dir == "" {
		j, err := project.Get(tx, w.Project)
		if !fault.Is(err, fault.KindNotFound) {
			return j, err
		}
		uid, pkg, called := profile.Called(tx, w.Project)
		if called != nil {
			return j, called
		}
		if uid == "" {
			return j, fault.NotFound("project", w.Project).WithHint("`classify list` or the tool search_projects names the known ones")
		}
		w.Package = cmp.Or(w.Package, pkg)
		return project.Get(tx, uid)
	}
	id, err := project.Identify(w.Dir)
	if err != nil {
		return project.Project{}, err
	}
	j, err := project.At(tx, id)
	if registry.NoRows(err) {
		return j, notProfiled("folder", w.Dir)
	}
	return j, err
}

func (c *Catalogue) at(ctx context.Context, dir string) (profile.Profile, error) {
	id, pkg, err := inspect.Place(dir)
	if err != nil {
		return profile.Profile{}, err
	}
	for {
		p, ok, err := c.Profiles.Known(ctx, id, pkg)
		if err != nil || ok {
			return p, err
		}
		if pkg == "" {
			return p, notProfiled("folder", dir)
		}
		if pkg = path.Dir(pkg); pkg == "." {
			pkg = ""
		}
	}
}

// Subject is Get for a comparison: a folder without a profile is profiled now, without storing anything.
func (c *Catalogue) Subject(ctx context.Context, w Which) (profile.Profile, error) {
	if w.Dir != "" {
		w.Project = "" // the folder counts, profiled or not
	}
	p, err := c.Get(ctx, w)
	if !fault.Is(err, fault.KindNotFound) || w.Dir == "" || w.Package != "" {
		return p, err
	}
	r, _, err := Look(ctx, w.Dir)
	return r.Profile, err
}

// Similar is a profile together with those of similar projects.
type Similar struct {
	Project  string          `json:"project"`
	Path     string          `json:"path"`
	Projects []similar.Match `json:"projects"`
}

// Similar finds the projects most like one.
func (c *Catalogue) Similar(ctx context.Context, w Which, o similar.Options) (Similar, error) {
	if o.Min < 0 || o.Min > 1 {
		return Similar{}, fault.Validation("min_score", "a score of %g cannot be reached", o.Min).WithHint("scores go from 0 to 1")
	}
	p, err := c.Subject(ctx, w)
	if err != nil {
		return Similar{}, err
	}
	matches, err := similar.Find(ctx, c.DB, &p, o)
	return Similar{Project: p.Project, Path: p.Path, Projects: matches}, err
}

// Abs makes a folder argument absolute against dir.
func Abs(dir, given string) string {
	if filepath.IsAbs(given) {
		return filepath.Clean(given)
	}
	return filepath.Join(dir, given)
}
