package forge

import (
	"bytes"
	"context"
	"strconv"
	"strings"
)

// invoke reads a resource of the REST API for which az has no command of its own.
func (p azure) invoke(ctx context.Context, into any, area, resource string, route ...string) error {
	args := append([]string{"devops", "invoke", "--area", area, "--resource", resource, "--route-parameters"}, route...)
	return p.read(ctx, into, append(args, "--api-version", "7.1", "--detect", "true", "--output", "json")...)
}

func (p azure) checks(ctx context.Context, number int64) (found results, err error) {
	policies, err := p.policies(ctx, number)
	if err != nil {
		return found, err
	}
	found = azureResults(policies)
	project := ""
	for i := range found.failed {
		one := &found.failed[i]
		if one.job == "" {
			continue
		}
		if project == "" {
			d, err := p.show(ctx, number)
			if err != nil {
				return found, err
			}
			project = d.Repository.Project.ID
		}
		one.job = project + "/" + one.job
	}
	return found, nil
}

// azureResults are the checks among the policies; the job of one is its build.
func azureResults(policies []azurePolicy) (found results) {
	for _, policy := range policies {
		c := policy.Configuration
		switch policy.state() {
		case ChecksRunning:
			// A policy for reviewers waits for people, not for a program.
			found.running = found.running || policy.Context != nil && policy.Context.Build != 0
		case ChecksFailed:
			one := failedCheck{name: c.Type.Name}
			if c.Settings.Name != "" {
				one.name += " / " + c.Settings.Name
			}
			if policy.Context != nil && policy.Context.Build != 0 {
				one.job = strconv.FormatInt(policy.Context.Build, 10)
			}
			found.failed = append(found.failed, one)
		}
	}
	return found
}

// log reads the logs of a build's steps that failed.
func (p azure) log(ctx context.Context, job string) ([]byte, error) {
	project, build, _ := strings.Cut(job, "/")
	var timeline struct {
		Records []struct {
			Result string `json:"result"`
			Type   string `json:"type"`
			Log    *struct {
				ID int64 `json:"id"`
			} `json:"log"`
		} `json:"records"`
	}
	if err := p.invoke(ctx, &timeline, "build", "timeline", "project="+project, "buildId="+build); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, r := range timeline.Records {
		if r.Result != "failed" || r.Type != "Task" || r.Log == nil {
			continue
		}
		var lines struct {
			Value []string `json:"value"`
		}
		if err := p.invoke(ctx, &lines, "build", "logs", "project="+project, "buildId="+build, "logId="+strconv.FormatInt(r.Log.ID, 10)); err != nil {
			return nil, err
		}
		b.WriteString(strings.Join(lines.Value, "\n") + "\n")
	}
	return b.Bytes(), nil
}

func (p azure) comments(ctx context.Context, number int64) (all []Comment, err error) {
	d, err := p.show(ctx, number)
	if err != nil {
		return nil, err
	}
	var said struct {
		Threads []struct {
			ID      int64  `json:"id"`
			Status  string `json:"status"`
			Deleted bool   `json:"isDeleted"`
			Context *struct {
				Path string `json:"filePath"`
				Line *struct {
					Line int64 `json:"line"`
				} `json:"rightFileStart"`
			} `json:"threadContext"`
			Comments []struct {
				ID      int64  `json:"id"`
				Content string `json:"content"`
				Type    string `json:"commentType"`
				Deleted bool   `json:"isDeleted"`
				Author  struct {
					Name   string `json:"displayName"`
					Unique string `json:"uniqueName"`
				} `json:"author"`
			} `json:"comments"`
		} `json:"value"`
	}
	route := []string{"project=" + d.Repository.Project.ID, "repositoryId=" + d.Repository.ID, "pullRequestId=" + strconv.FormatInt(number, 10)}
	if err := p.invoke(ctx, &said, "git", "pullRequestThreads", route...); err != nil {
		return nil, err
	}
	may := map[string]bool{}
	for _, t := range said.Threads {
		if t.Deleted || t.Status == "fixed" || t.Status == "closed" || t.Status == "wontFix" || t.Status == "byDesign" {
			continue
		}
		for _, one := range t.Comments {
			if one.Type != "text" || one.Deleted {
				continue
			}
			who := one.Author.Unique
			writer, known := may[who]
			if !known {
				if writer, err = p.contributes(ctx, d, who); err != nil {
					return nil, err
				}
				may[who] = writer
			}
			c := Comment{ID: "thread-" + strconv.FormatInt(t.ID, 10) + "-" + strconv.FormatInt(one.ID, 10), Author: one.Author.Name, As: "may not contribute",
				Writer: writer, Text: one.Content}
			if writer {
				c.As = "may contribute"
			}
			if t.Context != nil {
				c.Path = strings.TrimPrefix(t.Context.Path, "/")
				if t.Context.Line != nil {
					c.Line = t.Context.Line.Line
				}
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// The permission to push to a repository. Azure DevOps' pages: "Security namespace and permission reference", Git Repositories,
// GenericContribute.
const (
	azureGit        = "2e9eb7ed-3c0a-47d4-87c1-0ffdd275fd87"
	azureContribute = 4
)

// contributes reports whether a person may push to a repository; false when that cannot be found out.
func (p azure) contributes(ctx context.Context, d azureAnswer, who string) (bool, error) {
	if who == "" {
		return false, nil
	}
	var lists []struct {
		Entries map[string]struct {
			Extended *struct {
				Allow int64 `json:"effectiveAllow"`
				Deny  int64 `json:"effectiveDeny"`
			} `json:"extendedInfo"`
		} `json:"acesDictionary"`
	}
	err := p.read(ctx, &lists, "devops", "security", "permission", "show", "--namespace-id", azureGit, "--subject="+who,
		"--token", "repoV2/"+d.Repository.Project.ID+"/"+d.Repository.ID, "--detect", "true", "--output", "json")
	if err != nil {
		if Limited(err) || ctx.Err() != nil {
			return false, err
		}
		return false, nil
	}
	may := false
	for _, list := range lists {
		for _, e := range list.Entries {
			if e.Extended == nil {
				continue
			}
			if e.Extended.Deny&azureContribute != 0 {
				return false, nil
			}
			may = may || e.Extended.Allow&azureContribute != 0
		}
	}
	return may, nil
}

// merges sets it to be completed once its policies are met. az takes no commit: the policies judge a later push anew.
func (p azure) merges(ctx context.Context, number int64, _ string) error {
	_, err := p.run(ctx, "", "repos", "pr", "update", "--id", strconv.FormatInt(number, 10), "--auto-complete", "true", "--detect", "true", "--output", "json")
	return err
}
