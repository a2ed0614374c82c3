package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

func newEmbed(env *cli.Env, run cli.Func[where]) *cobra.Command {
	o := &where{env: env}
	return cli.Command(&cobra.Command{
		Use:   "embed",
		Short: "Compute the embeddings of memories that have none yet",
		Long: `Compute the embeddings of memories that have none yet, with the model at
recall.embeddings. After a change of the model they are all computed again. recall
computes a few at a time itself, so this is only needed when many memories exist
already.`,
		Example: "memoryd config set recall.embeddings http://127.0.0.1:11434/v1\nmemoryd embed",
	}, o, nil, run)
}

// embedded is how many memories the model has read.
type embedded struct {
	Model string `json:"model"`
	Read  int    `json:"read"` // memories read by this run
}

func runEmbed(ctx context.Context, o *where) error {
	st, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	waiting, err := st.Memories.Waiting(ctx)
	if err != nil {
		return err
	}
	progress := o.env.Streams.Progress("the model reads memories")
	defer progress.Done()
	n, err := st.Memories.ReadAll(ctx, func(done int) { progress.Count(done, max(waiting, done)) })
	if err != nil {
		if n > 0 {
			o.env.Streams.Notice("%s read before the error, and stay", text.Count(n, "memory was", "memories were"))
		}
		return err
	}
	progress.Done()
	return o.env.Printer().Document(ctx, embedded{st.Config.Recall.EmbeddingsModel, n}, func(t *term.Streams) error {
		return t.Line(text.Count(n, "memory", "memories"), "read by", st.Config.Recall.EmbeddingsModel)
	})
}
