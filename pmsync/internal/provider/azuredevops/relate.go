package azuredevops

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// relNames are the link types of a relation, as seen from the changed item.
var relNames = map[provider.Relation]string{provider.Blocks: relBlocks, provider.BlockedBy: relBlockedBy, provider.RelatedTo: relRelated,
	provider.DuplicatedBy: relDuplicate, provider.Duplicates: relOriginal}

// addRelation is the operation that links the item to another one.
func (c *Client) addRelation(rel, id string) op {
	return op{"add", "/relations/-", relation{Rel: rel, URL: c.http.Base() + "/" + c.at("_apis", "wit", "workItems", id)}}
}

// relations returns the operations that set the item's parent and link it. An item has one parent: the existing parent link is first
// removed by its index, which the test of the revision makes safe.
func (c *Client) relations(w *workItem, current *provider.Item, n provider.Change) (ops []op) {
	if n.Parent != nil && !current.Parent.Is(*n.Parent) {
		at := slices.IndexFunc(w.Relations, func(r relation) bool { return r.Rel == relParent })
		if at >= 0 {
			ops = append(ops, op{Op: "remove", Path: "/relations/" + strconv.Itoa(at)})
		}
		if *n.Parent != "" {
			ops = append(ops, c.addRelation(relParent, *n.Parent))
		}
	}
	if l := n.AddLink; l != nil && !current.Linked(*l) {
		ops = append(ops, c.addRelation(relNames[l.Relation], l.Target))
	}
	return ops
}

// related reports whether an item already has the relation of an operation.
func (o op) related(now, before *workItem) bool {
	holds := func(w *workItem, rel, id string) bool {
		return slices.ContainsFunc(w.Relations, func(r relation) bool { return r.Rel == rel && idAtEnd(r.URL) == id })
	}
	if r, adds := o.Value.(relation); adds {
		return holds(now, r.Rel, idAtEnd(r.URL))
	}
	at, err := strconv.Atoi(strings.TrimPrefix(o.Path, "/relations/"))
	return err == nil && at < len(before.Relations) && !holds(now, before.Relations[at].Rel, idAtEnd(before.Relations[at].URL))
}

// custom returns operations that set fields by their display names. A field that the type lacks is an Invalid error that lists the
// type's fields.
func (c *Client) custom(ctx context.Context, native *itemType, values []provider.FieldValue) (ops []op, err error) {
	for _, v := range values {
		f := native.field(v.Name)
		if f == nil {
			return nil, provider.Fail(provider.Invalid, nil, "items of the type %s have no field %q in Azure DevOps", native.Name, v.Name).
				Hint("it has %s", native.names(func(typeField) bool { return true }))
		}
		if v.Value == "" {
			ops = append(ops, op{Op: "remove", Path: "/fields/" + f.Reference})
			continue
		}
		value, err := c.fieldValue(ctx, f.Reference, v)
		if err != nil {
			return nil, err
		}
		ops = append(ops, set(f.Reference, value))
	}
	return ops, nil
}

// fieldValue converts a value to the type of the field.
func (c *Client) fieldValue(ctx context.Context, reference string, v provider.FieldValue) (any, error) {
	var f struct{ Type string }
	if _, err := c.call(ctx, request{Op: "read the field " + v.Name, Path: c.at(c.project, "_apis", "wit", "fields", reference)}, &f); err != nil {
		return nil, err
	}
	switch strings.ToLower(f.Type) {
	case "integer", "double":
		return provider.Number(v.Name, v.Value)
	case "boolean":
		b, err := strconv.ParseBool(v.Value)
		if err != nil {
			return nil, provider.Fail(provider.Invalid, nil, "the field %q takes true or false, and %q is neither", v.Name, v.Value)
		}
		return b, nil
	case "html":
		return htmlOf(v.Value), nil
	}
	return v.Value, nil
}

// field returns the field of the type with a name or reference; nil when the type lacks it.
func (it *itemType) field(name string) *typeField {
	at := slices.IndexFunc(it.Fields, func(f typeField) bool { return strings.EqualFold(f.Name, name) || strings.EqualFold(f.Reference, name) })
	if at < 0 {
		return nil
	}
	return &it.Fields[at]
}

// shown returns a field's value for people: a person's name, the text of HTML.
func (w *workItem) shown(name string) string {
	if who := identity(w.Fields[name]); who != nil && w.text(name) == "" {
		return who.Name
	}
	text := w.text(name)
	if text == "" && string(w.Fields[name]) != "null" {
		text = string(w.Fields[name]) // true or false
	}
	if !tag().MatchString(text) {
		return text
	}
	doc, err := description.Parse(text, description.HTML)
	if err != nil {
		return text
	}
	return strings.TrimSpace(doc.Markdown())
}

// names lists the names of the fields that keep holds for, sorted and in quotation marks.
func (it *itemType) names(keep func(typeField) bool) string {
	return provider.QuotedSome(slices.Values(it.Fields), keep, func(f typeField) string { return f.Name })
}

// needed adds the type's required fields to the error of a creation. The service's own required fields have default values.
func (it *itemType) needed(ops []op, err error) error {
	if !provider.Is(err, provider.Invalid) {
		return err
	}
	names := it.names(func(f typeField) bool {
		given := slices.ContainsFunc(ops, func(o op) bool { return o.Path == "/fields/"+f.Reference })
		return f.Required && f.Default == nil && !given && !strings.HasPrefix(f.Reference, "System.")
	})
	if names == "" {
		return err
	}
	return provider.Fail(provider.Invalid, nil, "Azure DevOps asks for %s of an item of the type %s", names, it.Name).Hint("give it by `--field NAME=VALUE`")
}

// typeOf returns the type of an item, read recently enough for writing.
func (c *Client) typeOf(ctx context.Context, name string) (*itemType, error) {
	t, err := c.loadTypes(ctx, forWriting)
	if err != nil {
		return nil, err
	}
	if it := t.byName[strings.ToLower(name)]; it != nil {
		return it, nil
	}
	return nil, provider.Fail(provider.Protocol, nil, "Azure DevOps has no type of work items %q", name)
}
