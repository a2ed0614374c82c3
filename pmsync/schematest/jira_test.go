package schematest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agit-suite/agit/pmsync/internal/provider/jira"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
)

// TestJira runs the conformance checks of Jira, and validates each request and
// each answer against Atlassian's descriptions.
func TestJira(t *testing.T) {
	anyDateTime()
	documents := documentFormat(t)
	platform := loadOpenAPI(t, spec(t, "jira", "platform-v3.json"), platformOverlay)
	software := loadOpenAPI(t, spec(t, "jira", "software.json"), softwareOverlay)
	platform.also = func(t *testing.T, op string, e conformance.Exchange) {
		switch op {
		case "addComment":
			documents.inside(t, op, e.RequestBody, "body")
			documents.inside(t, op, e.Body, "body")
		case "createIssue":
			documents.inside(t, op, e.RequestBody, "fields", "description")
		case "getIssue":
			documents.inside(t, op, e.Body, "fields", "description")
		case "editIssue":
			explicitFieldNulls(t, e.RequestBody)
		}
	}
	h := conformance.Jira()
	h.Observe = func(t *testing.T, e conformance.Exchange) {
		if strings.Contains(e.Request.URL.Path, "/rest/agile/") {
			software.observe(t, e)
		} else {
			platform.observe(t, e)
		}
	}
	conformance.Run(t, h)
	platform.called(t, "getCurrentUser", "getProject", "searchProjects", "getAllStatuses", "getFields", "searchAndReconsileIssuesUsingJqlPost",
		"getIssue", "editIssue", "assignIssue", "getTransitions", "doTransition", "getEditIssueMeta", "addComment", "getComments", "getCommentsByIds",
		"createIssue", "getCreateIssueMetaIssueTypes", "getCreateIssueMetaIssueTypeId", "bulkFetchIssues", "getProjectVersionsPaginated", "getVersion",
		"findAssignableUsers")
	software.called(t, "getAllBoards", "getAllSprints")
}

// platformOverlay is what the description says otherwise than the service does.
func platformOverlay(doc *openapi3.T) {
	schemas := doc.Components.Schemas
	// An issue is unassigned by an account id that is null; the description forgets
	// that it may be.
	schemas["User"].Value.Properties["accountId"].Value.Nullable = true
	// A field is cleared by null.
	schemas["IssueUpdateDetails"].Value.Properties["fields"].Value.AdditionalProperties.Schema.Value.Nullable = true
	// A link stands on one side of two issues; the description asks for both.
	schemas["IssueLink"].Value.Required = nil
	// The fields of an issue are described as anything. Those that every site has
	// are described elsewhere, and a field of an issue that has no value is null.
	fields := openapi3.NewObjectSchema()
	fields.Properties = openapi3.Schemas{}
	for name, of := range map[string]string{"status": "StatusDetails", "priority": "Priority", "assignee": "UserDetails", "creator": "UserDetails",
		"issuetype": "IssueTypeDetails", "project": "ProjectDetails", "parent": "LinkedIssue", "resolution": "Resolution"} {
		s := openapi3.NewAllOfSchema()
		s.AllOf = openapi3.SchemaRefs{schemas[of]}
		s.Nullable = true
		fields.Properties[name] = s.NewRef()
	}
	list := func(of *openapi3.SchemaRef) *openapi3.SchemaRef {
		s := openapi3.NewArraySchema()
		s.Items = of
		return s.NewRef()
	}
	fields.Properties["issuelinks"] = list(schemas["IssueLink"])
	fields.Properties["fixVersions"] = list(schemas["Version"])
	fields.Properties["labels"] = list(openapi3.NewStringSchema().NewRef())
	fields.Properties["summary"] = openapi3.NewStringSchema().NewRef()
	fields.Properties["created"] = openapi3.NewStringSchema().WithFormat("date-time").NewRef()
	fields.Properties["updated"] = openapi3.NewStringSchema().WithFormat("date-time").NewRef()
	fields.Properties["duedate"] = openapi3.NewStringSchema().WithFormat("date").WithNullable().NewRef()
	schemas["IssueBean"].Value.Properties["fields"] = fields.NewRef()
}

// softwareOverlay adds to the list of sprints the schema that the description shows
// in its example only.
func softwareOverlay(doc *openapi3.T) {
	text, date, number := openapi3.NewStringSchema().NewRef(), openapi3.NewStringSchema().WithFormat("date-time").NewRef(), openapi3.NewIntegerSchema().NewRef()
	values := openapi3.NewArraySchema()
	values.Items = only(openapi3.Schemas{"id": number, "self": text, "state": openapi3.NewStringSchema().WithEnum("closed", "active", "future").NewRef(), "name": text,
		"startDate": date, "endDate": date, "completeDate": date, "originBoardId": number, "goal": text})
	list := only(openapi3.Schemas{"isLast": openapi3.NewBoolSchema().NewRef(), "maxResults": number, "startAt": number, "total": number, "values": values.NewRef()})
	answer := doc.Paths.Find("/rest/agile/1.0/board/{boardId}/sprint").Get.Responses.Status(200).Value
	answer.Content["application/json"].Schema = list
}

// explicitFieldNulls fails when a field is cleared unasked: the checks
// take no priority away.
func explicitFieldNulls(t *testing.T, body []byte) {
	var in struct{ Fields map[string]any }
	if json.Unmarshal(body, &in) != nil {
		return
	}
	for name, value := range in.Fields {
		if value == nil && !strings.HasPrefix(name, "customfield_") { // an estimate or a sprint that is taken away
			t.Errorf("null is sent for %s", name)
		}
	}
}

// adf is Atlassian's schema of its document format. The descriptions leave open
// what a text is, so that a plain string would pass.
type adf struct{ schema *jsonschema.Schema }

func documentFormat(t *testing.T) adf {
	t.Helper()
	text, err := jsonschema.UnmarshalJSON(bytes.NewReader(spec(t, "jira", "adf.schema.json")))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("adf.json", text); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("adf.json")
	if err != nil {
		t.Fatal(err)
	}
	return adf{s}
}

// inside validates the document that stands at the path, if there is one.
func (a adf) inside(t *testing.T, op string, body []byte, path ...string) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return
	}
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	if v == nil {
		return
	}
	if err := a.schema.Validate(v); err != nil {
		t.Errorf("a document of %s is not valid: %v", op, err)
	}
}

// TestDocuments validates what Markdown of many shapes becomes.
func TestDocuments(t *testing.T) {
	a := documentFormat(t)
	for _, markdown := range []string{
		"", "plain", "one\ntwo\n\nthree  \nfour", "# A\n\n###### B\n\nText", "- a\n- b\n  - c\n    1. d\n\n       e\n", "3. three\n4. four",
		"> quoted\n> > twice\n>\n> - list\n> # heading", "```go\nfmt.Println()\n```\n\n    indented\n", "```\n```", "---", "- # heading in a list\n- > quote in a list\n- ---\n-\n",
		"**bold *both*** ~~old~~ `code` [**link** `code`](https://example.com \"t\") <https://example.com> ![image](https://example.com/a.png) [rel](./x)",
		"<b>html</b>\n\n<div>\nblock\n</div>", "| a | b |\n|---|---|\n| 1 | 2 |", "- [ ] open\n- [x] done", "\x00 nul & <angle> ünïcode 🎉", "1) a\n\n   ```\n   code\n   ```\n",
		"**a** **b**", "*a `b` c*", "[`code`](mailto:a@example.com)",
	} {
		body, err := json.Marshal(map[string]any{"body": jira.Document(markdown)})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(markdown, func(t *testing.T) { a.inside(t, string(body), body, "body") })
	}
}

func FuzzDocument(f *testing.F) {
	f.Add("- a\n  > b\n\n```\nc\n```\n**d** `e` [f](https://g)")
	var a adf
	f.Fuzz(func(t *testing.T, markdown string) {
		if a.schema == nil {
			a = documentFormat(t)
		}
		body, err := json.Marshal(map[string]any{"body": jira.Document(markdown)})
		if err != nil {
			t.Fatal(err)
		}
		a.inside(t, string(body), body, "body")
	})
}
