package work_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/goldentest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// teller runs typed lines.
type teller struct {
	*world
	watch *registrytest.Watch
}

// The stories in testdata: after each typed line, which begins with "> ", stands what it answers and which rows it changes.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.story")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories, %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			w := &teller{world: newWorld(t)}
			w.watch = registrytest.NewWatch(t, w.db, []string{"items", "dependencies", "item_history", "item_holds", "item_capabilities", "outside_blockers", "own_names"}, "items.uid", "dependencies.uid", "items.version")
			var b strings.Builder
			for line := range strings.Lines(strings.ReplaceAll(string(data), "\r\n", "\n")) {
				if typed, ok := strings.CutPrefix(line, "> "); ok {
					b.WriteString(line)
					b.WriteString(w.answer(strings.TrimSpace(typed)))
				} else if strings.HasPrefix(line, "#") || line == "\n" {
					b.WriteString(line)
				}
			}
			goldentest.Same(t, filepath.Base(file), b.String(), *update)
		})
	}
}

func (w *teller) answer(line string) string {
	w.t.Helper()
	var said string
	err := w.db.Write(w.t.Context(), registry.Everything, func(tx *registry.Tx) (err error) {
		said, err = w.run(tx, strings.Fields(line))
		return err
	})
	var b strings.Builder
	if f := fault.From(err); f != nil {
		fmt.Fprintf(&b, "\t%s %s: %s; %s\n", f.Kind, f.Field, f.Message, f.Hint)
	}
	for part := range strings.Lines(said) {
		b.WriteString("\t" + strings.TrimSuffix(part, "\n") + "\n")
	}
	return w.watch.Text(b.String()) + w.watch.Changes()
}

// item finds an item by its ref, deleted or not.
func (w *teller) item(tx *registry.Tx, ref string) work.Item {
	w.t.Helper()
	i, err := work.Scan(tx.QueryRow(`SELECT `+work.Columns+` FROM items WHERE ref = ?`, ref))
	if err != nil {
		w.t.Fatalf("%s: %v", ref, err)
	}
	return i
}

func (w *teller) agent(name string) int64 {
	return map[string]int64{"ann": w.ann.ID, "bob": w.bob.ID}[name]
}

// options splits "name=value" words off.
func options(words []string) (rest []string, given map[string]string) {
	given = map[string]string{}
	for _, word := range words {
		if name, value, ok := strings.Cut(word, "="); ok {
			given[name] = strings.ReplaceAll(strings.ReplaceAll(value, "_", " "), `\n`, "\n")
		} else {
			rest = append(rest, word)
		}
	}
	return rest, given
}

func (w *teller) event(given map[string]string) work.Event {
	return work.Event{Agent: w.agent(given["by"]), Actor: given["actor"], Why: given["why"]}
}

func (w *teller) newItem(tx *registry.Tx, kind, ref string, given map[string]string) work.NewItem {
	w.t.Helper()
	n := work.NewItem{ProjectID: w.active.ID, Kind: work.Kind(kind), Ref: ref, Prefix: "x-", Text: "Do " + ref, Status: "pending", Priority: work.PriorityMedium, By: w.agent(given["by"]), Actor: given["actor"]}
	for name, value := range given {
		switch name {
		case "project":
			n.ProjectID = w.held.ID
		case "parent":
			n.ParentID = w.item(tx, value).ID
		case "origin":
			n.OriginID = w.item(tx, value).ID
		case "priority":
			if err := n.Priority.UnmarshalText([]byte(value)); err != nil {
				w.t.Fatal(err)
			}
		case "text":
			n.Text = value
		case "title":
			n.Title = value
		case "state":
			n.State = work.State(value)
		case "status":
			n.Status = value
		case "keyed":
			n.Keyed = true
		case "estimate":
			d, err := work.ParseDuration("estimate", value)
			if err != nil {
				w.t.Fatal(err)
			}
			n.Estimate = d
		case "created":
			n.CreatedAt, _ = time.Parse(time.DateOnly, value)
		case "ended":
			n.EndedAt, _ = time.Parse(time.DateOnly, value)
		}
	}
	return n
}

func (w *teller) edge(tx *registry.Tx, words []string, given map[string]string) work.Edge {
	w.t.Helper()
	return work.Edge{Source: w.item(tx, words[0]).ID, Relation: work.Relation(words[1]), Target: w.item(tx, words[2]).ID, Bidirectional: given["both"] != "", Notes: given["notes"], By: w.agent(given["by"])}
}

// parts splits words at commas that stand alone.
func parts(words []string) (all [][]string) {
	from := 0
	for i, word := range append(words, ",") {
		if word == "," {
			all = append(all, words[from:i])
			from = i + 1
		}
	}
	return all
}

func refused(b *strings.Builder) func(int, error) error {
	return func(i int, err error) error {
		fmt.Fprintf(b, "%d refused: %s\n", i+1, err)
		return nil
	}
}

func (w *teller) run(tx *registry.Tx, typed []string) (string, error) {
	w.t.Helper()
	words, given := options(typed[1:])
	at := func(i int) string {
		if i < len(words) && words[i] != "-" {
			return words[i]
		}
		return ""
	}
	var b strings.Builder
	switch typed[0] {
	case "make":
		i, err := work.Create(tx, w.newItem(tx, at(0), at(1), given))
		return fmt.Sprintf("%s %s", i.Kind, i.Ref), err
	case "many":
		var all []work.NewItem
		for _, part := range parts(typed[1:]) {
			words, given := options(part)
			all = append(all, w.newItem(tx, words[0], append(words, "")[1], given))
		}
		made, err := work.CreateMany(tx, all, refused(&b))
		for _, i := range made {
			fmt.Fprintf(&b, "%t %s %s holds %d finished %t\n", i.ID != 0, i.Kind, i.Ref, i.Holds, !i.FinishedAt.IsZero())
		}
		return b.String(), err
	case "link":
		return "", work.Link(tx, w.edge(tx, words, given))
	case "links":
		var all []work.Edge
		for _, part := range parts(typed[1:]) {
			words, given := options(part)
			all = append(all, w.edge(tx, words, given))
		}
		added, err := work.LinkMany(tx, all, refused(&b))
		return fmt.Sprintf("%sadded %d", b.String(), added), err
	case "unlink":
		was, err := work.Unlink(tx, w.edge(tx, words, given))
		return fmt.Sprint(was), err
	case "move":
		i := w.item(tx, at(0))
		return "", work.SetStatus(tx, &i, work.Move{State: work.State(at(1)), Status: at(2), Event: w.event(given)})
	case "change":
		i := w.item(tx, at(0))
		var c work.Changes
		for name, value := range given {
			switch name {
			case "text":
				c.Text = &value
			case "title":
				c.Title = &value
			case "body":
				c.Body = &value
			case "priority":
				p, err := work.ParsePriority(value)
				if err != nil {
					return "", err
				}
				c.Priority = &p
			case "estimate":
				d, err := work.ParseDuration("estimate", value)
				if err != nil {
					return "", err
				}
				c.Estimate = &d
			}
		}
		return "", work.Change(tx, &i, c, w.event(given))
	case "assign":
		return "", work.Assign(tx, w.item(tx, at(0)).ID, w.agent(at(1)))
	case "person":
		return "", work.AssignPerson(tx, w.item(tx, at(0)).ID, at(1))
	case "own":
		err := work.SetOwnNames(tx, w.active.ID, at(0), append(words[1:], ""))
		names, _ := work.OwnNames(tx, w.active.ID)
		return fmt.Sprintf("%q", names), err
	case "hold":
		return "", work.HoldBack(tx, w.item(tx, at(0)), w.event(given))
	case "letgo":
		was, err := work.LetGo(tx, w.item(tx, at(0)), w.event(given))
		return fmt.Sprint(was), err
	case "delete":
		return "", work.Delete(tx, w.item(tx, at(0)).ID, w.event(given))
	case "revive":
		return "", work.Revive(tx, w.item(tx, at(0)).ID, w.event(given))
	case "rename":
		i := w.item(tx, at(0))
		return "", work.Rename(tx, &i, at(1), w.event(given))
	case "outside":
		var all []work.Outside
		for _, one := range words[1:] {
			id, ref, _ := strings.Cut(one, ":")
			all = append(all, work.Outside{ID: id, Ref: ref, Title: "title of " + id})
		}
		return "", work.WaitOutside(tx, w.item(tx, at(0)).ID, all, w.event(given))
	case "end":
		was, err := work.EndOutside(tx, w.item(tx, at(0)).ID, at(1), w.event(given))
		return fmt.Sprint(was), err
	case "here":
		return "", work.HereNow(tx, w.active.ID, at(0), w.event(given))
	case "needs":
		err := work.SetCapabilities(tx, w.item(tx, at(0)).ID, words[1:])
		all, _ := work.Capabilities(tx, w.item(tx, at(0)).ID)
		return fmt.Sprintf("%q", all), err
	case "order":
		n, _ := strconv.Atoi(at(1))
		return "", work.Order(tx, w.item(tx, at(0)).ID, n)
	case "explain":
		e, err := work.Explain(tx, w.item(tx, at(0)), w.agent(at(1)))
		fmt.Fprintf(&b, "ready %t\n", e.Ready)
		for _, r := range e.Reasons {
			fmt.Fprintf(&b, "%s: %s %q\n", r.Why, r.Sentence, r.Items)
		}
		for _, n := range e.Notes {
			fmt.Fprintf(&b, "note: %s\n", n)
		}
		fmt.Fprintf(&b, "chiefly: %s", e.Chief().Why)
		return b.String(), err
	case "before", "after":
		n, _ := strconv.Atoi(at(1))
		var all []work.Linked
		var err error
		if typed[0] == "before" {
			all, err = work.ChainBefore(tx, w.item(tx, at(0)).ID, n, at(2) == "resolved")
		} else {
			all, err = work.ChainAfter(tx, w.item(tx, at(0)).ID, n)
		}
		for _, l := range all {
			fmt.Fprintf(&b, "%d %s %s %t\n", l.Depth, l.Ref, l.Status, l.Resolved)
		}
		return b.String(), err
	case "blockers":
		all, err := work.Blockers(tx, w.item(tx, at(0)).ID)
		for _, x := range all {
			fmt.Fprintf(&b, "%s %s %q through %q\n", x.Ref, x.Status, x.Title, x.Through)
		}
		since, _ := work.BlockedSince(tx, w.item(tx, at(0)).ID)
		fmt.Fprintf(&b, "since a time: %t", since != nil)
		return b.String(), err
	case "arrows":
		var ids []int64
		for _, ref := range words {
			ids = append(ids, w.item(tx, ref).ID)
		}
		all, err := work.Arrows(tx, ids)
		for _, a := range all {
			fmt.Fprintf(&b, "%d %s %d %t %q\n", a.Source, a.Relation, a.Target, a.Bidirectional, a.Notes)
		}
		return b.String(), err
	case "cycles":
		all, err := work.Cycles(tx)
		return fmt.Sprint(all), err
	case "edge": // past all rules, as a merge of two registries may
		e := w.edge(tx, words, given)
		return "", tx.Do(`INSERT INTO dependencies (uid, source_id, target_id, relation, created_at) VALUES (?, ?, ?, ?, ?)`, registry.NewUID(), e.Source, e.Target, e.Relation, tx.Stamp())
	case "recount":
		wrong, err := work.Miscounted(tx)
		mended, _ := work.Recount(tx)
		return fmt.Sprint(wrong, mended), err
	case "freed":
		all, err := work.FreedBy(tx, w.item(tx, at(0)))
		return fmt.Sprintf("%q", all), err
	case "history":
		all, err := work.History(tx, w.item(tx, at(0)).ID)
		for _, e := range all {
			fmt.Fprintf(&b, "%s%s %s: %q to %q, %s\n", e.Name, e.Actor, e.Field, e.Old, e.New, e.Why)
		}
		return b.String(), err
	case "log":
		n, _ := strconv.Atoi(at(0))
		after, _ := strconv.Atoi(at(1))
		f := work.LogFilter{Limit: n, After: int64(after)}
		if given["project"] != "" {
			f.ProjectID = w.held.ID
		}
		all, err := work.Log(tx, f)
		for _, l := range all {
			fmt.Fprintf(&b, "%d %s %s %q: %s%s %s %q to %q, %s\n", l.Seq, l.Kind, l.Item, l.Title, l.Name, l.Actor, l.Field, l.Old, l.New, l.Why)
		}
		return b.String(), err
	case "find":
		i, err := work.Find(tx, work.Kind(at(0)), at(1))
		in, _ := work.FindIn(tx, w.active.ID, work.Kind(at(0)), at(1))
		return fmt.Sprintf("%s %s, in the project %s %s of it %t", i.Kind, i.Ref, in.Kind, in.Ref, in.ProjectID == w.active.ID), err
	case "findmany":
		all, err := work.FindMany(tx, words)
		for _, key := range slices.Sorted(func(yield func(string) bool) {
			for k := range all {
				if !yield(k) {
					return
				}
			}
		}) {
			fmt.Fprintf(&b, "%s %d\n", key, len(all[key]))
		}
		return b.String(), err
	}
	w.t.Fatalf("%q is not a line of a story", typed)
	return "", nil
}
