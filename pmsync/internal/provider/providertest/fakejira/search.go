package fakejira

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

var (
	bySince = regexp.MustCompile(`^(updated|created) >= (\d+|"[^"]*")$`)
	byIs    = regexp.MustCompile(`^project = "([^"]*)"$`)
)

// query is what a JQL text asks for.
type query struct {
	project        *project
	since, created time.Time
	mine           bool // created by who asks
	down           bool // the newest first
}

// search is the search by JQL, as far as pmsync speaks it. It must be bounded,
// compares minutes, and answers ids alone when no fields are asked for.
func (w *site) search(in map[string]any) (int, any) {
	for name := range in {
		if !strings.Contains(" jql nextPageToken fields maxResults properties reconcileIssues expand fieldsByKeys ", " "+name+" ") {
			return 400, problem("Invalid request payload. Refer to the REST API documentation and try again.")
		}
	}
	jql, _ := in["jql"].(string)
	q, bad := w.parse(jql)
	if bad != nil {
		return 400, bad
	}
	from, skip, ok := w.begin(q, in, jql)
	if !ok {
		return 400, problem("The nextPageToken is invalid or has expired.")
	}
	return 200, w.found(q, in, from, skip)
}

// parse reads JQL; what it returns second is the refusal of what the server does not take.
func (w *site) parse(jql string) (q query, bad any) {
	where, order, _ := strings.Cut(jql, " ORDER BY ")
	q.down = strings.Contains(order, "DESC")
	for clause := range strings.SplitSeq(where, " AND ") {
		if m := byIs.FindStringSubmatch(clause); m != nil {
			if q.project = w.projectBy(m[1]); q.project == nil {
				return q, problem("The value '%s' does not exist for the field 'project'.", m[1])
			}
			continue
		}
		if clause == "creator = currentUser()" {
			q.mine = true
			continue
		}
		m := bySince.FindStringSubmatch(clause)
		if m == nil {
			return q, problem("Error in the JQL Query: %q is not understood.", clause)
		}
		at, err := w.moment(m[2])
		if err != nil {
			return q, problem("%v", err)
		}
		if m[1] == "updated" {
			q.since = at
		} else {
			q.created = at
		}
	}
	if q.project == nil && q.since.IsZero() && q.created.IsZero() {
		return q, problem("Unbounded JQL queries are not allowed here. Please add a search restriction to your query.")
	}
	return q, nil
}

// begin is where a page begins in the sorted list of issues, and how many hits before it are passed over. It is not ok when the
// token of the page is not one of this query.
func (w *site) begin(q query, in map[string]any, jql string) (from, skip int, ok bool) {
	list := w.sorted()
	if q.down {
		from = len(list) - 1
	} else if !q.since.IsZero() && w.o.Lag == 0 { // with a lag, the search may still show an older state
		from = sort.Search(len(list), func(i int) bool { return !list[i].updated.Before(q.since) })
	}
	token, _ := in["nextPageToken"].(string)
	if token == "" {
		return from, 0, true
	}
	if w.o.Offsets {
		skip, _ = strconv.Atoi(token)
		return from, skip, true
	}
	at, id, ok := readToken(token, jql)
	if !ok {
		return 0, 0, false
	}
	from = sort.Search(len(list), func(i int) bool {
		return list[i].updated.After(at) || list[i].updated.Equal(at) && list[i].id > id
	})
	if q.down {
		for from--; from >= 0 && (list[from].updated.After(at) || list[from].updated.Equal(at) && list[from].id >= id); from-- {
		}
	}
	return from, 0, true
}

// found is a page of what a query finds.
func (w *site) found(q query, in map[string]any, from, skip int) any {
	fields, properties := providertest.Strings(in["fields"]), providertest.Strings(in["properties"])
	jql, _ := in["jql"].(string)
	most, step := pageSize(in, fields), 1
	if q.down {
		step = -1
	}
	list := w.sorted()
	issues := []any{}
	out := map[string]any{"isLast": true}
	var last *issue
	passed := 0
	for i := from; i >= 0 && i < len(list); i += step {
		shown := w.visible(list[i])
		if shown == nil || !w.matches(q, shown) {
			continue
		}
		if skip > 0 {
			skip--
			passed++
			continue
		}
		if len(issues) == most {
			out["isLast"] = false
			out["nextPageToken"] = token(last, jql)
			if w.o.Offsets {
				out["nextPageToken"] = strconv.Itoa(passed)
			}
			break
		}
		passed++
		issues = append(issues, w.issueJSON(shown, fields, properties))
		last = list[i]
	}
	out["issues"] = issues
	return out
}

func (w *site) matches(q query, i *issue) bool {
	return (q.project == nil || i.project == q.project) && !i.updated.Before(q.since) && !i.created.Before(q.created) &&
		(!q.mine || i.creator == w.users[0])
}

// pageSize is how many issues a page has: more where ids alone are asked for.
func pageSize(in map[string]any, fields []string) int {
	most, limit := 50, 100
	if n, ok := in["maxResults"].(float64); ok {
		most = int(n)
	}
	if len(fields) == 0 {
		limit = 5000
	}
	return min(most, limit)
}

// moment reads a time of JQL: milliseconds, or a date in the account's zone, which
// in the hour that comes twice is the later one. Both are minutes.
func (w *site) moment(text string) (time.Time, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		if w.o.NumbersAsText {
			return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), nil
		}
		return time.UnixMilli(n).Truncate(time.Minute), nil
	}
	at, err := time.ParseInLocation("2006/01/02 15:04", strings.Trim(text, `"`), w.zone)
	if err != nil {
		return at, fmt.Errorf("Date value %s is invalid. Valid formats include: 'yyyy/MM/dd HH:mm'", text)
	}
	if later := at.Add(time.Hour); later.In(w.zone).Format("15:04") == at.Format("15:04") {
		at = later
	}
	return at, nil
}

func token(last *issue, jql string) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s|%d|%d", last.updated.Format(time.RFC3339Nano), last.id, len(jql)))
}

func readToken(text, jql string) (at time.Time, id int, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	parts := strings.Split(string(raw), "|")
	if err != nil || len(parts) != 3 || parts[2] != strconv.Itoa(len(jql)) {
		return at, 0, false
	}
	at, err = time.Parse(time.RFC3339Nano, parts[0])
	if err != nil {
		return at, 0, false
	}
	id, err = strconv.Atoi(parts[1])
	return at, id, err == nil
}
