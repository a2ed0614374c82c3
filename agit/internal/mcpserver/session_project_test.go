package mcpserver

import (
	"testing"

	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

// A project set as the agent registers is that of later calls that name none,
// in place of the folder's.
func TestASessionHasAProject(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"first", "second"} {
		w.must("pm_create_project", args{"id": id, "name": id}, nil)
		w.must("pm_create_epic", args{"epicId": "E-" + id, "projectId": id, "name": "x"}, nil)
		w.must("pm_create_task", args{"taskId": "T-" + id, "epicId": "E-" + id, "name": "x"}, nil)
	}
	var registered struct {
		BookedOn booking.Booking `json:"booked_on"`
	}
	w.must("agit_register_agent", args{"name": "ann", "type": "test", "project_id": "SECOND"}, &registered)
	if registered.BookedOn != (booking.Booking{Project: "second", Agent: "ann", New: true}) {
		t.Errorf("registered %+v", registered)
	}
	var status struct {
		ProjectID string `json:"projectId"`
	}
	w.must("pm_get_project_status", nil, &status)
	var next struct {
		TaskID string `json:"taskId"`
	}
	w.must("pm_get_next_task", nil, &next)
	var bug struct {
		BookedOn booking.Booking `json:"booked_on"`
	}
	w.must("pm_report_bug", args{"title": "x", "severity": "low"}, &bug)
	if status.ProjectID != "second" || next.TaskID != "T-second" || bug.BookedOn.Project != "second" {
		t.Errorf("status of %q, next %q, bug in %q", status.ProjectID, next.TaskID, bug.BookedOn.Project)
	}
	w.must("pm_get_next_task", args{"projectId": "first"}, &next)
	if next.TaskID != "T-first" {
		t.Errorf("the parameter gives %q", next.TaskID)
	}
	w.fails("agit_register_agent", args{"name": "bob", "type": "test", "project_id": "nowhere"})
	w.must("pm_get_project_status", nil, &status)
	if status.ProjectID != "second" {
		t.Errorf("a refused call set the project to %q", status.ProjectID)
	}
}
