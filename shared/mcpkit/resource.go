package mcpkit

import (
	"cmp"
	"context"
	"encoding/base64"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
)

// Resource describes something that can be read. URI may be an RFC 6570
// template, such as "agit://repos/{name}".
type Resource struct {
	URI         string
	Name        string
	Title       string
	Description string
	MIME        string // application/json when empty
	Kept        bool   // as Tool.Kept
	// Complete offers values for the variables of a template.
	Complete map[string]Completer
}

// Text and Blob are what a read function returns when it is not a document.
type (
	// Text is a resource that is plain text.
	Text string
	// Blob is a resource that is bytes.
	Blob []byte
)

// Read returns a resource: a document that marshals to a JSON object, Text or
// Blob. vars are the variables of a template, decoded.
type Read func(ctx context.Context, c *Call, vars map[string]string) (any, error)

// AddResource registers a resource or a template of resources.
func (s *Server) AddResource(r Resource, read Read) {
	r.MIME = cmp.Or(r.MIME, "application/json")
	p := newPattern(r.URI)
	s.offered = append(s.offered, offer{r, p, read})
	handler := func(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return s.read(ctx, r, p, read, request.Params.URI)
	}
	if p.template == nil {
		s.mcp.AddResource(mcp.NewResource(r.URI, r.Name, mcp.WithResourceTitle(r.Title),
			mcp.WithResourceDescription(r.Description), mcp.WithMIMEType(r.MIME)), handler)
		return
	}
	s.reads[r.URI] = r.Complete
	t := mcp.NewResourceTemplate(r.URI, r.Name, mcp.WithTemplateDescription(r.Description), mcp.WithTemplateMIMEType(r.MIME))
	t.Title = r.Title
	s.mcp.AddResourceTemplate(t, handler)
}

// offer is a resource with its read function.
type offer struct {
	Resource
	pattern
	read Read
}

// exists returns an error for a URI that no resource has, or whose subject does not exist. A resource that cannot be read for another
// reason exists.
func (s *Server) exists(ctx context.Context, uri string) error {
	for _, o := range s.offered {
		if _, ok := o.match(uri); !ok {
			continue
		}
		if o.template == nil {
			return nil
		}
		if _, err := s.read(ctx, o.Resource, o.pattern, o.read, uri); fault.Is(err, fault.KindNotFound) || fault.Is(err, fault.KindValidation) {
			return err
		}
		return nil
	}
	return server.ErrResourceNotFound
}

func (s *Server) read(ctx context.Context, r Resource, p pattern, read Read, uri string) ([]mcp.ResourceContents, error) {
	c := newCall(ctx, r.URI)
	var contents mcp.ResourceContents
	err := guard(s.log, r.URI, func() error {
		vars, ok := p.match(uri)
		if !ok {
			return fault.NotFound("resource", shorten(uri))
		}
		for name, value := range vars {
			if f := (&validator{}).text(name, nil, value); f != nil {
				return f
			}
		}
		found, err := read(ctx, c, vars)
		if err != nil {
			return err
		}
		contents, err = r.contents(uri, found)
		return err
	})
	f := s.fault(err)
	c.logLine(ctx, s.log, f)
	if f != nil {
		return nil, failed(ctx, f)
	}
	return []mcp.ResourceContents{contents}, nil
}

func (r Resource) contents(uri string, found any) (mcp.ResourceContents, error) {
	mime := r.MIME
	switch x := found.(type) {
	case Text:
		if !r.Kept {
			x = Text(redact.Clean(string(x)))
		}
		return mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: string(x)}, nil
	case Blob:
		return mcp.BlobResourceContents{URI: uri, MIMEType: mime, Blob: base64.StdEncoding.EncodeToString(x)}, nil
	}
	doc, err := document(found, listsOf(found))
	if err != nil {
		return nil, fault.Operation(err, "encode the resource")
	}
	if !r.Kept {
		doc, _ = redact.JSON(doc)
	}
	return mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: string(doc)}, nil
}

// failed stores the fault for encodeResponse, since mcp-go's error responses carry no data of a handler.
func failed(ctx context.Context, f *fault.Fault) error {
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		r.fault = f
	}
	return f
}

func newPattern(uri string) pattern {
	if !strings.Contains(uri, "{") {
		return pattern{uri: uri}
	}
	return pattern{uri: uri, template: mcp.NewResourceTemplate(uri, "").URITemplate}
}

func (p pattern) match(uri string) (vars map[string]string, ok bool) {
	if p.template == nil {
		return nil, uri == p.uri
	}
	values := p.template.Match(uri)
	if values == nil {
		return nil, false
	}
	vars = make(map[string]string, len(values))
	for name, value := range values {
		vars[name] = value.String()
	}
	return vars, true
}
