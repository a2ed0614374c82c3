// Package catalogue is the common part of classify's commands and tools: it brings a folder's profile into the registry, finds it again,
// and compares it with others.
//
// It joins inspect (folders), profile (rows) and similar (scores), and decides when a profile is made anew. It prints nothing. A Catalogue
// is safe for concurrent use.
package catalogue

import (
	"context"
	"os"
	"time"

	"github.com/agit-suite/agit/classify/internal/agentsmd"
	"github.com/agit-suite/agit/classify/internal/inspect"
	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Catalogue is the collection of project profiles.
type Catalogue struct {
	DB       *registry.DB
	Profiles *profile.Store
}

// The outcomes of Init.
const (
	Created   = "created"
	Updated   = "updated"
	Unchanged = "unchanged" // no AGENTS.md, manifest, README or .gitattributes has changed
	NotStored = "not stored"
)

// InitOptions vary Init.
type InitOptions struct {
	Force         bool // make the profile anew even if nothing changed
	WriteAgentsMD bool // write it into the folder's AGENTS.md too
}

// Result is a profile and the outcome of Init.
type Result struct {
	profile.Profile
	Outcome  string `json:"outcome,omitempty"`  // "" where a profile was only read
	AgentsMD string `json:"agentsMd,omitempty"` // outcome of writing the block in AGENTS.md
}

// Init profiles a folder and its packages and stores the profiles, registering a new project. It does nothing when no AGENTS.md,
// manifest, README or .gitattributes changed since.
func (c *Catalogue) Init(ctx context.Context, dir string, o InitOptions) (Result, error) {
	f, err := inspect.Open(ctx, dir)
	if err != nil {
		return Result{}, err
	}
	defer f.Close()
	known, ok, err := c.Profiles.Known(ctx, f.Identity, f.Package)
	if err != nil {
		return Result{}, err
	}
	if ok && !o.Force && !o.WriteAgentsMD && known.InputHash == f.Hash && stands(known.Path, f.Path) {
		return Result{Profile: known, Outcome: Unchanged}, nil
	}
	f.IgnoreBlock = o.Force && o.WriteAgentsMD
	all, _ := f.Profiles()
	result := Result{Outcome: Updated}
	if o.WriteAgentsMD {
		p := all[0]
		if result.AgentsMD, err = agentsmd.WriteBlock(f.Dir, p.Language, p.Framework, p.Scope); err != nil {
			return Result{}, err
		}
		f.Rehash(all)
	}
	if ok && !o.Force && known.InputHash == f.Hash && stands(known.Path, f.Path) {
		result.Profile, result.Outcome = known, Unchanged
		return result, nil
	}
	all[0].Keywords = f.Keywords()
	stored, created, err := c.Profiles.Put(ctx, f.Identity, all)
	if created {
		result.Outcome = Created
	}
	result.Profile = stored
	return result, err
}

// stands reports whether the folder of a stored profile still exists: another clone of the project does not replace it.
func stands(stored, here string) bool {
	if stored == here {
		return true
	}
	_, err := os.Stat(stored)
	return err == nil
}

// Look makes a folder's profile without a registry, and returns the reasons for it.
func Look(ctx context.Context, dir string) (Result, inspect.Reasons, error) {
	f, err := inspect.Open(ctx, dir)
	if err != nil {
		return Result{}, inspect.Reasons{}, err
	}
	defer f.Close()
	all, reasons := f.Profiles()
	all[0].ClassifiedAt = timestamp.Of(time.Now())
	return Result{Profile: all[0], Outcome: NotStored}, reasons, nil
}
