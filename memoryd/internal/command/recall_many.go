package command

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// asked is one of several questions.
type asked struct {
	Query string   `json:"query"`
	Type  string   `json:"memory_type,omitempty"`
	Tags  []string `json:"tags,omitempty"`
	Least int      `json:"min_importance,omitempty"`
	Limit int      `json:"limit,omitempty"`
	ID    any      `json:"id,omitempty"` // the caller's own, returned with the answer
}

// answered is the answer to one of several questions.
type answered struct {
	ID    any    `json:"query_id,omitempty"`
	Query string `json:"query"`
	memory.Answer
}

// recallBatch is how many questions are answered from one snapshot.
const recallBatch = 100

func recallMany(ctx context.Context, o *recallOptions, st *stores.Stores, by memory.Reader) error {
	questions, err := readQuestions(o.env.Streams)
	if err != nil {
		return err
	}
	all := []answered{}
	for some := range slices.Chunk(questions, recallBatch) {
		queries := make([]memory.Query, len(some))
		for i, a := range some {
			queries[i] = o.Query
			queries[i].Text = a.Query
			queries[i].Type = cmp.Or(a.Type, o.Type)
			queries[i].MinImportance = cmp.Or(a.Least, o.MinImportance)
			queries[i].Limit = cmp.Or(a.Limit, o.Limit)
			if a.Tags != nil {
				queries[i].Tags = a.Tags
			}
		}
		answers, err := st.Memories.RecallAll(ctx, by, queries)
		if err != nil {
			return err
		}
		for i, a := range answers {
			all = append(all, answered{ID: some[i].ID, Query: some[i].Query, Answer: a})
		}
	}
	return output.List(ctx, o.env.Printer(), "answers", all, []output.Column[answered]{
		{Title: "QUESTION", Flex: true, Value: func(a answered) string { return text.FirstLine(a.Query, 60) }},
		{Title: "FOUND", Right: true, Value: func(a answered) string { return fmt.Sprint(len(a.Memories)) }},
		{Title: "BEST", Flex: true, Value: func(a answered) string {
			if len(a.Memories) == 0 {
				return ""
			}
			return a.Memories[0].Key
		}},
	})
}

// readQuestions reads one question a line.
func readQuestions(s *term.Streams) ([]asked, error) {
	if s.InTTY {
		return nil, fault.Validation("-", "\"-\" reads questions from standard input, and nothing is piped into it").WithHint("pipe one question a line into this command")
	}
	var all []asked
	lines := bufio.NewScanner(io.LimitReader(s.In, output.MaxInput))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		var a asked
		switch {
		case len(line) == 0:
			continue
		case line[0] == '{':
			if err := strict(line, &a); err != nil {
				return nil, fault.Validation("-", "line %d of standard input: %v", n, err).WithHint("give query and, if wanted, limit, memory_type, tags, min_importance, id")
			}
		case line[0] == '"' && json.Unmarshal(line, &a.Query) == nil:
		default:
			a.Query = string(line)
		}
		if len(all) == output.MaxItems {
			return nil, fault.Validation("-", "standard input holds more than %d questions", output.MaxItems).WithHint("send them in parts")
		}
		all = append(all, a)
	}
	if err := lines.Err(); err != nil {
		return nil, fault.Validation("-", "standard input cannot be read: %v", err).WithHint("give one question a line, each shorter than 1 MB")
	}
	return all, nil
}
