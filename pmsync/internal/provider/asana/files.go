package asana

import (
	"context"
	"net/url"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// Attachments returns the task's files and linked pages. Reading a task does not show whether it has any.
func (c *Client) Attachments(ctx context.Context, current *provider.Item) (files []provider.File, err error) {
	q := url.Values{"parent": {current.RemoteID}, "opt_fields": {"name,resource_subtype,size,permanent_url,view_url"}}
	err = each(ctx, c, "read the attachments of "+current.Key, "attachments", q, func(a struct {
		Name    string `json:"name"`
		Subtype string `json:"resource_subtype"`
		Size    int64  `json:"size"`
		URL     string `json:"permanent_url"`
		View    string `json:"view_url"`
	}) error {
		f := provider.File{Web: a.Subtype == "external", Name: a.Name, URL: a.URL, Size: a.Size}
		if f.URL == "" || f.Web && a.View != "" {
			f.URL = a.View
		}
		files = append(files, f)
		return nil
	})
	return files, err
}
