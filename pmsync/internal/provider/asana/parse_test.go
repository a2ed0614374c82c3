package asana

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// FuzzTask reads any JSON as a task: it is an item with an id and a state, or an
// error.
func FuzzTask(f *testing.F) {
	for _, text := range []string{
		`{"gid":"1","completed":false,"modified_at":"2026-01-02T03:04:05.678Z"}`,
		`{"gid":"1","completed":true,"modified_at":"2026-01-02T03:04:05Z","memberships":[{"project":{"gid":"9"},"section":null}],"tags":[{"name":"b"},{"name":"a"}]}`,
		`{"gid":"1","completed":false,"modified_at":"2026-01-02T03:04:05Z","resource_subtype":"custom","custom_type":null,"custom_type_status_option":{"gid":"3"}}`,
		`{"gid":"1","completed":true,"modified_at":"2026-01-02T03:04:05Z","resource_subtype":"approval","approval_status":"rejected","parent":{"gid":"2"}}`,
		`{"gid":"1","completed":false,"modified_at":"2026-01-02T03:04:05Z","custom_fields":[{"gid":"5","name":"Priority","enum_value":null},{"representation_type":"custom_id","display_value":"A-1"}]}`,
		`{"gid":1}`, `null`, `[]`, `{"modified_at":"yesterday"}`,
	} {
		f.Add([]byte(text))
	}
	c, err := New(Options{Token: "t", Project: "9", PriorityField: "Priority"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		task, err := parse(raw)
		_ = gid(raw)
		if err != nil {
			if !provider.Is(err, provider.Protocol) {
				t.Fatalf("%v", err)
			}
			return
		}
		item := c.item(task, raw)
		if item.RemoteID == "" || item.Key == "" || item.Version == "" || item.Status.Name == "" && task.Subtype != "custom" && len(task.Memberships) == 0 {
			t.Fatalf("%+v", item)
		}
		if _, err := json.Marshal(item.Status); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzMessage reads any body as an error and any header as an announcement.
func FuzzMessage(f *testing.F) {
	f.Add([]byte(`{"errors":[{"message":"m","phrase":"p"}]}`), "name=a,info=b,affected=true")
	f.Add([]byte(`{"errors":[{}]}`), "name=;;=,=")
	f.Add([]byte("\ufeff{}"), "")
	c, err := New(Options{Token: "t"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte, header string) {
		_ = message(body)
		c.notice(http.Header{"Asana-Change": {header}})
		if len(c.announced) > 200 {
			t.Fatal("announcements are kept without end")
		}
	})
}

// FuzzEvents reads any answers of the event stream.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(`[{"type":"task","action":"deleted","resource":{"gid":"1","resource_type":"task"}},{"action":"undeleted","resource":{"gid":"1","resource_type":"task"}}]`))
	f.Add([]byte(`[{"resource":{"gid":"4","resource_type":"section"},"action":"changed"}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var list []event
		if json.Unmarshal(raw, &list) != nil {
			return
		}
		all := &changed{deleted: map[string]bool{}, added: map[string]bool{}}
		for _, e := range list {
			all.take(e)
		}
		seen := map[string]bool{}
		for _, id := range all.tasks {
			if id == "" || seen[id] {
				t.Fatalf("tasks %q", all.tasks)
			}
			seen[id] = true
		}
	})
}
