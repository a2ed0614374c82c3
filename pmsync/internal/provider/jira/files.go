package jira

import (
	"context"
	"net/url"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// Attachments returns the issue's linked pages, which do not come with the issue.
func (c *Client) Attachments(ctx context.Context, current *provider.Item) (files []provider.File, err error) {
	if err := onlyIssues(current); err != nil {
		return nil, nil // a version has none
	}
	var links []struct {
		Object struct{ URL, Title string }
	}
	err = c.get(ctx, "read the web links of "+current.Key, "api/3/issue/"+url.PathEscape(current.RemoteID)+"/remotelink", nil, &links)
	for _, l := range links {
		files = append(files, provider.File{Web: true, Name: l.Object.Title, URL: l.Object.URL})
	}
	return files, err
}
