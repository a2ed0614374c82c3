package web

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/fault"
)

// answer sends a document, or 304 if the page already has this version.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	document, err := s.model.Document(r.Context(), questionOf(r))
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	s.send(w, r, document)
}

// questionOf reads a question from a URL, whose parameters have the names of the page's own URLs.
func questionOf(r *http.Request) Question {
	query := r.URL.Query()
	most, _ := strconv.Atoi(query.Get("most")) // an invalid number becomes 0, the default
	return Question{View: r.PathValue("view"), Project: query.Get("project"), ID: query.Get("id"), Filter: overview.Filter{
		Words: query.Get("q"), State: query.Get("state"), Epic: query.Get("epic"), Type: query.Get("type"), Order: query.Get("by"), Sprint: query.Get("sprint"), Assignee: query.Get("assignee"), Span: query.Get("span"), Done: query.Get("done") == "show", Most: most}}
}

func (s *Server) send(w http.ResponseWriter, r *http.Request, document any) {
	body, err := json.Marshal(document)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	h := w.Header()
	h.Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", "application/json")
	if len(body) > 1<<10 && unpacks(r) {
		h.Set("Content-Encoding", "gzip")
		body = packed(body, gzip.BestSpeed)
	}
	_, _ = w.Write(body)
}

// refusal is an error in the form that the page shows.
type refusal struct {
	Error string `json:"error"`
	Hint  string `json:"hint,omitempty"`
}

var statuses = map[fault.Kind]int{
	fault.KindValidation: http.StatusBadRequest, fault.KindNotFound: http.StatusNotFound, fault.KindConflict: http.StatusConflict,
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	status, known := statuses[f.Kind]
	if r.Context().Err() != nil {
		return // the page has moved on to another view
	}
	if !known {
		status = http.StatusInternalServerError
		s.options.Log.Error("answer a page", "path", r.URL.Path, "error", err)
	}
	body, _ := json.Marshal(refusal{f.Message, f.Hint}) // two strings
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
