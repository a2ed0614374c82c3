package ticket

import (
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// importer is a project whose tickets come from files.
type importer struct {
	*site
	store *Store
	by    caller.Caller
}

func newImporter(t *testing.T) importer {
	s := newSite(t)
	return importer{s, &Store{DB: s.db, MaxQueued: 10}, caller.Caller{Place: project.Place{Named: "app"}}}
}

func (i importer) file(text string) Imported {
	i.t.Helper()
	done, err := i.store.Import(i.t.Context(), i.by, []byte(text), Import{})
	if err != nil {
		i.t.Fatal(err)
	}
	return done
}

func (i importer) get(key string) (t Ticket) {
	i.t.Helper()
	i.write(func(tx *registry.Tx) (err error) {
		t, err = Find(tx, i.id, "id", key)
		return err
	})
	return t
}

func (i importer) edit(key string, e Edit) {
	i.t.Helper()
	if _, err := i.store.Update(i.t.Context(), i.by, "id", key, e); err != nil {
		i.t.Fatal(err)
	}
}

func (i importer) is(what, got, want string) {
	i.t.Helper()
	if got != want {
		i.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func ptr[T any](v T) *T { return &v }

// A change made here since the last import stays, where the file holds the same value as before.
func TestASecondImportUndoesNothing(t *testing.T) {
	t.Parallel()
	i := newImporter(t)
	i.file("id,title,status,priority,assignee,labels,parent,blocked_by,due_date\nA-1,Frist,todo,low,kim,ui,A-2,A-3,2026-01-01\nA-2,Two,todo,,,,,,\nA-3,Three,todo,,,,,,\nA-4,Four,todo,,,,,,\n")
	i.edit("A-1", Edit{Status: ptr("in_progress"), Assignee: ptr("ann"), Labels: &[]string{"api"}, Parent: ptr("A-4"), DueDate: ptr("2026-02-02")})
	done := i.file("id,title,status,priority,assignee,labels,parent,blocked_by,due_date\nA-1,First,todo,high,kim,ui,A-2,,2026-01-01\n")
	if done.Updated != 1 {
		t.Errorf("%+v", done.Report)
	}
	one := i.get("A-1")
	i.is("the title that was mended", one.Title, "First")
	i.is("the priority that was raised", one.item.Priority.String(), "high")
	i.is("the status of here", one.Status, "in_progress")
	i.is("the assignee of here", one.Assignee, "ann")
	i.is("the labels of here", strings.Join(one.Labels, ","), "api")
	i.is("the parent of here", one.Parent, "A-4")
	i.is("the date of here", one.DueDate, "2026-02-02")
	if one.item.Holds != 0 {
		t.Errorf("it waits still, though the file took the blocker away")
	}
	i.file("id,title,status\nA-1,First,done\n")
	i.is("a status that the file changed", i.get("A-1").Status, "done")
	i.file("id,title\nA-1,The first\n")
	i.is("what the file does not say", i.get("A-1").Status+" "+i.get("A-1").Assignee, "done ann")
	i.file("id,title,assignee\nA-1,The first,\n")
	i.is("what the file empties after another file", i.get("A-1").Assignee, "ann")
}

func TestStands(t *testing.T) {
	t.Parallel()
	was := map[string]string{"title": "1", "status": "2", "labels": ""}
	for _, c := range []struct {
		was, now map[string]string
		keeps    bool
	}{
		{was, map[string]string{"status": "2"}, true},  // as before
		{was, map[string]string{"status": "3"}, false}, // another word
		{was, map[string]string{"status": ""}, false},  // emptied
		{was, map[string]string{}, true},               // not in the file
		{nil, map[string]string{"status": "2"}, false}, // no record of the last import
		{nil, map[string]string{"status": ""}, true},
	} {
		if got := slices.Contains(stands(c.was, c.now), "status"); got != c.keeps {
			t.Errorf("%v after %v: kept %v, want %v", c.now, c.was, got, c.keeps)
		}
	}
}

func TestAsanasFile(t *testing.T) {
	t.Parallel()
	i := newImporter(t)
	done := i.file(`Task ID,Completed At,Name,Section/Column,Parent task,Blocked By (Dependencies),Blocking (Dependencies)
11,2026-11-09,Choose a bank,To do,,,Open the account
12,,Open the account,To do,,"Choose a bank,Sign, seal and send",
13,,"Sign, seal and send",To do,,,Open the account
14,,Call the notary,To do,Open the account,Nobody knows,
15,,Twin,To do,,,
16,,Twin,To do,,,
17,,Last,To do,,Twin,
`)
	i.is("completed, wherever it stands", i.get("11").StatusCategory, Done)
	i.want("blocked by name", "12", "it waits for 13; it contains unfinished 14")
	i.is("the parent by name", i.get("14").Parent, "12")
	i.want("a blocker that is not here", "14", `it waits for Nobody knows, not here; it is part of something that waits: 12`)
	if told := strings.Join(done.Notes, "; "); !strings.Contains(told, `14 names "Nobody knows"`) || !strings.Contains(told, `several tickets have the title "Twin"`) {
		t.Errorf("told %s", told)
	}
}

func TestJirasFile(t *testing.T) {
	t.Parallel()
	i := newImporter(t)
	i.file("Summary,Issue key,Issue id,Issue Type,Status,Parent,Parent key,Inward issue link (Blocks),Outward issue link (Relates)\n" +
		"Checkout,S-1,10041,Story,To Do,,,,\nForm,S-2,10042,Sub-task,To Do,10041,S-1,,S-3\nMail,S-3,10043,Sub-task,To Do,10041,,S-2,\n")
	for _, key := range []string{"S-2", "S-3"} {
		i.is("the parent of "+key, i.get(key).Parent, "S-1")
	}
	i.want("an inward link", "S-3", "it waits for S-2")
}

// A value that an earlier file held and a later one lacked is remembered: when a file holds it again, the change made here stays.
func TestFilesOfFewerColumnsBetween(t *testing.T) {
	t.Parallel()
	i := newImporter(t)
	i.file("Key,Title,Status,Priority\nA-1,One,todo,high\n")
	i.edit("A-1", Edit{Status: ptr("done")})
	i.file("Key,Title\nA-1,One mended\n")
	i.file(`[{"key":"A-1","title":"One again","status":"todo","priority":"high"}]`)
	got := i.get("A-1")
	i.is("the title", got.Title, "One again")
	i.is("the status", got.Status, "done")
	i.file("Key,Title,Status\nA-1,One again,in progress\n")
	i.is("another status of the file", i.get("A-1").StatusCategory, InProgress)
}

func TestAzuresTargetDate(t *testing.T) {
	t.Parallel()
	i := newImporter(t)
	i.file("ID,Work Item Type,Title,State,Target Date,Due Date\n1,Task,A,To Do,03/04/2026,\n2,Task,B,To Do,23/04/2026,24/04/2026\n")
	i.is("where there is no due date", i.get("1").DueDate, "2026-04-03")
	i.is("beside a due date", i.get("2").DueDate, "2026-04-24")
}

func TestLinearsFile(t *testing.T) {
	t.Parallel()
	i := newImporter(t)
	done := i.file(`ID,Team,Title,Status,Project,Cycle Number,Cycle Name,Completed,Canceled,Archived,Due Date,Blocked by
E-7,Eng,Search,Backlog,Search,12,,,,,Wed May 13 2026 11:21:41 GMT+0000 (GMT+00:00),"E-8,E-9"
E-8,Eng,Index,Backlog,,12,Twelve,,,,,
E-9,Eng,Old idea,Backlog,,,,,,2026-10-07T18:01:06.123Z,,
E-10,Eng,Shipped,In production,,,,2026-02-07T18:01:06.123Z,,,,
E-11,Eng,Not wanted,Backlog,,,,,2026-02-07T18:01:06.123Z,,,
`)
	i.is("the cycle's number", i.get("E-7").Sprint, "Cycle 12")
	i.is("the cycle's name", i.get("E-8").Sprint, "Twelve")
	i.is("the project", i.get("E-7").EpicName, "Search")
	i.is("a date as JavaScript writes it", i.get("E-7").DueDate, "2026-05-13")
	i.is("completed in a status of its own", i.get("E-10").StatusCategory, Done)
	i.is("canceled", i.get("E-11").StatusCategory, Canceled)
	i.want("an archived one blocks nothing", "E-7", "it waits for E-8")
	if told := strings.Join(done.Notes, "; "); done.Created != 4 || !strings.Contains(told, "E-9 is archived and was left out") {
		t.Errorf("%d made, told %s", done.Created, told)
	}
	i.file("ID,Team,Title,Status,Cycle Number,Archived\nE-8,Eng,Index,Backlog,12,2026-10-07T18:01:06.123Z\n")
	i.want("one that is archived later", "E-7", "")
}

func TestAzuresFile(t *testing.T) {
	t.Parallel()
	i := newImporter(t)
	i.file("\ufeffID,Work Item Type,Title 1,Title 2,State,Assigned To,Effort,Iteration Path,Created Date\r\n" +
		"101,Epic,Big,,New,,,Web,03/04/2026 10:00:00\r\n102,User Story,,Small,Active,Ann Lee <ann@example.com>,\"2,5\",Web\\Sprint 1,23/04/2026 10:00:00\r\n103,User Story,Alone,,New,,,Web,03/04/2026\r\n")
	two := i.get("102")
	i.is("the title of a level", two.Title, "Small")
	i.is("the parent by its place", two.Parent, "101")
	i.is("the assignee", two.Assignee+" "+two.AssigneeName, "ann@example.com Ann Lee")
	i.is("a sprint", two.Sprint, "Sprint 1")
	i.is("the project is not a sprint", i.get("103").Sprint, "")
	i.is("no parent", i.get("103").Parent, "")
	i.is("the day first", i.get("103").CreatedAt.Format("2006-01-02"), "2026-04-03")
	if two.Estimate == nil || *two.Estimate != 2.5 {
		t.Errorf("estimate %v", two.Estimate)
	}
}

func TestGitHubsFile(t *testing.T) {
	t.Parallel()
	i := newImporter(t)
	i.file(`[{"id":"MDU6","number":12,"title":"Crash","state":"OPEN","assignees":[{"id":"M","login":"octolee","name":""}]},
		{"id":"MDU7","number":13,"title":"No","state":"CLOSED","stateReason":"NOT_PLANNED"},{"id":"MDU8","number":14,"title":"Yes","state":"CLOSED","stateReason":"COMPLETED"},
		{"id":"MDU9","number":15,"title":"Again","state":"OPEN","stateReason":"REOPENED"}]`)
	i.is("a person without a name", i.get("12").Assignee, "octolee")
	i.is("not planned", i.get("13").StatusCategory, Canceled)
	i.is("completed", i.get("14").StatusCategory, Done)
	i.is("opened again", i.get("15").StatusCategory, Todo)
}

func TestFilesOfSpreadsheets(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"CR alone":            "id,title\rA-1,one\rA-2,two\r",
		"sep":                 "sep=;\r\nid;title\r\nA-1;one\r\nA-2;two\r\n",
		"UTF-16":              "\xff\xfei\x00d\x00,\x00t\x00i\x00t\x00l\x00e\x00\n\x00A\x00-\x001\x00,\x00o\x00\n\x00A\x00-\x002\x00,\x00t\x00\n\x00",
		"UTF-16, other order": "\xfe\xff\x00i\x00d\x00,\x00t\x00i\x00t\x00l\x00e\x00\n\x00A\x00-\x001\x00,\x00o\x00\n\x00A\x00-\x002\x00,\x00t\x00\n",
	} {
		i := newImporter(t)
		if done := i.file(text); !slices.Equal(done.Tickets, []string{"A-1", "A-2"}) {
			t.Errorf("%s: %v", name, done.Tickets)
		}
	}
}

func TestDayFirst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dates        []string
		first, known bool
	}{
		{[]string{"03/04/2026", "23/04/2026"}, true, true},
		{[]string{"03/04/2026", "04/23/2026"}, false, true},
		{[]string{"03.04.2026"}, true, true},
		{[]string{"03/04/2026"}, false, false},
		{[]string{"04/04/2026"}, false, true}, // the same in either order
		{[]string{"2026-04-03"}, false, true},
		{nil, false, true},
	} {
		var all []record
		for _, d := range c.dates {
			all = append(all, record{fields: map[string][]string{"due": {d}}})
		}
		if first, known := dayFirst(all); first != c.first || known != c.known {
			t.Errorf("%v: %v, %v", c.dates, first, known)
		}
	}
}

// A key that stands twice in a file is refused, whether its ticket is here or not, and nothing is stored.
func TestAKeyThatStandsTwice(t *testing.T) {
	t.Parallel()
	i := newImporter(t)
	const twice = "id,title\nA-1,one\nA-2,two\na-1,three\n"
	for range 2 {
		_, err := i.store.Import(t.Context(), i.by, []byte(twice), Import{})
		if err == nil || !strings.Contains(err.Error(), `the key "a-1" stands twice, at ticket 1 and ticket 3`) {
			t.Errorf("%v", err)
		}
		i.file("id,title\nA-1,first\n")
	}
	i.is("the title", i.get("A-1").Title, "first")
}

// A description that was edited here and that the file has changed too is kept in the history, with a note.
func TestAReplacedDescriptionIsKept(t *testing.T) {
	t.Parallel()
	i := newImporter(t)
	const file = "id,title,description\nA-1,one,"
	for _, c := range []struct {
		edit, file string
		notes      int
	}{{"", "first", 0}, {"", "second", 0}, {"of here", "third", 1}, {"", "fourth", 0}, {"fifth", "fifth", 0}} {
		if c.edit != "" {
			i.edit("A-1", Edit{Description: ptr(c.edit)})
		}
		done := i.file(file + c.file + "\n")
		if len(done.Notes) != c.notes || c.notes > 0 && !strings.HasSuffix(done.Notes[0], `took the place of "of here"`) {
			t.Errorf("%s: %q", c.file, done.Notes)
		}
		i.is("the description", i.get("A-1").Description, c.file)
	}
	item := i.get("A-1").item.ID
	i.write(func(tx *registry.Tx) error {
		all, err := work.History(tx, item)
		at := slices.IndexFunc(all, func(e work.Event) bool { return e.Field == "description" })
		if at < 0 || all[at].Old != "of here" || all[at].New != "third" {
			t.Errorf("%+v", all)
		}
		return err
	})
}

// An edited description is kept too where the file first changes the title alone.
func TestADescriptionReplacedAfterItsTitle(t *testing.T) {
	t.Parallel()
	i := newImporter(t)
	i.file("id,title,description\nA-1,one,first\n")
	i.edit("A-1", Edit{Description: ptr("of here")})
	i.file("id,title,description\nA-1,uno,first\n")
	i.is("the description", i.get("A-1").Description, "of here")
	if done := i.file("id,title,description\nA-1,uno,second\n"); len(done.Notes) != 1 || !strings.HasSuffix(done.Notes[0], `took the place of "of here"`) {
		t.Errorf("%q", done.Notes)
	}
	if done := i.file("id,title,description\nA-1,uno,third\n"); len(done.Notes) != 0 {
		t.Errorf("again: %q", done.Notes)
	}
}
