package jira

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// mark is an entity property on items that pmsync created, by which an attempt with a lost answer is found again.
const mark = "pmsync"

type marked struct {
	Key   string      `json:"key"`
	Value markedValue `json:"value"`
}

type markedValue struct {
	Key string `json:"key"`
}

func marks(key string) []marked { return []marked{{mark, markedValue{provider.UUID(key)}}} }

type comment struct {
	ID               string
	Body             json.RawMessage
	Author           *account
	Created, Updated stamp
	Properties       []struct {
		Key   string
		Value json.RawMessage
	}
}

func (m comment) convert() provider.Comment {
	return provider.Comment{ID: m.ID, Author: m.Author.convert(), Body: textOf(m.Body), CreatedAt: m.Created.Time, UpdatedAt: m.Updated.Time}
}

// AddComment adds the comment with a mark. In Jira callers cannot choose ids, so after an attempt with an unknown outcome the mark is
// searched before another attempt.
func (c *Client) AddComment(ctx context.Context, current *provider.Item, n provider.NewComment) (provider.Comment, error) {
	if err := onlyIssues(current); err != nil {
		return provider.Comment{}, err
	}
	if !n.Attempted.IsZero() {
		if found, ok, err := c.findComment(ctx, current, n); err != nil || ok {
			return found, provider.Looking(err)
		}
	}
	var made comment
	err := c.do(ctx, request{Op: "comment on " + current.Key, Method: http.MethodPost, Path: "api/3/issue/" + url.PathEscape(current.RemoteID) + "/comment",
		Body: map[string]any{"body": Document(n.Text), "properties": marks(n.Key)}, Bucket: "write " + current.RemoteID}, &made)
	if provider.Is(err, provider.Uncertain) || provider.Is(err, provider.Protocol) {
		if found, ok, lookErr := c.findComment(ctx, current, n); lookErr == nil && ok {
			return found, nil
		}
	}
	return made.convert(), err
}

// findComment searches the newest comments for the mark. The list does not contain marks; they are requested by comment id.
func (c *Client) findComment(ctx context.Context, current *provider.Item, n provider.NewComment) (provider.Comment, bool, error) {
	const newest = 100
	var page struct{ Comments []comment }
	err := c.get(ctx, "look for a comment", "api/3/issue/"+url.PathEscape(current.RemoteID)+"/comment",
		url.Values{"orderBy": {"-created"}, "maxResults": {strconv.Itoa(newest)}}, &page)
	if err != nil || len(page.Comments) == 0 {
		return provider.Comment{}, false, err
	}
	var ids []int64
	for _, m := range page.Comments {
		if id, err := strconv.ParseInt(m.ID, 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	var list struct{ Values []comment }
	err = c.do(ctx, request{Op: "look for a comment", Method: http.MethodPost, Path: "api/3/comment/list", Query: url.Values{"expand": {"properties"}},
		Body: map[string]any{"ids": ids}, Safe: true}, &list)
	for _, m := range list.Values {
		for _, p := range m.Properties {
			var v markedValue
			if p.Key == mark && json.Unmarshal(p.Value, &v) == nil && v.Key == provider.UUID(n.Key) {
				return m.convert(), true, err
			}
		}
	}
	return provider.Comment{}, false, err
}

// Comments returns the comments of an issue, oldest first.
func (c *Client) Comments(ctx context.Context, current *provider.Item, yield func(provider.Comment) error) error {
	if err := onlyIssues(current); err != nil {
		return err
	}
	return pages(ctx, c, "read the comments of "+current.Key, "api/3/issue/"+url.PathEscape(current.RemoteID)+"/comment",
		url.Values{"orderBy": {"created"}, "maxResults": {"100"}}, "comments", func(m comment) error { return yield(m.convert()) })
}
