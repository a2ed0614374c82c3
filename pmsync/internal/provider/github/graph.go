package github

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// graphPath is the path of the GraphQL API; only GraphQL shows an issue's Projects (https://docs.github.com/graphql).
const graphPath = "graphql"

// graph sends a query or a repeatable mutation and decodes the data of the answer.
func (c *Client) graph(ctx context.Context, op, query string, variables map[string]any, into any) error {
	r := request{Op: op, Method: http.MethodPost, Path: graphPath, Body: map[string]any{"query": query, "variables": variables}, Safe: true}
	if strings.HasPrefix(query, "mutation") {
		r.Bucket = write
	}
	var answer struct {
		Data json.RawMessage `json:"data"`
	}
	if _, err := c.graphs.Call(ctx, r, &answer); err != nil {
		return err
	}
	if err := json.Unmarshal(answer.Data, into); err != nil {
		return provider.Fail(provider.Protocol, nil, "GitHub's answer to the request to %s has another shape than its API describes", op)
	}
	return nil
}

// graphBase returns the base address of the GraphQL API for that of the REST API. An Enterprise Server has GraphQL at /api/graphql and
// REST at /api/v3.
func graphBase(base string) string { return strings.TrimSuffix(base, "/v3") }

// graphError is an error of GraphQL, which comes with status 200.
type graphError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// judgeGraph classifies an answer of the GraphQL API. An owner that is not an organization, or a missing issue, is an error beside the
// data; the caller sees it in the missing data.
func judgeGraph(r *transport.Response) (v transport.Verdict, judged bool) {
	var answer struct {
		Data   map[string]json.RawMessage `json:"data"`
		Errors []graphError               `json:"errors"`
	}
	if r.Request.Path != graphPath || r.Status != http.StatusOK || json.Unmarshal(transport.Trim(r.Body), &answer) != nil || len(answer.Errors) == 0 {
		return v, false
	}
	e := answer.Errors[0]
	switch e.Type {
	case "RATE_LIMITED":
		hold := reset(r)
		if hold <= 0 {
			hold = betweenRefusals
		}
		return transport.Limited(r, provider.GitHub, hold), true
	case "NOT_FOUND":
		if len(answer.Data) > 0 {
			return v, false
		}
		v.Err = provider.Fail(provider.NotFound, nil, "GitHub could not %s: %s", r.Request.Op, e.Message)
	case "FORBIDDEN", "INSUFFICIENT_SCOPES":
		v.Err = provider.Fail(provider.Forbidden, nil, "GitHub does not let this token %s: %s", r.Request.Op, e.Message).
			Hint("projects need the scope project (`gh auth refresh -s project`), or the permission Projects: read and write")
	case "": // an internal error of GitHub has no type
		v.Err = provider.Fail(provider.Unavailable, nil, "GitHub failed to %s: %s", r.Request.Op, e.Message)
		v.Retry = r.Request.Safe
	default:
		v.Err = provider.Fail(provider.Invalid, nil, "GitHub refused to %s: %s", r.Request.Op, e.Message)
	}
	v.Err.Status, v.Err.Code = r.Status, e.Type
	return v, true
}
