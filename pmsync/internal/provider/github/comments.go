package github

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

type comment struct {
	ID        int64     `json:"id"`
	Body      string    `json:"body"`
	User      *user     `json:"user"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	HTML      string    `json:"html_url"`
}

func (m comment) convert() provider.Comment {
	text, _ := provider.Unmark(strings.ReplaceAll(m.Body, "\r\n", "\n"))
	return provider.Comment{ID: strconv.FormatInt(m.ID, 10), Author: m.User.convert(), Body: provider.Text{Format: provider.Markdown, Text: text},
		CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, URL: m.HTML}
}

// lookBack is how long before the first attempt the search for it begins, because clocks differ.
const lookBack = time.Hour

// marked returns a text with a hidden mark at its end.
func marked(text, marker string) string {
	return strings.TrimLeft(text+"\n\n<!-- "+marker+" -->", "\n")
}

// AddComment adds the comment with a hidden mark, by which an earlier attempt is recognized.
func (c *Client) AddComment(ctx context.Context, current *provider.Item, n provider.NewComment) (provider.Comment, error) {
	i, err := c.own(current)
	if err != nil {
		return provider.Comment{}, err
	}
	path := c.at("issues", strconv.Itoa(i.Number), "comments")
	since := url.Values{"since": {n.Attempted.Add(-lookBack).UTC().Format(time.RFC3339)}}
	made, err := provider.AddMarked(n, func(yield func(comment) error) error {
		return each(ctx, c, "look for a comment", path, since, yield)
	}, func(m comment) string { return m.Body }, func(marker string) (made comment, err error) {
		_, err = c.do(ctx, request{Op: "comment on " + current.Key, Method: http.MethodPost, Path: path, Body: map[string]string{"body": marked(n.Text, marker)}}, &made)
		return made, unsure(err)
	})
	return made.convert(), err
}

// unsure converts the error of a creating request: without a proper answer the outcome is unknown.
func unsure(err error) error {
	if !provider.Is(err, provider.Protocol) {
		return err
	}
	e := provider.Details(err)
	e.Reason = provider.Uncertain
	return &e
}

// Comments returns the comments of an issue, oldest first.
func (c *Client) Comments(ctx context.Context, current *provider.Item, yield func(provider.Comment) error) error {
	i, err := c.own(current)
	if err != nil {
		return err
	}
	return each(ctx, c, "read the comments of "+current.Key, c.at("issues", strconv.Itoa(i.Number), "comments"), nil, func(m comment) error { return yield(m.convert()) })
}
