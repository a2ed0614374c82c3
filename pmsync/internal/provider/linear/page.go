package linear

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// connection is a page of a list.
type connection[T any] struct {
	Nodes    []T
	PageInfo struct {
		HasNextPage bool
		EndCursor   string
	}
}

// next returns the cursor of the next page, "" when there is none. It refuses a repeated cursor, which would cause an endless loop.
func (p connection[T]) next(op, after string) (string, error) {
	if !p.PageInfo.HasNextPage {
		return "", nil
	}
	if p.PageInfo.EndCursor == "" || p.PageInfo.EndCursor == after {
		return "", provider.Fail(provider.Protocol, nil, "Linear's list does not end: asked to %s it names the same page again", op)
	}
	return p.PageInfo.EndCursor, nil
}

// each calls yield for every node of a list, page by page. The list is in the answer's field name, which may be a path with one dot.
func each[T any](ctx context.Context, c *Client, op, query string, v vars, name string, yield func(T) error) error {
	return provider.Walk(provider.Linear, op, func(after string) ([]T, string, error) {
		if after != "" {
			v["after"] = after
		}
		var page connection[T]
		if err := c.readAt(ctx, op, query, v, name, &page); err != nil {
			return nil, "", err
		}
		next, err := page.next(op, after)
		return page.Nodes, next, err
	}, yield)
}

// nodes returns all nodes of a list, as each reads it.
func nodes[T any](ctx context.Context, c *Client, op, query string, v vars, name string) (all []T, err error) {
	err = each(ctx, c, op, query, v, name, func(node T) error {
		all = append(all, node)
		return nil
	})
	return all, err
}

// readAt decodes the value at the path of the answer's data.
func (c *Client) readAt(ctx context.Context, op, query string, v vars, path string, into any) error {
	var data json.RawMessage
	if err := c.read(ctx, op, query, v, &data); err != nil {
		return err
	}
	return dig(op, data, path, into)
}

func dig(op string, data json.RawMessage, path string, into any) error {
	for _, name := range strings.Split(path, ".") {
		var level map[string]json.RawMessage
		if err := json.Unmarshal(data, &level); err != nil || len(level[name]) == 0 || string(level[name]) == "null" {
			return provider.Fail(provider.Protocol, nil, "Linear's answer to the request to %s lacks %q", op, path)
		}
		data = level[name]
	}
	return unmarshal(op, path, data, into)
}

func unmarshal(op, path string, data json.RawMessage, into any) error {
	if len(data) == 0 || string(data) == "null" {
		return provider.Fail(provider.Protocol, nil, "Linear's answer to the request to %s lacks %q", op, path)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return provider.Fail(provider.Protocol, nil, "Linear's answer to the request to %s has another shape than its API describes: %s",
			op, shape(err))
	}
	return nil
}

func shape(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Sprintf("a %s at %q", wrong.Value, wrong.Field)
	}
	return "a value that cannot be read"
}
