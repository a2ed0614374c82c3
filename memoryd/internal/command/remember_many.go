package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/timestamp"
)

// line is a memory on standard input.
type line struct {
	Content      string            `json:"content"`
	Key          string            `json:"key"`
	Type         string            `json:"memory_type"`
	Title        string            `json:"title"`
	Summary      string            `json:"summary"`
	Importance   *int              `json:"importance"`
	Confidence   *float64          `json:"confidence"`
	Tags         []string          `json:"tags"`
	Items        []string          `json:"related_items"`
	Citations    []memory.Citation `json:"citations"`
	Session      string            `json:"session"`
	Context      string            `json:"context"`
	ExpiresAt    *timestamp.Time   `json:"expires_at"`
	Supersedes   string            `json:"supersedes"`
	CreatedAt    timestamp.Time    `json:"created_at"`
	AllowSecrets bool              `json:"allow_secrets"`
}

// many reads memories from standard input; flags apply to those without a value of their own.
func (o *rememberOptions) many(ctx context.Context) ([]memory.New, error) {
	items, err := output.ReadItems[json.RawMessage](o.env.Streams, "memories")
	if err != nil {
		return nil, err
	}
	expires, err := memory.Expiry(o.Expires, time.Now())
	if err != nil {
		return nil, err
	}
	list := make([]memory.New, 0, len(items))
	for _, item := range items {
		var in line
		if err := strict(item.Value, &in); err != nil {
			return nil, fault.Validation("-", "line %d of standard input: %v", item.Line, err).WithHint("`memoryd remember --help` lists the fields")
		}
		n := memory.New{
			Type: cmp.Or(in.Type, o.Type), Key: in.Key, Content: in.Content, Title: in.Title, Summary: in.Summary,
			Confidence: cmp.Or(in.Confidence, o.Confidence), Tags: append(in.Tags, o.Tags...), Items: append(in.Items, o.Items...), Citations: in.Citations,
			Thread: cmp.Or(in.Session, o.Thread), Context: cmp.Or(in.Context, o.Context),
			ExpiresAt: cmp.Or(in.ExpiresAt, expires), Supersedes: in.Supersedes, At: in.CreatedAt.Time,
			AllowSecrets: in.AllowSecrets || o.AllowSecrets, SkipSimilar: o.SkipSimilar,
		}
		if n.Importance, err = memory.GivenImportance(cmp.Or(in.Importance, o.importance)); err != nil {
			f := *fault.From(err)
			f.Message = fmt.Sprintf("line %d of standard input: %s", item.Line, f.Message)
			return nil, &f
		}
		o.standing(ctx, n.Citations)
		list = append(list, n)
	}
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = n.Content
	}
	for i, named := range memory.Named(ctx, o.folder(), texts...) {
		list[i].Named = named
	}
	return list, nil
}

// strict reads one JSON object and refuses unknown fields.
func strict(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("%s must not be %s", wrong.Field, wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("it is %s and not an object", wrong.Value)
	case err != nil:
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}
