package github

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// graphPath is where the GraphQL API is, which alone shows Projects of an issue
// (https://docs.github.com/graphql).
const graphPath = "graphql"

// graph sends a query, or a mutation that can be repeated, and reads the data of the
// answer.
func (c *Client) graph(ctx context.Context, op, query string, variables map[string]any, into any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	r := transport.Request{Op: op, Method: http.MethodPost, Path: graphPath, Body: body, Safe: true}
	if strings.HasPrefix(query, "mutation") {
		r.Bucket = write
	}
	resp, err := c.graphs.Do(ctx, r)
	if err != nil {
		return err
	}
	answer := struct {
		Data json.RawMessage `json:"data"`
	}{}
	if err := resp.Decode(provider.GitHub, &answer); err != nil {
		return err
	}
	if err := json.Unmarshal(answer.Data, into); err != nil {
		return provider.Fail(provider.Protocol, nil, "GitHub's answer to the request to %s has another shape than its API describes", op)
	}
	return nil
}

// graphBase is the address of the GraphQL API, without its last part, for that of the
// REST API: an Enterprise Server has the one at /api/graphql and the other at /api/v3.
func graphBase(base string) string { return strings.TrimSuffix(base, "/v3") }

// graphError is an error of GraphQL, whose answer is a 200 all the same.
type graphError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// judgeGraph reads an answer of the GraphQL API. An owner that is no organization, or an
// issue that is gone, is an error beside the data: what the data lack is seen there.
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
	case "": // what went wrong within GitHub has no type
		v.Err = provider.Fail(provider.Unavailable, nil, "GitHub failed to %s: %s", r.Request.Op, e.Message)
		v.Retry = r.Request.Safe
	default:
		v.Err = provider.Fail(provider.Invalid, nil, "GitHub refused to %s: %s", r.Request.Op, e.Message)
	}
	v.Err.Status, v.Err.Code = r.Status, e.Type
	return v, true
}
