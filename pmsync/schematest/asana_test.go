package schematest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakeasana"
)

// TestAsana runs the conformance checks of Asana, and validates each request and
// each answer against Asana's description.
func TestAsana(t *testing.T) {
	anyDateTime()
	api := loadOpenAPI(t, spec(t, "asana", "asana_oas.yaml"), asanaOverlay)
	api.prefix = fakeasana.Path
	api.also = func(t *testing.T, op string, e conformance.Exchange) {
		api.described(t, e)
		asanaNulls(t, op, e.RequestBody)
		if op == "searchTasksForWorkspace" {
			t.Error("the search is sent, which only paid plans have")
		}
		if e.Status == 412 && json.Valid(e.Body) && !strings.Contains(string(e.Body), `"sync"`) {
			t.Errorf("an event stream that begins anew says not where: %s", e.Body)
		}
	}
	h := conformance.Asana()
	h.Observe = api.observe
	conformance.Run(t, h)

	t.Run("what the checks do not reach", func(t *testing.T) { asanaRest(h.Begin(t)) })
	api.called(t, "getUser", "getWorkspaces", "getProjectsForWorkspace", "getProject", "getSectionsForProject", "getCustomFieldSettingsForProject",
		"getTasks", "getTask", "updateTask", "createTask", "getSubtasksForTask", "createStoryForTask", "getStoriesForTask", "addTagForTask",
		"removeTagForTask", "addTaskForSection", "getEvents", "createBatchRequest", "getCustomTypes", "getTagsForWorkspace", "createTagForWorkspace",
		"typeaheadForWorkspace", "getTasksForSection", "getTaskForCustomID")
}

// asanaRest sends the requests of rarer ways: a section with another name, a new
// tag, a custom type, a number of the project.
func asanaRest(r *conformance.Tracker) {
	t, world := r.T, r.World.(*fakeasana.Server)
	ctx := t.Context()
	s := conformance.NewStore()
	incident := world.AddIncident("Down")
	r.MustPull(s)
	world.Rename("Doing", "In progress")
	r.MustPull(s)
	if _, err := r.Provider.Update(ctx, r.Item(incident), provider.Change{Status: &provider.Target{Category: provider.Done}, AddLabels: []string{"made here"}}); err != nil {
		t.Error(err)
	}
	if _, err := r.Provider.Item(ctx, "SEM-12"); !provider.Is(err, provider.NotFound) {
		t.Errorf("a number that there is not: %v", err)
	}
}

// asanaOverlay is what the description says otherwise than the service does.
func asanaOverlay(doc *openapi3.T) {
	// A list that is asked for fields holds whole objects, not the compact ones that
	// are described for lists.
	full := map[string]string{"TaskCompact": "TaskResponse", "StoryCompact": "StoryResponse", "TagCompact": "TagResponse",
		"SectionCompact": "SectionResponse", "ProjectCompact": "ProjectResponse", "AttachmentCompact": "AttachmentResponse"}
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			for _, answer := range op.Responses.Map() {
				content := answer.Value.Content.Get("application/json")
				if content == nil || content.Schema == nil {
					continue
				}
				data := content.Schema.Value.Properties["data"]
				if data == nil {
					continue
				}
				// Whatever is good comes under data; the description forgets to
				// require it.
				content.Schema.Value.Required = []string{"data"}
				if items := data.Value.Items; items != nil {
					if name := full[strings.TrimPrefix(items.Ref, "#/components/schemas/")]; name != "" {
						data.Value.Items = doc.Components.Schemas[name]
					}
				}
			}
			// The same holds for what is sent: a bare body passes, and is ignored by
			// the service.
			if op.RequestBody != nil {
				if content := op.RequestBody.Value.Content.Get("application/json"); content != nil && content.Schema.Value.Properties["data"] != nil {
					content.Schema.Value.Required = []string{"data"}
				}
			}
		}
	}
	schemas := doc.Components.Schemas
	seen := map[*openapi3.Schema]bool{}
	for _, s := range schemas {
		orNull(s, seen)
	}
	// An event that is not about a place has no parent, and says so with null.
	for _, part := range append(schemas["EventResponse"].Value.AllOf, schemas["EventResponse"]) {
		if parent := part.Value.Properties["parent"]; parent != nil {
			part.Value.Properties["parent"] = eitherNull(parent.Value).NewRef()
		}
	}
	// A task is put below none by null, as the words of the description say and its
	// type does not.
	schemas["TaskSetParentRequest"].Value.Properties["parent"].Value.Nullable = true
	// An option of a custom field is taken away by null, which the description of
	// the values, all of them texts, does not allow.
	for _, part := range schemas["TaskRequestBase"].Value.AllOf {
		if f := part.Value.Properties["custom_fields"]; f != nil {
			f.Value.AdditionalProperties.Schema.Value.Nullable = true
		}
	}
}

// orNull lets null pass where a part of an object says that it may be: the
// description writes that beside a reference, where it has no effect.
func orNull(s *openapi3.SchemaRef, seen map[*openapi3.Schema]bool) {
	if s == nil || s.Value == nil || seen[s.Value] {
		return
	}
	seen[s.Value] = true
	nullable := false
	for _, part := range s.Value.AllOf {
		nullable = nullable || part.Value.Nullable
		orNull(part, seen)
	}
	for _, p := range s.Value.Properties {
		orNull(p, seen)
	}
	orNull(s.Value.Items, seen)
	if nullable && s.Ref == "" {
		s.Value = eitherNull(s.Value)
	}
}

func eitherNull(s *openapi3.Schema) *openapi3.Schema {
	whole, null := *s, &openapi3.Schema{Nullable: true, Enum: []any{nil}}
	return &openapi3.Schema{Nullable: true, AnyOf: openapi3.SchemaRefs{whole.NewRef(), null.NewRef()}}
}

// asanaNulls fails when a null is sent for anything but an assignee, a parent or an
// option that is taken away: Asana takes a null for "clear this field".
func asanaNulls(t *testing.T, op string, body []byte) {
	var sent struct{ Data map[string]any }
	if json.Unmarshal(body, &sent) != nil {
		return
	}
	for name, value := range sent.Data {
		if value == nil && name != "assignee" && (name != "parent" || op != "setParentForTask") {
			t.Errorf("%s sends null for %s", op, name)
		}
	}
}
