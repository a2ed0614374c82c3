package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/agit-suite/agit/classify/internal/catalogue"
	"github.com/agit-suite/agit/classify/internal/language"
	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
	"github.com/agit-suite/agit/shared/timestamp"
)

type projectProfileInput struct {
	Project string `json:"project,omitempty" desc:"Id, name, or absolute path; default the session's" is:"name"`
	Package string `json:"package,omitempty" desc:"Folder of a monorepo's package" is:"name"`
	Full    bool   `json:"full,omitempty" desc:"Lists uncut"`
}

func addProjectProfile(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "project_profile", ReadOnly: true,
		Description: "What a profiled project is: language, framework, scope, dependencies, packages, and where each was found.",
	}, func(ctx context.Context, c *mcpkit.Call, in projectProfileInput) (profileOutput, error) {
		w, err := s.which(ctx, c, in.Project, in.Package)
		if err != nil {
			return profileOutput{}, err
		}
		p, err := s.stores.Catalogue.Get(ctx, w)
		if err != nil {
			return profileOutput{}, err
		}
		r := catalogue.Result{Profile: p}
		if in.Full {
			r.Origins = certain(r.Origins)
			return profileOutput{document: document{Result: r}}, nil
		}
		return profileOutput{document: brief(r)}, nil
	})
}

// Results are read by models, which pay for every byte.
const (
	mostDependencies = 40
	mostManifests    = 10
	mostPackages     = 20
	mostProblems     = 5
)

// counts are the full lengths of the cut lists.
type counts struct {
	Dependencies int `json:"dependencies"`
	Manifests    int `json:"manifests"`
	Packages     int `json:"packages"`
	Problems     int `json:"problems"`
}

// document is a profile as --json prints it, with long lists cut.
type document struct {
	catalogue.Result
	Counts   *counts          `json:"counts,omitempty"` // of the lists that are cut
	BookedOn *booking.Booking `json:"booked_on,omitempty"`
}

// profileOutput is the document whose schema names only the fields that a client may rely on; every conversation pays for each named field.
type profileOutput struct {
	Path         string         `json:"path"`
	Language     string         `json:"language"`
	Framework    string         `json:"framework"`
	Scope        string         `json:"scope"`
	Dependencies []string       `json:"dependencies"`
	ManifestType string         `json:"manifestType"`
	ClassifiedAt timestamp.Time `json:"classifiedAt"`
	AgentsmdHash string         `json:"agentsmdHash"`

	document document
}

// MarshalJSON returns the whole document.
func (p profileOutput) MarshalJSON() ([]byte, error) { return json.Marshal(p.document) }

// certain drops the possible origins of unknown fields: these are for people who call explain.
func certain(origins map[string]profile.Origin) map[string]profile.Origin {
	kept := make(map[string]profile.Origin, len(origins))
	for field, origin := range origins {
		if origin.Confidence != language.Low {
			kept[field] = origin
		}
	}
	return kept
}

// brief cuts the lists of a profile.
func brief(r catalogue.Result) document {
	n := counts{len(r.Dependencies), len(r.Manifests), len(r.Packages), len(r.Problems)}
	r.Origins = certain(r.Origins)
	out := document{Result: r}
	if n.Dependencies > mostDependencies || n.Manifests > mostManifests || n.Packages > mostPackages || n.Problems > mostProblems {
		out.Counts = &n
	}
	out.Dependencies = r.Dependencies[:min(n.Dependencies, mostDependencies)]
	out.Manifests = r.Manifests[:min(n.Manifests, mostManifests)]
	out.Packages = r.Packages[:min(n.Packages, mostPackages)]
	out.Problems = r.Problems[:min(n.Problems, mostProblems)]
	return out
}
