package fakejira

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
)

var (
	bySince = regexp.MustCompile(`^(updated|created) >= (\d+|"[^"]*")$`)
	byIs    = regexp.MustCompile(`^project = "([^"]*)"$`)
)

// search is the search by JQL, as far as pmsync speaks it. It must be bounded,
// compares minutes, and answers ids alone when no fields are asked for.
func (w *site) search(in map[string]any) (int, any) {
	for name := range in {
		if !strings.Contains(" jql nextPageToken fields maxResults properties reconcileIssues expand fieldsByKeys ", " "+name+" ") {
			return 400, problem("Invalid request payload. Refer to the REST API documentation and try again.")
		}
	}
	jql, _ := in["jql"].(string)
	where, order, _ := strings.Cut(jql, " ORDER BY ")
	var project *project
	var since, created time.Time
	mine := false
	for _, clause := range strings.Split(where, " AND ") {
		if m := byIs.FindStringSubmatch(clause); m != nil {
			if project = w.projectBy(m[1]); project == nil {
				return 400, problem("The value '%s' does not exist for the field 'project'.", m[1])
			}
			continue
		}
		if clause == "creator = currentUser()" {
			mine = true
			continue
		}
		m := bySince.FindStringSubmatch(clause)
		if m == nil {
			return 400, problem("Error in the JQL Query: %q is not understood.", clause)
		}
		at, err := w.moment(m[2])
		if err != nil {
			return 400, problem("%v", err)
		}
		if m[1] == "updated" {
			since = at
		} else {
			created = at
		}
	}
	if project == nil && since.IsZero() && created.IsZero() {
		return 400, problem("Unbounded JQL queries are not allowed here. Please add a search restriction to your query.")
	}
	fields := stringsOf(in["fields"])
	most := 50
	if n, ok := in["maxResults"].(float64); ok {
		most = int(n)
	}
	if limit := 5000; len(fields) == 0 {
		most = min(most, limit)
	} else {
		most = min(most, 100)
	}
	list := w.sorted()
	from, step := 0, 1
	down := strings.Contains(order, "DESC")
	if down {
		from, step = len(list)-1, -1
	} else if !since.IsZero() {
		from = sort.Search(len(list), func(i int) bool { return !list[i].updated.Before(since) })
		if w.o.Lag > 0 {
			from = 0 // what the search still shows may be older
		}
	}
	skip := 0
	if token, _ := in["nextPageToken"].(string); token != "" && w.o.Offsets {
		skip, _ = strconv.Atoi(token)
	} else if token != "" {
		at, id, ok := readToken(token, jql)
		if !ok {
			return 400, problem("The nextPageToken is invalid or has expired.")
		}
		from = sort.Search(len(list), func(i int) bool {
			return list[i].updated.After(at) || list[i].updated.Equal(at) && list[i].id > id
		})
		if down {
			for from--; from >= 0 && (list[from].updated.After(at) || list[from].updated.Equal(at) && list[from].id >= id); from-- {
			}
		}
	}
	issues := []any{}
	out := map[string]any{"isLast": true}
	var last *issue
	passed := 0
	for i := from; i >= 0 && i < len(list); i += step {
		shown := w.visible(list[i])
		if shown == nil || project != nil && shown.project != project || shown.updated.Before(since) || shown.created.Before(created) ||
			mine && shown.creator != w.users[0] {
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
		issues = append(issues, w.issueJSON(shown, fields, stringsOf(in["properties"])))
		last = list[i]
	}
	out["issues"] = issues
	return 200, out
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
