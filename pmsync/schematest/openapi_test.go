package schematest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
)

// openAPI holds exchanges against an OpenAPI description.
type openAPI struct {
	router routers.Router
	// prefix is what stands before the description's paths.
	prefix string
	// also checks what the description leaves open.
	also func(t *testing.T, op string, e conformance.Exchange)

	mu   sync.Mutex
	seen map[string]int
}

// loadOpenAPI reads a description and lets overlay mend it. The description is not
// validated itself: Atlassian's has a default outside its enum.
func loadOpenAPI(t *testing.T, text []byte, overlay func(*openapi3.T)) *openAPI {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	return newOpenAPI(t, doc, overlay)
}

func newOpenAPI(t *testing.T, doc *openapi3.T, overlay func(*openapi3.T)) *openAPI {
	t.Helper()
	doc.Servers = nil // the test's own server
	for _, item := range doc.Paths.Map() {
		item.Servers = nil
		for _, op := range item.Operations() {
			op.Servers = nil
		}
	}
	overlay(doc)
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return &openAPI{router: router, seen: map[string]int{}}
}

// observe validates a request, and the answer where it is one of the tracker's own:
// what the faults of the script put in its place does not count.
func (o *openAPI) observe(t *testing.T, e conformance.Exchange) {
	r := e.Request.Clone(context.Background())
	r.Body = io.NopCloser(bytes.NewReader(e.RequestBody))
	r.URL.Path = strings.TrimPrefix(r.URL.Path, o.prefix)
	r.URL.RawPath = strings.TrimPrefix(r.URL.RawPath, o.prefix)
	route, parameters, err := o.router.FindRoute(r)
	if err != nil {
		t.Errorf("%s %s is not in the description: %v", r.Method, r.URL, err)
		return
	}
	op := route.Operation.OperationID
	if op == "" {
		op = r.Method + " " + route.Path
	}
	o.mu.Lock()
	o.seen[op]++
	o.mu.Unlock()
	if route.Operation.Deprecated {
		t.Errorf("%s is deprecated", op)
	}
	known := map[string]bool{}
	for _, p := range append(append(openapi3.Parameters{}, route.PathItem.Parameters...), route.Operation.Parameters...) {
		if p.Value.In == "query" {
			known[p.Value.Name] = true
		}
	}
	for name := range r.URL.Query() { // the validator lets unknown ones pass
		if !known[name] {
			t.Errorf("%s has no query parameter %q", op, name)
		}
	}
	request := &openapi3filter.RequestValidationInput{Request: r, PathParams: parameters, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, SkipSettingDefaults: true, RejectWhenRequestBodyNotSpecified: true}}
	if err := openapi3filter.ValidateRequest(context.Background(), request); err != nil {
		t.Errorf("the request of %s is not valid: %v\n%s", op, brief(err), e.RequestBody)
	}
	if o.also != nil {
		o.also(t, op, e)
	}
	if e.Status >= 300 || !strings.Contains(e.Header.Get("Content-Type"), "json") || len(e.Body) > 0 && !json.Valid(e.Body) || len(e.Body) == 0 && e.Status != http.StatusNoContent {
		return
	}
	response := &openapi3filter.ResponseValidationInput{RequestValidationInput: request, Status: e.Status, Header: e.Header,
		Body: io.NopCloser(bytes.NewReader(e.Body)), Options: &openapi3filter.Options{IncludeResponseStatus: true}}
	if err := openapi3filter.ValidateResponse(context.Background(), response); err != nil {
		t.Errorf("the answer of %s is not valid: %v\n%.2000s", op, brief(err), e.Body)
	}
}

// brief cuts the schema out of an error, which prints it whole.
func brief(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\nSchema:")
	return text
}

// called fails for operations that were never sent.
func (o *openAPI) called(t *testing.T, operations ...string) {
	t.Helper()
	for _, op := range operations {
		if o.seen[op] == 0 {
			t.Errorf("the operation %s was never sent", op)
		}
	}
}

// anyDateTime accepts the times that trackers write: Jira's zones have no colon,
// which RFC 3339 asks for.
func anyDateTime() {
	openapi3.DefineStringFormatValidator("date-time", openapi3.NewCallbackValidator(func(text string) error {
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.000-0700"} {
			if _, err := time.Parse(layout, text); err == nil {
				return nil
			}
		}
		return fmt.Errorf("%q is not a time", text)
	}))
}

// only returns a schema of an object with these properties and no others.
func only(properties map[string]*openapi3.SchemaRef) *openapi3.SchemaRef {
	s := openapi3.NewObjectSchema()
	s.Properties = properties
	return s.WithoutAdditionalProperties().NewRef()
}
