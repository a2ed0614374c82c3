package output_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
)

func TestSections(t *testing.T) {
	want := []output.Entry{
		{Line: 2, Section: "epics", JSON: []byte(`{"id":"E"}`)},
		{Line: 4, Section: "tasks", JSON: []byte(`{"id":"A"}`)},
		{Line: 5, Section: "tasks", JSON: []byte(`{"id":"B"}`)},
	}
	for name, text := range map[string]string{
		"JSON":   "{\"epics\":\n [{\"id\":\"E\"}],\n \"tasks\": [\n  {\"id\":\"A\"},\n  {\"id\":\"B\"}]}",
		"YAML":   "epics:\n  - id: E\ntasks:\n  - id: A\n  - {id: B}\n",
		"NDJSON": "\n{\"epics\":[{\"id\":\"E\"}]}\n\n{\"tasks\":[{\"id\":\"A\"}]}\n{\"tasks\":[{\"id\":\"B\"}]}\n",
	} {
		got, err := output.ParseSections([]byte(text), "epics", "tasks")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
	for text, line := range map[string]string{
		"{\"a\":1}\n{": "line 2", "[\n1]": "line 2", "- a\n": "line 1", "a: [\n": "YAML", "7": "line 1", "{\"a\":1}\n3": "line 2",
	} {
		if _, err := output.ParseSections([]byte(text), "a"); !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), line) {
			t.Errorf("%q: %v, want %s", text, err, line)
		}
	}
}

func FuzzSections(f *testing.F) {
	for _, seed := range []string{`{"epics":[{"id":"E"}]}`, "tasks:\n- id: A", "{}\n{}", "[[]]", "a: &a [*a]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := output.ParseSections(data, "epics", "tasks")
		if err != nil && !fault.Is(err, fault.KindValidation) {
			t.Errorf("%v", err)
		}
		for _, e := range entries {
			if e.Line < 1 || len(e.JSON) == 0 {
				t.Errorf("%+v", e)
			}
		}
	})
}
