// Package embedding asks an endpoint with OpenAI's embeddings API for the vectors of texts. Ollama, llama.cpp, LM Studio and vLLM provide
// one on the user's own machine. It decides nothing and keeps only whether the endpoint was reachable.
package embedding

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/loopback"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/text"
)

// Bounds of a request.
const (
	connectWithin = 200 * time.Millisecond // a running server answers the connection at once, even while it loads a model
	awayFor       = time.Minute            // how long an unreachable endpoint is not asked again
	longestAnswer = 64 << 20               // bytes
	longestError  = 4 << 10
)

// Endpoint is a model behind an address. It is safe for concurrent use.
type Endpoint struct {
	address string // of the request, ends in /embeddings
	model   string
	key     string
	wait    time.Duration
	http    *http.Client

	mu   sync.Mutex
	away time.Time // the end of the pause after a failure
	why  error
}

// New returns the endpoint of a configuration, nil when none is set. An endpoint on another machine needs the user's own consent and https,
// since the texts of memories are sent there.
func New(c config.Recall) (*Endpoint, error) {
	given := strings.TrimSpace(c.Embeddings)
	if given == "" {
		return nil, nil
	}
	u, err := url.Parse(given)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.Validation("recall.embeddings", "recall.embeddings is not the address of an endpoint: %q", given).
			WithHint("name one like http://127.0.0.1:11434/v1")
	}
	if !loopback.IsLocal(u.Host) {
		switch {
		case !c.EmbeddingsRemote:
			return nil, fault.Validation("recall.embeddings", "recall.embeddings is on another machine, %s, and nothing is sent there", u.Host).
				WithHint("`memoryd config set recall.embeddings_remote true` sends it what memories and questions say, without secrets")
		case u.Scheme != "https":
			return nil, fault.Validation("recall.embeddings", "recall.embeddings is on another machine and does not use https: %s", u.Host).WithHint("name its https address")
		}
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/embeddings")
	u.Path = cmp.Or(u.Path, "/v1") + "/embeddings"
	dialer := &net.Dialer{Timeout: connectWithin}
	e := &Endpoint{address: u.String(), model: c.EmbeddingsModel, key: string(c.EmbeddingsKey), wait: c.EmbeddingsWait}
	e.http = &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSHandshakeTimeout: 10 * connectWithin, MaxIdleConns: 2, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // a redirect may lead to another host
	}
	return e, nil
}

// Model returns the configured model's name.
func (e *Endpoint) Model() string { return e.model }

// answer is the answer of an endpoint, with vectors or an error (https://platform.openai.com/docs/api-reference/embeddings).
type answer struct {
	Data []struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
	Error json.RawMessage `json:"error"`
}

// Embed returns the vector of each text, in order. After a failed connection the endpoint is not asked again for a minute: the same error
// is returned at once. Errors are Provider faults.
func (e *Endpoint) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := e.gone(); err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]any{"model": e.model, "input": texts, "encoding_format": "float"})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, e.wait)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if e.key != "" {
		request.Header.Set("Authorization", "Bearer "+e.key)
	}
	response, err := e.http.Do(request)
	if err != nil {
		return nil, e.failed(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, e.refused(response)
	}
	var got answer
	if err := json.NewDecoder(io.LimitReader(response.Body, longestAnswer)).Decode(&got); err != nil {
		return nil, e.failed(ctx, err)
	}
	list := make([][]float32, len(texts))
	for _, d := range got.Data {
		if d.Index < 0 || d.Index >= len(list) || list[d.Index] != nil {
			return nil, fault.Provider(nil, "%s answered with a vector for a text that was not sent", e.address)
		}
		list[d.Index] = d.Embedding
	}
	for _, numbers := range list {
		if len(numbers) == 0 {
			return nil, fault.Provider(nil, "%s answered %d vectors for %d texts", e.address, len(got.Data), len(texts))
		}
	}
	return list, nil
}

// gone returns the error that keeps the endpoint from being asked now.
func (e *Endpoint) gone() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.why != nil && time.Now().Before(e.away) {
		return e.why
	}
	e.why = nil
	return nil
}

// failed turns a connection error into a fault, and remembers it.
func (e *Endpoint) failed(ctx context.Context, err error) error {
	f := fault.Provider(err, "no server answers at the embeddings endpoint %s", e.address).WithHint("start it, or clear recall.embeddings")
	var dns *net.OpError
	switch {
	case errors.Is(context.Cause(ctx), context.Canceled):
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		f = fault.Provider(err, "the embeddings endpoint %s did not answer within %s", e.address, e.wait).WithHint("raise recall.embeddings_wait where its model is slow")
	case !errors.As(err, &dns):
		f = fault.Provider(err, "the embeddings endpoint %s answered what cannot be read", e.address).WithHint("recall.embeddings must be an endpoint of OpenAI's form, such as http://127.0.0.1:11434/v1")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.away, e.why = time.Now().Add(awayFor), f
	return f
}

// refused turns an answer without vectors into a fault.
func (e *Endpoint) refused(response *http.Response) error {
	said, _ := io.ReadAll(io.LimitReader(response.Body, longestError))
	var got answer
	why := ""
	if json.Unmarshal(said, &got) == nil && len(got.Error) > 0 {
		var told struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(got.Error, &told) != nil || told.Message == "" {
			_ = json.Unmarshal(got.Error, &told.Message) // Ollama's is a string
		}
		why = told.Message
	}
	clean, _ := redact.Text(text.Cut(cmp.Or(why, response.Status), 200))
	return fault.Provider(nil, "the embeddings endpoint %s refuses model %q: %s", e.address, e.model, clean).
		WithHint("recall.embeddings_model names its model")
}
