package schematest

import (
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
)

// TestGitHub runs the conformance checks of GitHub, and validates each request and each
// answer against GitHub's description.
func TestGitHub(t *testing.T) {
	anyDateTime()
	api := loadOpenAPI(t, spec(t, "github", "issues.json"), func(*openapi3.T) {})
	api.also = func(t *testing.T, _ string, e conformance.Exchange) { api.described(t, e) }
	h := conformance.GitHub()
	h.Observe = api.observe
	conformance.Run(t, h)

	t.Run("what the checks do not reach", func(t *testing.T) { githubRest(h.Begin(t)) })
	api.called(t, "repos/get", "issues/list-for-repo", "issues/create", "issues/get", "issues/update", "issues/add-assignees", "issues/remove-assignees",
		"issues/list-comments", "issues/create-comment", "issues/list-dependencies-blocked-by", "issues/list-dependencies-blocking", "issues/add-labels",
		"issues/remove-label", "issues/add-sub-issue", "issues/list-assignees", "issues/list-labels-for-repo", "issues/list-milestones", "users/get-authenticated",
		"repos/list-for-authenticated-user")
}

// githubRest sends the requests of rarer ways: an issue below another one, of a type, with
// a state; another reason for being closed.
func githubRest(r *conformance.Tracker) {
	t, ctx := r.T, r.T.Context()
	parent := r.World.Add(providertest.Spec{Title: "An epic", Type: provider.TypeEpic})
	made, err := r.Provider.(provider.Creator).Create(ctx, provider.NewItem{Key: provider.UUID("child"), Title: "A child", Parent: parent, NativeType: "Bug",
		Status: &provider.Target{Category: provider.Done}})
	if err != nil || made.Parent == nil || made.Parent.ID != parent || made.NativeType != "Bug" || made.Status.Name != "Completed" {
		t.Errorf("made %+v, %v", made, err)
	}
	r.Clock.Advance(time.Minute)
	if now, err := r.Provider.Update(ctx, made, provider.Change{Status: &provider.Target{Name: "Not planned"}}); err != nil || now.Status.Category != provider.Canceled {
		t.Errorf("closed for another reason: %+v, %v", now, err)
	}
}
