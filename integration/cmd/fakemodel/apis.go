package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

func object(v any) map[string]any { o, _ := v.(map[string]any); return o }
func list(v any) []any            { l, _ := v.([]any); return l }
func word(v any) string           { s, _ := v.(string); return s }

// textOf returns the text of a content: a string, or blocks with one.
func textOf(content any) string {
	if s, ok := content.(string); ok {
		return s
	}
	all := ""
	for _, block := range list(content) {
		all += word(object(block)["text"]) + "\n"
	}
	return all
}

// saw adds a user's message; a new message resets the count of results.
func (t *turn) saw(text string) {
	t.Text += text + "\n"
	if strings.TrimSpace(text) != "" {
		t.Results = 0
	}
}

// events writes server-sent events, each a name ("" for none) and its data.
func events(w http.ResponseWriter, named bool, all ...map[string]any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range all {
		data, _ := json.Marshal(e)
		if named {
			fmt.Fprintf(w, "event: %s\n", e["type"])
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
		_ = http.NewResponseController(w).Flush()
	}
}

func whole(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// Anthropic's Messages: https://docs.anthropic.com/en/api/messages-streaming

func parseMessages(body map[string]any, _ string) (t turn) {
	t.Stream, t.Model = body["stream"] == true, word(body["model"])
	for _, v := range list(body["tools"]) {
		if schema := object(object(v)["input_schema"]); schema != nil {
			t.Tools = append(t.Tools, tool{Name: word(object(v)["name"]), Schema: schema})
		}
	}
	for _, v := range list(body["messages"]) {
		m := object(v)
		if m["role"] != "user" {
			continue
		}
		results := 0
		for _, block := range list(m["content"]) {
			if object(block)["type"] == "tool_result" {
				results++
			}
		}
		if results == 0 {
			t.saw(textOf(m["content"]))
		}
		t.Results += results
	}
	return t
}

func sayMessages(w http.ResponseWriter, t turn, n int, text, name string, input map[string]any) {
	block := map[string]any{"type": "text", "text": text}
	delta := map[string]any{"type": "text_delta", "text": text}
	start := map[string]any{"type": "text", "text": ""}
	stop := "end_turn"
	if name != "" {
		id := fmt.Sprintf("toolu_%d", n)
		arguments, _ := json.Marshal(input)
		block = map[string]any{"type": "tool_use", "id": id, "name": name, "input": input}
		start = map[string]any{"type": "tool_use", "id": id, "name": name, "input": map[string]any{}}
		delta, stop = map[string]any{"type": "input_json_delta", "partial_json": string(arguments)}, "tool_use"
	}
	message := map[string]any{"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": t.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 100, "output_tokens": 20}}
	if !t.Stream {
		message["content"], message["stop_reason"] = []any{block}, stop
		whole(w, message)
		return
	}
	events(w, true, map[string]any{"type": "message_start", "message": message},
		map[string]any{"type": "content_block_start", "index": 0, "content_block": start},
		map[string]any{"type": "content_block_delta", "index": 0, "delta": delta},
		map[string]any{"type": "content_block_stop", "index": 0},
		map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 20}},
		map[string]any{"type": "message_stop"})
}

func failMessages(status int, message string) any {
	kind := map[int]string{401: "authentication_error", 403: "permission_error", 429: "rate_limit_error", 529: "overloaded_error"}[status]
	if kind == "" {
		kind = "api_error"
	}
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}}
}

// OpenAI's Responses: https://platform.openai.com/docs/api-reference/responses-streaming

func parseResponses(body map[string]any, _ string) (t turn) {
	t.Stream, t.Model = body["stream"] == true, word(body["model"])
	for _, v := range list(body["tools"]) {
		o := object(v)
		switch o["type"] {
		case "function":
			t.Tools = append(t.Tools, tool{Name: word(o["name"]), Schema: object(o["parameters"])})
		case "namespace": // Codex's group of the tools of each MCP server
			for _, v := range list(o["tools"]) {
				one := object(v)
				t.Tools = append(t.Tools, tool{Name: word(one["name"]), Schema: object(one["parameters"]), Space: word(o["name"])})
			}
		default:
			t.Tools = append(t.Tools, tool{Name: word(o["name"])})
		}
	}
	if s, ok := body["input"].(string); ok {
		t.saw(s)
	}
	for _, v := range list(body["input"]) {
		switch o := object(v); {
		case strings.HasSuffix(word(o["type"]), "call_output"):
			t.Results++
		case o["role"] == "user":
			t.saw(textOf(o["content"]))
		}
	}
	return t
}

func sayResponses(w http.ResponseWriter, t turn, n int, text, name string, input map[string]any) {
	item := map[string]any{"type": "message", "id": fmt.Sprintf("msg_%d", n), "role": "assistant", "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}}}
	if name != "" {
		arguments, _ := json.Marshal(input)
		item = map[string]any{"type": "function_call", "id": fmt.Sprintf("fc_%d", n), "call_id": fmt.Sprintf("call_%d", n), "name": name, "arguments": string(arguments), "status": "completed"}
		if i := slices.IndexFunc(t.Tools, func(o tool) bool { return o.Name == name }); i >= 0 && t.Tools[i].Space != "" {
			item["namespace"] = t.Tools[i].Space
		}
	}
	response := map[string]any{"id": fmt.Sprintf("resp_%d", n), "object": "response", "created_at": 0, "model": t.Model, "status": "completed", "output": []any{item},
		"usage": map[string]any{"input_tokens": 100, "input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens": 20, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 120}}
	if !t.Stream {
		whole(w, response)
		return
	}
	created := map[string]any{"id": response["id"], "object": "response", "status": "in_progress", "model": t.Model, "output": []any{}}
	events(w, true, map[string]any{"type": "response.created", "response": created, "sequence_number": 0},
		map[string]any{"type": "response.output_item.added", "output_index": 0, "item": item, "sequence_number": 1},
		map[string]any{"type": "response.output_item.done", "output_index": 0, "item": item, "sequence_number": 2},
		map[string]any{"type": "response.completed", "response": response, "sequence_number": 3})
}

func failOpenAI(status int, message string) any {
	kind, code := "server_error", any(nil)
	switch status {
	case 401:
		kind, code = "invalid_request_error", "invalid_api_key"
	case 429:
		kind, code = "rate_limit_exceeded", "rate_limit_exceeded"
	}
	return map[string]any{"error": map[string]any{"message": message, "type": kind, "code": code, "param": nil}}
}

// OpenAI's Chat Completions: https://platform.openai.com/docs/api-reference/chat

func parseChat(body map[string]any, _ string) (t turn) {
	t.Stream, t.Model = body["stream"] == true, word(body["model"])
	for _, v := range list(body["tools"]) {
		f := object(object(v)["function"])
		t.Tools = append(t.Tools, tool{Name: word(f["name"]), Schema: object(f["parameters"])})
	}
	for _, v := range list(body["messages"]) {
		switch o := object(v); o["role"] {
		case "tool":
			t.Results++
		case "user":
			t.saw(textOf(o["content"]))
		}
	}
	return t
}

func sayChat(w http.ResponseWriter, t turn, n int, text, name string, input map[string]any) {
	delta, reason := map[string]any{"role": "assistant", "content": text}, "stop"
	if name != "" {
		arguments, _ := json.Marshal(input)
		delta = map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{"index": 0, "id": fmt.Sprintf("call_%d", n), "type": "function",
			"function": map[string]any{"name": name, "arguments": string(arguments)}}}}
		reason = "tool_calls"
	}
	usage := map[string]any{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
	head := func(object string, choice map[string]any) map[string]any {
		return map[string]any{"id": fmt.Sprintf("chat_%d", n), "object": object, "created": 0, "model": t.Model, "choices": []any{choice}}
	}
	if !t.Stream {
		all := head("chat.completion", map[string]any{"index": 0, "message": delta, "finish_reason": reason})
		all["usage"] = usage
		whole(w, all)
		return
	}
	last := head("chat.completion.chunk", map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reason})
	last["usage"] = usage
	events(w, false, head("chat.completion.chunk", map[string]any{"index": 0, "delta": delta, "finish_reason": nil}), last)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// Gemini's API: https://ai.google.dev/api/generate-content

func parseGemini(body map[string]any, path string) (t turn) {
	t.Stream = strings.Contains(path, ":stream")
	for _, v := range list(body["tools"]) {
		for _, d := range list(object(v)["functionDeclarations"]) {
			o := object(d)
			schema := object(o["parametersJsonSchema"])
			if schema == nil {
				schema = object(o["parameters"])
			}
			t.Tools = append(t.Tools, tool{Name: word(o["name"]), Schema: schema})
		}
	}
	for _, v := range list(body["contents"]) {
		m := object(v)
		if m["role"] == "model" {
			continue
		}
		results := 0
		for _, part := range list(m["parts"]) {
			if object(part)["functionResponse"] != nil {
				results++
			}
		}
		if results == 0 {
			t.saw(textOf(m["parts"]))
		}
		t.Results += results
	}
	return t
}

func sayGemini(w http.ResponseWriter, t turn, n int, text, name string, input map[string]any) {
	part := map[string]any{"text": text}
	if name != "" {
		part = map[string]any{"functionCall": map[string]any{"id": fmt.Sprintf("call_%d", n), "name": name, "args": input}}
	}
	answer := map[string]any{"candidates": []any{map[string]any{"content": map[string]any{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": map[string]any{"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}, "modelVersion": "fake"}
	if !t.Stream {
		whole(w, answer)
		return
	}
	events(w, false, answer)
}

func failGemini(status int, message string) any {
	word := map[int]string{401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}[status]
	if word == "" {
		word = "INTERNAL"
	}
	return map[string]any{"error": map[string]any{"code": status, "message": message, "status": word}}
}
