package session

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/agent/seat"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Filter selects sessions of a list. Its tags are those of the parameters of list_sessions.
type Filter struct {
	Place  project.Place `json:"-"`
	All    bool          `json:"-"`                                                              // of every project
	Item   string        `json:"external_item_id,omitempty" is:"name"`                           // ref or uid; "" any
	Agent  string        `json:"agent,omitempty" is:"name"`                                      // name; "" any
	Status string        `json:"status,omitempty" enum:"active,completed,abandoned,interrupted"` // "" any
	Limit  int           `json:"limit,omitempty" min:"1" max:"200" desc:"Default 20"`
	Offset int           `json:"offset,omitempty" min:"0"`
}

// Limits of a list.
const (
	DefaultList = 20
	MaxList     = 200
	// listedText bounds the shown part of a summary in a list.
	listedText = 300
)

// List is a page of sessions, the newest first.
type List struct {
	Sessions []Session `json:"sessions"`
	Total    int       `json:"total"`
	Next     int       `json:"next_offset,omitempty"`
}

// List returns the sessions of a project; an unknown project has none.
func (s *Store) List(ctx context.Context, f Filter) (l List, err error) {
	if f.Status != "" && !slices.Contains(Statuses(), f.Status) {
		return l, fault.Validation("status", "%q is not a status of a session", f.Status).WithHint("use one of %s", strings.Join(Statuses(), ", "))
	}
	if f.Limit < 0 || f.Limit > MaxList {
		return l, fault.Validation("limit", "a limit of %d is out of bounds", f.Limit).WithHint("use 1 to %d", MaxList)
	}
	if f.Offset < 0 {
		return l, fault.Validation("offset", "an offset of %d is out of bounds", f.Offset).WithHint("use 0 or more")
	}
	f.Limit = cmp.Or(f.Limit, DefaultList)
	if err := s.recognise(ctx); err != nil && ctx.Err() != nil {
		return l, err // a registry that cannot be written can still be listed
	}
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		l = List{Sessions: []Session{}}
		where, args, err := s.where(tx, f)
		if fault.Is(err, fault.KindNotFound) && f.Place.At != nil && f.Item == "" {
			return nil
		}
		if err != nil {
			return err
		}
		if l.Total, err = registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM sessions s WHERE `+where, args...)); err != nil {
			return err
		}
		l.Sessions, err = registry.Collect(tx, scan, `SELECT `+columns+joined+`WHERE `+where+` ORDER BY s.started_at DESC, s.id DESC LIMIT ? OFFSET ?`,
			append(args, f.Limit, f.Offset)...)
		if err != nil {
			return err
		}
		handles, err := seat.Handles(tx)
		for i := range l.Sessions {
			if one := &l.Sessions[i]; one.Status == Active {
				one.Client = handles[one.Agent]
			}
		}
		return err
	})
	for i := range l.Sessions {
		l.Sessions[i].Summary = cut(l.Sessions[i].Summary, listedText)
		l.Sessions[i].Notes = cut(l.Sessions[i].Notes, listedText)
	}
	if shown := f.Offset + len(l.Sessions); len(l.Sessions) > 0 && shown < l.Total {
		l.Next = shown
	}
	return l, err
}

func (s *Store) where(tx *registry.Tx, f Filter) (where string, args []any, err error) {
	conditions := []string{}
	add := func(condition string, arg any) {
		conditions, args = append(conditions, condition), append(args, arg)
	}
	var projectID int64
	if !f.All {
		p, err := f.Place.Find(tx)
		if err != nil {
			return "", nil, err
		}
		projectID = p.ID
		add(`s.project_id = ?`, p.ID)
	}
	if f.Item != "" {
		item, err := s.itemOf(tx, projectID, f.Item)
		if err != nil {
			return "", nil, err
		}
		add(`s.item_id = ?`, item.ID)
	}
	if f.Status != "" {
		add(`s.status = ?`, f.Status)
	}
	if f.Agent != "" {
		add(`s.agent_id = (SELECT id FROM agents WHERE name_key = ?)`, text.Key(f.Agent))
	}
	if len(conditions) == 0 {
		return "1 = 1", nil, nil
	}
	return strings.Join(conditions, " AND "), args, nil
}

// Refs returns the ids of the newest sessions that begin with a prefix, for completion.
func Refs(tx *registry.Tx, prefix string) ([]string, error) {
	return registry.Collect(tx, registry.One[string], `SELECT ref FROM sessions WHERE ref >= ? AND ref < ? ORDER BY started_at DESC, id DESC LIMIT 100`,
		text.Key(prefix), text.Key(prefix)+"\x7f")
}
