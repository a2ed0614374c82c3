package priorart

import (
	"fmt"
	"strings"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// newest bounds how many rows of each kind are read, the newest first: older ones are outdated, and a search must stay quick in a registry
// of many years.
const newest = 5000

// The shown parts of a match, in bytes.
const (
	mostTask  = 200
	mostNotes = 600
)

// corpus reads the records and keeps the relevant ones.
type corpus struct {
	tx       *registry.Tx
	keywords keywordSet
	query    Query

	home    int64             // the project asked for; 0 none
	similar map[int64]Similar // by row
	found   []Match
	oids    map[string]bool // commits with a retrospective
}

// know finds the rows of the projects that count for more than others.
func (c *corpus) know(similar []Similar) {
	c.similar, c.oids = map[int64]Similar{}, map[string]bool{}
	for _, s := range similar {
		if id, err := registry.One[int64](c.tx.QueryRow(`SELECT id FROM projects WHERE uid = ?`, s.Project)); err == nil {
			c.similar[id] = s
		}
	}
}

func (c *corpus) read() error {
	if p := c.query.Place; p.At != nil || p.Named != "" {
		found, err := p.Find(c.tx)
		if err != nil && (p.At == nil || !fault.Is(err, fault.KindNotFound)) {
			return err
		}
		c.home = found.ID
	}
	for _, source := range []func() error{c.retrospectives, c.activities, c.commits, c.mistakes, c.memories} {
		if err := source(); err != nil {
			return fmt.Errorf("look for prior art: %w", err)
		}
	}
	return nil
}

// add keeps a match if it is relevant, judged by texts.
func (c *corpus) add(m Match, texts ...string) {
	m.Relevance = c.keywords.relevance(texts...)
	if m.Relevance == 0 {
		return
	}
	s, isSimilar := c.similar[m.projectID]
	if isSimilar {
		m.Similarity, m.Path = s.Score, s.Path
	}
	home := c.home == 0 || m.projectID == c.home
	if !m.kept(home) {
		return
	}
	m.place(c.tx.Now(), c.home != 0 && home)
	m.Task, m.Notes = cut(m.Task, mostTask), cut(m.Notes, mostNotes)
	c.found = append(c.found, m)
}

// cut shortens a text to one line for display.
func cut(s string, limit int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= limit {
		return s
	}
	return text.Cut(s, limit-len("…")) + "…"
}

// said joins the non-empty parts of a match's notes.
func said(parts ...string) string {
	var there []string
	for _, p := range parts {
		if p != "" {
			there = append(there, p)
		}
	}
	return strings.Join(there, " | ")
}

// found is a row with its match, which its kind completes.
type found struct {
	Match
	byAgent, byUser registry.Null[int]
	said            [3]string // the texts beside the task
}

const whose = ` JOIN projects p ON p.id = x.project_id LEFT JOIN agents a ON a.id = x.agent_id`

// each takes the newest rows x of a table: columns are what tells one from another, its kind, task, commit and grades, and three texts.
func (c *corpus) each(columns, from string, take func(f found)) error {
	all, err := registry.Collect(c.tx, func(row registry.Scanner) (f found, err error) {
		err = row.Scan(&f.projectID, &f.ProjectID, &f.Project, &f.Agent, &f.Scope, &f.Timestamp,
			&f.key, &f.Source, &f.Task, &f.ID, &f.byAgent, &f.byUser, &f.said[0], &f.said[1], &f.said[2])
		f.key, f.Notes = f.Source+f.key, said(f.said[:]...)
		return f, err
	}, `SELECT COALESCE(p.id, 0), COALESCE(p.uid, ''), COALESCE(p.name, ''), COALESCE(a.name, ''), x.scope, x.at,
		`+columns+` FROM `+from+` ORDER BY x.id DESC LIMIT ?`, newest)
	for _, f := range all {
		take(f)
	}
	return err
}

// graded adds a row with its grades.
func (c *corpus) graded(f found) {
	f.grade(f.byAgent.V, f.byUser.V)
	c.add(f.Match, append(f.said[:], f.Task)...)
}

func (c *corpus) retrospectives() error {
	return c.each(`CAST(x.id AS TEXT), 'retrospective', x.task, x.oid, x.agent_grade, x.user_grade, x.agent_note, x.user_note, ''`,
		`retrospectives x`+whose, func(f found) {
			if f.ID != "" {
				c.oids[f.ProjectID+f.ID] = true
			}
			c.graded(f)
		})
}

func (c *corpus) activities() error {
	return c.each(`CAST(x.id AS TEXT), 'activity', x.task, '', NULL, NULL, x.outcome, x.decisions, x.actions`, `activities x`+whose, c.graded)
}

// commits reads the commits, without those that have a retrospective.
func (c *corpus) commits() error {
	return c.each(`p.uid || x.oid, 'commit', x.subject, x.oid, g.agent_grade, g.user_grade, x.body, '', ''`,
		`commits x`+whose+` LEFT JOIN grades g ON g.agent_id = x.agent_id AND g.project_id = x.project_id AND g.oid = x.oid`, func(f found) {
			if f.ID == "" || !c.oids[f.ProjectID+f.ID] {
				c.graded(f)
			}
		})
}

// mistakes reads the bugs that agents made; the one that halted an agent is listed as its halt.
func (c *corpus) mistakes() error {
	halts := map[string]bool{}
	return c.each(`CAST(x.id AS TEXT), x.kind, COALESCE(k.subject, ''), x.oid, NULL, NULL, x.note, CAST(x.agent_id AS TEXT), ''`,
		`score_events x JOIN agents a ON a.id = x.agent_id LEFT JOIN projects p ON p.id = x.project_id
		LEFT JOIN commits k ON k.project_id = x.project_id AND k.oid = x.oid WHERE x.kind IN ('bug', 'halt')`, func(f found) {
			note, subject := f.said[0], f.Task
			told := fmt.Sprint(f.said[1], " ", f.Timestamp, " ", note)
			if f.Source == "halt" {
				halts[told] = true
			} else if halts[told] {
				return
			}
			if f.Notes = note; subject == "" {
				f.Task, f.Notes = text.FirstLine(note, mostTask), ""
			}
			f.bad = true
			c.add(f.Match, subject, note)
		})
}

// memories searches memories through recall, which has an index. A warning counts as a mistake. The scope of a memory is the type of the
// agent that noted it.
func (c *corpus) memories() error {
	of := []int64{c.home}
	if c.home != 0 {
		of = append(of, 0) // all projects, beside the project itself
	}
	for id := range c.similar {
		of = append(of, id)
	}
	seen := map[int64]bool{}
	for _, projectID := range of {
		answer, err := memory.Recall(c.tx, memory.Query{ProjectID: projectID, Text: text.Cut(c.query.Task, memory.MaxQuestion), Limit: 3 * c.query.MaxResults})
		if err != nil {
			return err
		}
		for _, h := range answer.Memories {
			if seen[h.RowID] {
				continue
			}
			seen[h.RowID] = true
			m := Match{Source: "memory", Task: h.Title, Notes: h.Content, Agent: h.Agent, ProjectID: h.Project, ID: h.ID,
				Timestamp: h.UpdatedAt, projectID: h.ProjectID, key: fmt.Sprint("memory", h.RowID), bad: h.Type == memory.TypeWarning}
			if m.Task == "" {
				m.Task, m.Notes = text.FirstLine(h.Content, mostTask), h.Content
			}
			if m.Task == strings.TrimSpace(m.Notes) {
				m.Notes = ""
			}
			if err := c.about(&m); err != nil {
				return err
			}
			c.add(m, h.Title, h.Content, h.Key, strings.Join(h.Tags, " "))
		}
	}
	return nil
}

// about completes a memory's match with its project's name and its agent's type.
func (c *corpus) about(m *Match) (err error) {
	if m.Project, err = registry.One[string](c.tx.QueryRow(`SELECT name FROM projects WHERE id = ?`, m.projectID)); err != nil {
		return err
	}
	if m.Agent == "" {
		return nil
	}
	m.Scope, err = registry.One[string](c.tx.QueryRow(`SELECT type FROM agents WHERE name_key = ?`, text.Key(m.Agent)))
	if registry.NoRows(err) {
		return nil
	}
	return err
}
