package ticket

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/work"
)

// table holds the columns of a file, by our own names of fields.
type table struct {
	fields []string // "" for a column that means nothing here
	levels []int    // level in a tree of titles (Title 1, Title 2, …); 0 for another column
	azure  bool
}

// titleAt matches the column for titles at one level of a tree, as Azure DevOps writes it.
var titleAt = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^title([1-9][0-9]?)$`) })

// tableOf reads a heading. Some names have another meaning in the export of one tool.
func tableOf(head []string) (t table) {
	t.fields, t.levels = make([]string, len(head)), make([]int, len(head))
	names := make([]string, len(head))
	for i, name := range head {
		names[i] = fold(name)
		t.fields[i] = aliases()[names[i]]
	}
	t.azure = slices.Contains(names, "workitemtype")
	linear := slices.Contains(names, "cyclenumber") || slices.Contains(names, "cyclename") && slices.Contains(names, "team")
	for i, name := range names {
		switch m := titleAt().FindStringSubmatch(name); {
		case m != nil && !slices.Contains(names, "title"):
			t.fields[i] = "title"
			t.levels[i], _ = strconv.Atoi(m[1]) // always digits
		case linear && name == "project":
			t.fields[i] = "epic_name"
		case t.azure && (name == "effort" || name == "size"):
			t.fields[i] = "estimate"
		case strings.HasPrefix(name, "inwardissuelink"), strings.HasPrefix(name, "outwardissuelink"):
			t.fields[i] = cmp.Or(t.fields[i], "related_to") // a link type of the site's own; its words are not in the file
		}
	}
	return t
}

func parseCSV(data []byte) (all []record, err error) {
	if !bytes.Contains(data, []byte("\n")) { // as old spreadsheets for the Mac write it
		data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	}
	comma := ','
	heading, rest, _ := bytes.Cut(data, []byte("\n"))
	if said, ok := bytes.CutPrefix(bytes.ToLower(bytes.TrimSpace(heading)), []byte("sep=")); ok && len(said) <= 1 {
		data = rest
		heading, _, _ = bytes.Cut(data, []byte("\n"))
		if len(said) == 1 {
			comma = rune(said[0])
		}
	}
	for _, c := range []rune{'\t', ';'} {
		if bytes.Count(heading, []byte(string(c))) > bytes.Count(heading, []byte(string(comma))) {
			comma = c
		}
	}
	reader := csv.NewReader(bytes.NewReader(data))
	reader.Comma, reader.FieldsPerRecord, reader.LazyQuotes = comma, -1, false
	head, err := reader.Read()
	if err != nil {
		return nil, csvError(err)
	}
	t := tableOf(head)
	if !slices.Contains(t.fields, "title") {
		return nil, fault.Validation("file", "the first line names no column title; it has %s", strings.Join(head[:min(len(head), 12)], ", ")).
			WithHint("give the columns names, such as id,title,description,status,priority")
	}
	for {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, csvError(err)
		}
		line, _ := reader.FieldPos(0)
		if r := t.record(line, row); len(r.fields) > 0 {
			all = append(all, r)
		}
	}
}

// record converts a row into a record.
func (t table) record(line int, row []string) record {
	r := record{line: line, fields: map[string][]string{}, has: map[string]bool{}, cells: true, azure: t.azure}
	for i, field := range t.fields {
		if field == "" {
			continue
		}
		r.has[field] = true
		if t.levels[i] > 0 {
			r.has["level"] = true
		}
		if i >= len(row) {
			continue
		}
		value := strings.TrimSpace(typedCell(row[i]))
		if value == "" {
			continue
		}
		if t.levels[i] > 0 {
			r.fields["level"] = []string{strconv.Itoa(t.levels[i])}
		}
		switch field {
		case "labels", "former_keys":
			r.fields[field] = append(r.fields[field], list(value)...)
		case "priority":
			if n, err := strconv.Atoi(value); t.azure && err == nil && n >= 1 && n <= 4 {
				value = strconv.Itoa(5 - n) // Azure DevOps counts up from the most urgent
			}
			fallthrough
		default:
			r.fields[field] = append(r.fields[field], value)
		}
	}
	return r
}

func csvError(err error) error {
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return fault.Validation("file", "line %d is not CSV: %v", wrong.Line, wrong.Err).WithHint("quote fields that hold quotes or line breaks, and double quotes inside them")
	}
	return fault.Validation("file", "the file cannot be read as CSV: %v", err)
}

// list splits a cell into its entries. An entry that holds a comma or another divider stands in double quotes.
func list(cell string) (all []string) {
	for cell != "" {
		var one string
		if cell = strings.TrimLeft(cell, " \t,;\n"); strings.HasPrefix(cell, `"`) && strings.Contains(cell[1:], `"`) {
			one, cell = quoted(cell[1:])
		} else if end := strings.IndexAny(cell, dividers); end >= 0 {
			one, cell = cell[:end], cell[end+1:]
		} else {
			one, cell = cell, ""
		}
		if one = strings.TrimSpace(one); one != "" {
			all = append(all, one)
		}
	}
	return all
}

const dividers = ",;\n"

// quoted cuts an entry at its closing quote; a doubled quote is part of the entry.
func quoted(s string) (entry, rest string) {
	for {
		before, after, found := strings.Cut(s, `"`)
		entry += before
		if !found || !strings.HasPrefix(after, `"`) {
			return entry, after
		}
		entry, s = entry+`"`, after[1:]
	}
}

// cellOf joins entries into one cell, in the form that list splits.
func cellOf(entries []string) string {
	cells := make([]string, len(entries))
	for i, entry := range entries {
		if cells[i] = entry; strings.ContainsAny(entry, dividers+`"`) {
			cells[i] = `"` + strings.ReplaceAll(entry, `"`, `""`) + `"`
		}
	}
	return strings.Join(cells, ",")
}

// formulas are the characters that make a cell a formula to a spreadsheet, also to one that drops the white space before them.
const formulas = "=+-@\t\r\n＝＋－＠"

// plainCell puts an apostrophe before a cell that a spreadsheet would run, so that it is shown as text. typedCell removes it.
func plainCell(cell string) string {
	if isFormula(strings.TrimLeft(cell, "'")) {
		return "'" + cell
	}
	return cell
}

func typedCell(cell string) string {
	if typed, ok := strings.CutPrefix(cell, "'"); ok && isFormula(strings.TrimLeft(typed, "'")) {
		return typed
	}
	return cell
}

func isFormula(cell string) bool {
	for _, first := range cell {
		return strings.ContainsRune(formulas, first)
	}
	return false
}

// csvHead lists the columns of an export; import reads them by these names.
var csvHead = []string{"id", "item_type", "title", "status", "status_category", "priority", "priority_label", "assignee", "assignee_name", "labels", "parent_id", "epic_id", "milestone",
	"sprint_name", "due_date", "estimate", "estimate_unit", "blocks", "blocked_by", "related_to", "url", "provider", "provider_id", "created_at", "updated_at", "body_format",
	"description", "acceptance_criteria"}

// WriteCSV writes tickets in the form that an import reads. No cell is a formula to a spreadsheet.
func WriteCSV(w io.Writer, all []Export) error {
	out := csv.NewWriter(w)
	if err := out.Write(csvHead); err != nil {
		return err
	}
	for _, t := range all {
		estimate := ""
		if t.Estimate != nil {
			estimate = strconv.FormatFloat(*t.Estimate, 'g', -1, 64)
		}
		cells := []string{t.ID, t.Type, t.Title, t.Status, t.StatusCategory, work.Priority(t.Priority).String(), t.PriorityLabel, t.Assignee, t.AssigneeName, cellOf(t.Labels), t.Parent, t.Epic,
			t.Milestone, t.Sprint, t.DueDate, estimate, t.EstimateUnit, cellOf(t.Blocks), cellOf(t.BlockedBy), cellOf(t.RelatedTo), t.URL, t.Provider, t.ProviderID,
			t.CreatedAt.Format(time.RFC3339Nano), t.UpdatedAt.Format(time.RFC3339Nano), t.BodyFormat, t.Description, t.Criteria}
		for i := range cells {
			cells[i] = plainCell(cells[i])
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
