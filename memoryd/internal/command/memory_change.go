package command

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

type updateOptions struct {
	where
	Key   string
	Type  string
	patch memory.Patch

	Content, Title, Summary, Context string

	Importance  int
	Confidence  float64
	Tags, Items []string
	Cite        []string
	Expires     string

	cite, expires bool // given as flags
}

func newUpdate(env *cli.Env, run cli.Func[updateOptions]) *cobra.Command {
	o := &updateOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:   "update KEY [flags]",
		Short: "Change a memory, and keep its earlier version",
		Long: `Change the memory with a key or id. Only what is given changes; tags, related items and
citations replace those it has. Lower its confidence when something contradicts it.
memoryd recall --key KEY --history shows what it said before.`,
		Example:           "memoryd update utc-dates --content 'Dates are stored in UTC, shown in local time'\nmemoryd update utc-dates --confidence 0.5 --why 'the import writes local time'",
		ValidArgsFunction: completeKeys(env),
	}, o, o.take, run)
	o.bind(env, cmd)
	bindType(cmd, &o.Type, "`type` of the memory, where several have the key")
	f := cmd.Flags()
	f.StringVarP(&o.Content, "content", "c", "", "new `text`")
	f.StringVar(&o.Title, "title", "", "new title")
	f.StringVar(&o.Summary, "summary", "", "new summary")
	f.StringVar(&o.Context, "context", "", "new text about its context")
	f.IntVarP(&o.Importance, "importance", "i", 0, "new importance, `1..5`")
	f.Float64Var(&o.Confidence, "confidence", 0, "new confidence, `0..1`")
	f.StringSliceVar(&o.Tags, "tag", nil, "`tags`, in place of the present ones")
	f.StringSliceVar(&o.Items, "related", nil, "`ids` of the items that it is about, in place of the present ones")
	f.StringArrayVar(&o.Cite, "cite", nil, "`path:line` that supports it, in place of the present ones")
	f.StringVar(&o.Expires, "expires", "", "`time` after which it is hidden, or never")
	f.StringVar(&o.patch.Why, "why", "", "`reason`, kept in the history")
	f.BoolVar(&o.patch.AllowSecrets, "allow-secrets", false, "store texts that look like secrets as they are")
	return cmd
}

func (o *updateOptions) take(g cli.Given) error {
	o.Key, o.cite, o.expires = g.Args[0], g.Changed("cite"), g.Changed("expires")
	o.patch.Content = cli.IfGiven(g, "content", &o.Content)
	o.patch.Title = cli.IfGiven(g, "title", &o.Title)
	o.patch.Summary = cli.IfGiven(g, "summary", &o.Summary)
	o.patch.Context = cli.IfGiven(g, "context", &o.Context)
	o.patch.Importance = cli.IfGiven(g, "importance", &o.Importance)
	o.patch.Confidence = cli.IfGiven(g, "confidence", &o.Confidence)
	o.patch.Tags = cli.IfGiven(g, "tag", &o.Tags)
	o.patch.Items = cli.IfGiven(g, "related", &o.Items)
	return nil
}

func runUpdate(ctx context.Context, o *updateOptions) error {
	p := o.patch
	p.Named = memory.Named(ctx, o.folder(), o.Content)[0]
	if o.cite {
		list := make([]memory.Citation, len(o.Cite))
		for i, given := range o.Cite {
			list[i] = memory.Cited(given)
		}
		o.standing(ctx, list)
		p.Citations = &list
	}
	if o.expires {
		at, err := memory.NewExpiry(cmp.Or(o.Expires, "never"), time.Now())
		if err != nil {
			return err
		}
		p.ExpiresAt = at
	}
	st, target, err := o.openTarget(ctx, o.Key, o.Type)
	if err != nil {
		return err
	}
	s, err := st.Memories.Update(ctx, target, p)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, s, func(t *term.Streams) error { return printStored(t, s) })
}

type forgetOptions struct {
	where
	Key    string
	Type   string
	Why    string
	Purge  bool
	DryRun bool
	Yes    bool
}

func newForget(env *cli.Env, run cli.Func[forgetOptions]) *cobra.Command {
	o := &forgetOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:   "forget KEY [flags]",
		Short: "Archive a memory that is wrong or no longer matters",
		Long: `Archive the memory with a key or id: it is no longer recalled, and memoryd restore
brings it back. --purge deletes it with its history for good, also one that is archived.`,
		Example:           "memoryd forget utc-dates --why 'we store local time now'\nmemoryd forget old-plan --purge --dry-run",
		ValidArgsFunction: completeKeys(env),
	}, o, cli.Take(&o.Key), run)
	o.bind(env, cmd)
	bindType(cmd, &o.Type, "`type` of the memory, where several have the key")
	f := cmd.Flags()
	f.StringVar(&o.Why, "why", "", "`reason`, kept with it")
	f.BoolVar(&o.Purge, "purge", false, "delete it for good")
	f.BoolVar(&o.DryRun, "dry-run", false, "show what would happen, and change nothing")
	f.BoolVarP(&o.Yes, "yes", "y", false, "with --purge, do not ask")
	return cmd
}

func runForget(ctx context.Context, o *forgetOptions) error {
	st, target, err := o.openTarget(ctx, o.Key, o.Type)
	if err != nil {
		return err
	}
	done := memory.Forgotten{}
	if done.Memory, err = st.Memories.Look(ctx, target, o.Purge); err != nil {
		return err
	}
	agreed := !o.DryRun
	if o.Purge && agreed {
		question := fmt.Sprintf("Delete %s %q of type %s with its history for good?", done.ID, done.Key, done.Type)
		if agreed, err = o.env.Streams.Confirm(ctx, question, o.Yes); err != nil {
			return err
		}
		if !agreed {
			o.env.Streams.Notice("%q stays", done.Key)
			return nil
		}
	}
	if agreed {
		target.Key, target.Type = done.ID, "" // the memories that were shown, and no others
		if done, err = st.Memories.Forget(ctx, target, o.Why, o.Purge); err != nil {
			return err
		}
	}
	verb := "archived"
	if o.Purge {
		verb = "deleted"
	}
	if !agreed {
		verb = "would be " + verb
	}
	return o.env.Printer().Document(ctx, done, func(t *term.Streams) error { return t.Line(done.ID, verb, done.Type, done.Key) })
}

type restoreOptions struct {
	where
	Key  string
	Type string
}

func newRestore(env *cli.Env, run cli.Func[restoreOptions]) *cobra.Command {
	o := &restoreOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:   "restore [KEY]",
		Short: "Bring back an archived memory, or list those there are",
		Long: `Bring back the memory with a key or id that was forgotten, decayed, expired or replaced;
of several the one archived last. Without a key the archived memories are listed.`,
		Example: "memoryd restore\nmemoryd restore utc-dates",
	}, o, cli.Take(&o.Key), run)
	o.bind(env, cmd)
	bindType(cmd, &o.Type, "`type` of the memory")
	return cmd
}

func runRestore(ctx context.Context, o *restoreOptions) error {
	if o.Key == "" {
		return listHidden(ctx, o)
	}
	st, target, err := o.openTarget(ctx, o.Key, o.Type)
	if err != nil {
		return err
	}
	m, err := st.Memories.Restore(ctx, target)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, m, func(t *term.Streams) error { return t.Line(m.ID, "restored", m.Type, m.Key) })
}
